/**
 * Defines which bytes count towards a team's limit (the payloads in some tables), and how each change is counted: by a statement that runs
 * before it in the same transaction. Runners add these statements while bytes are counted, so the logic does not mention them. They are
 * not triggers, because a Citus cluster allows no triggers on distributed tables by default.
 */
import { countedColumns } from '../../tables/catalogue.ts'
import type { Dialect } from '../dialect.ts'
import type { SqlText, SqlValue, SqlValues } from '../steps.ts'

/** The name of the setting that enables byte counting. */
export const COUNTING = 'counting_bytes'

/** Columns that count, by table. */
const COUNTED: ReadonlyMap<string, readonly string[]> = new Map(countedColumns())

/** Returns SQL for the size of these columns in bytes. */
export const sizeOf = (columns: readonly string[]): string =>
  columns.map(name => `coalesce(octet_length(${name}), 0)`).join('+')

/** SQL for a user's total stored bytes. */
export const BYTES_OF_USER = `(${[...COUNTED]
  .map(
    ([table, columns]) =>
      `(SELECT coalesce(sum(${sizeOf(columns)}), 0) FROM ${table} WHERE ${table}.user_id=user.user_id)`,
  )
  .join('+')})`

/** The statement that counts a change. */
export interface Count {
  readonly text: string
  /** Returns the statement's values, given those of the change. The last one is the user. */
  valuesFor(changed: SqlValues): SqlValues
}

/** Finds the statements that count the changes in one kind of database. */
export class ChangeCounts {
  private readonly dialect: Dialect
  private readonly known = new Map<SqlText, Count | null>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** Returns the statement that counts a change, or null if the change does not affect any counted bytes. */
  of(text: SqlText): Count | null {
    let count = this.known.get(text)
    if (count === undefined) {
      count = countOf(typeof text === 'string' ? text : text(this.dialect))
      this.known.set(text, count)
    }
    return count
  }
}

const TABLE = /^(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)/
/** Matches the removal of all rows of a table, which happens only when all users are removed too. */
const EMPTYING = /^DELETE FROM \w+$/
const INSERTION = /^INSERT INTO \w+ \(([^)]+)\) VALUES \([?,]+\)(?: ON CONFLICT \(([^)]+)\) DO UPDATE SET (.+))?$/
const UPDATE_OR_DELETION = /^(?:UPDATE \w+ SET ([\w=?, ]+)|DELETE FROM "?\w+"?) WHERE (.+)$/

/** Returns how a change is counted. Throws if its form is not known here. */
function countOf(change: string): Count | null {
  const text = change.replaceAll(/\s+/g, ' ').trim()
  const [, table = ''] = TABLE.exec(text) ?? []
  const counted = COUNTED.get(table)
  if (counted === undefined || EMPTYING.test(text)) return null
  const [, inserted, key, replaced = ''] = INSERTION.exec(text) ?? []
  const [, assigned, condition = ''] = UPDATE_OR_DELETION.exec(text) ?? []
  const names = (inserted ?? assigned)?.split(', ').map(each => each.replace('=?', '')) ?? []
  const changed = names.length === 0 ? counted : counted.filter(name => names.includes(name))
  if (changed.length === 0) return null
  const positions = (some: readonly string[]): number[] => some.map(name => names.indexOf(name)).filter(i => i >= 0)
  const added = positions(changed)
  const stored = (where: string): string => `coalesce(sum(${sizeOf(changed)}), 0) FROM ${table} WHERE ${where}`
  if (inserted !== undefined && key === undefined) return countOfBytes('?', added, positions(['user_id']))
  if (key !== undefined && changed.every(name => replaced.includes(`${name}=excluded.${name}`))) {
    const found = key.split(', ')
    const more = `(SELECT ?-${stored(found.map(name => `${name}=?`).join(' AND '))})`
    return countOfBytes(more, added, positions([...found, 'user_id']))
  }
  if (condition.startsWith('user_id=?')) {
    const conditions = Array.from(condition.matchAll(/\?/g), (_, i) => names.length + i)
    return countOfBytes(`(SELECT ?*count(*)-${stored(condition)})`, added, [...conditions, names.length])
  }
  throw new Error(`the store cannot count the bytes that this statement changes: ${text}`)
}

/**
 * Returns the count whose change in bytes is the SQL `more`. Its first placeholder is for the size of the new values, which are at the
 * positions `added`. The values at the positions `rest` follow; the last one is the user.
 */
function countOfBytes(more: string, added: readonly number[], rest: readonly number[]): Count {
  return {
    text: `UPDATE user SET stored_bytes=stored_bytes+${more} WHERE user_id=? AND stored_bytes IS NOT NULL`,
    valuesFor: values => [
      added.reduce((sum, i) => sum + storedBytes(values[i]), 0),
      ...rest.map(i => values[i] as SqlValue), // there is a value for each placeholder
    ],
  }
}

/** Returns a value's size in the database, which truncates text at a NUL. */
function storedBytes(value: SqlValue | undefined): number {
  if (value instanceof Uint8Array) return value.byteLength
  return typeof value === 'string' ? Buffer.byteLength(value.split('\0', 1)[0] as string) : 0
}
