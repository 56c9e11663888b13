/** Defines which bytes count towards a team's limit: the payloads of some tables. */
import { countedColumns } from '../../tables/catalogue.ts'

/** The name of the setting that enables byte counting. Writers read it in each transaction. */
export const COUNTING = 'counting_bytes'

/** Columns that count, by table. */
export const COUNTED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(countedColumns())

/** Columns that can change in an existing row. The others are written once. */
export const CHANGED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(countedColumns(['changing']))

/** Returns the size of these columns in bytes, as SQL. */
export const sizeOf = (columns: readonly string[], row = ''): string =>
  columns.map(name => `coalesce(octet_length(${row}${name}), 0)`).join('+')

/** The sum of a user's stored bytes, as SQL. */
export const BYTES_OF_USER = `(${Object.entries(COUNTED)
  .map(
    ([table, columns]) =>
      `(SELECT coalesce(sum(${sizeOf(columns)}), 0) FROM ${table} WHERE ${table}.user_id=user.user_id)`,
  )
  .join('+')})`
