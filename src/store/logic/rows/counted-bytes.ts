/** Defines which bytes count towards a team's limit: the payloads in some tables. */
import { countedColumns } from '../../tables/catalogue.ts'

/** The name of the setting that enables byte counting. It is read in each write transaction. */
export const COUNTING = 'counting_bytes'

/** Columns that count, by table. */
export const COUNTED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(countedColumns())

/** Columns that can change in an existing row. The other columns are written only once. */
export const CHANGED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(countedColumns(['changing']))

/** Returns SQL for the size of these columns in bytes. */
export const sizeOf = (columns: readonly string[], row = ''): string =>
  columns.map(name => `coalesce(octet_length(${row}${name}), 0)`).join('+')

/** SQL for a user's total stored bytes. */
export const BYTES_OF_USER = `(${Object.entries(COUNTED)
  .map(
    ([table, columns]) =>
      `(SELECT coalesce(sum(${sizeOf(columns)}), 0) FROM ${table} WHERE ${table}.user_id=user.user_id)`,
  )
  .join('+')})`
