/** Describes a table in the catalogue. Every list of tables or columns in the store is derived from these descriptions. */

/** A column's type. `?` means that null is also allowed. `real` is a number with a fraction, and `any` is a text or a number. */
export interface Held {
  readonly text: string
  readonly 'text?': string | null
  readonly number: number
  readonly 'number?': number | null
  readonly real: number
  readonly 'real?': number | null
  readonly blob: Uint8Array
  readonly 'blob?': Uint8Array | null
  readonly any: string | number
}
export type StoredType = keyof Held

/** A column that has properties in addition to its type. */
export interface ColumnDetails {
  readonly type: StoredType
  readonly default?: number | string
  /** Required structure of JSON text, so that readers can rely on it. */
  readonly json?: 'any' | 'list' | 'object or list'
  /** The allowed texts. */
  readonly oneOf?: readonly string[]
  /** Whether the text is a random ID or a SHA-256 in hexadecimal digits. */
  readonly is?: 'uuid' | 'hash'
  /** Whether the column's bytes count towards a team's limit. */
  readonly counts?: boolean
  /** Whether a slice of a copy first checks the size of the column's values. Counted columns are large, too. */
  readonly isLarge?: boolean
  /** Whether the column is already compressed, so that PostgreSQL does not need to compress it. */
  readonly isPacked?: boolean
  /** Whether the column changes while the number of rows stays the same, so that a copy compares it to detect changes in its source. */
  readonly tellsChange?: boolean
  /** Whether the value is different in each row. */
  readonly isUnique?: boolean
  /** The table whose rows the column refers to. SQLite checks the reference. */
  readonly references?: string
}
export type Column = StoredType | ColumnDetails
/** A table's columns, in the same order as in the database. */
export type Columns = Readonly<Record<string, Column>>
type TypeOf<C extends Column> = C extends ColumnDetails ? C['type'] : C & StoredType
/** A row with these columns. */
export type RowWith<C extends Columns> = { readonly [Name in keyof C]: Held[TypeOf<C[Name]>] }
export type NameIn<C> = keyof C & string

/**
 * The lifecycle of rows:
 *
 * | life | snapshot | restore | copy to another store | salvage | emptying the store |
 * | --- | --- | --- | --- | --- | --- |
 * | `state` | has them | replaces them | takes them | takes them | removes them, unless `isKeptEmpty` |
 * | `staying` | has none | leaves them | takes them if the store moves | takes them | like `state` |
 * | `trail` | has them | leaves them | takes them | takes them | leaves them |
 * | `session` | has none | leaves them | none | none | leaves them |
 * | `passing` | has none | removes them | none | none | removes them |
 * | `process` | has none | removes them | none | none | removes them |
 * | `derived` | has them | replaces them | takes them | builds them again | removes them |
 *
 * A restore and emptying handle the rows of removed users and teams.
 */
export type Life = 'state' | 'staying' | 'trail' | 'session' | 'passing' | 'process' | 'derived'

/** Rows that depend on a row in another table. */
export interface Need {
  readonly table: string
  /** Columns that have the same values in both rows. */
  readonly by: readonly string[]
  /** A column that must not be null for the other row to be required. */
  readonly unlessNull?: string
  /** SQL text that describes the position of such rows, using the columns of their key. */
  readonly label: string
  readonly reason: string
}

/** Columns covered by one checksum. */
export interface Checksum<C extends Columns> {
  /** The column that contains the checksum. Defaults to `checksum`. */
  readonly column?: NameIn<C>
  /** The columns that the checksum covers. Defaults to all columns except the checksum and the table's `aside` columns. */
  readonly of?: readonly NameIn<C>[]
  /**
   * Columns that a later schema version added. The checksum covers them only if one of them does not have its default, so that older rows
   * keep their checksum.
   */
  readonly added?: readonly NameIn<C>[]
  /** A large column, which is always the last one. */
  readonly blob?: NameIn<C>
  /** A column that is read with the row but not covered, because restoring a snapshot changes it in all rows at once. */
  readonly bare?: NameIn<C>
  /** Describes a row without including any value. */
  readonly named: (row: RowWith<C>) => string
  /**
   * Returns the text from which the checksum is computed instead of the individual values. Present if SQLite can produce the same text for
   * many rows at once.
   */
  readonly text?: (row: RowWith<C>) => string
}

export interface Table<C extends Columns = Columns, Aside extends NameIn<C> = never> {
  readonly name: string
  /** The owner of the rows: a user, a team, or the store. A cluster distributes them by owner. */
  readonly owner: 'user' | 'team' | 'store'
  readonly life: Life
  readonly columns: C
  /** The columns that identify a row. */
  readonly key: readonly NameIn<C>[]
  /**
   * Whether, in SQLite, rows have generated numbers and the key has an index, so that a row with a damaged key does not disappear
   * unnoticed.
   */
  readonly hasRowid?: boolean
  /** Whether the key is a generated number. Numbers are never reused. */
  readonly numbersItself?: boolean
  /** Indexes by name. The value contains the columns and the condition, as in SQL, preceded by `UNIQUE` for a unique index. */
  readonly indexes?: Readonly<Record<string, string>>
  /** Indexes that only SQLite needs. */
  readonly sqliteIndexes?: Readonly<Record<string, string>>
  readonly checksums?: readonly Checksum<C>[]
  /** Columns that `checksum` does not cover. */
  readonly aside?: readonly Aside[]
  /** A lease column that no checksum covers, because the process that takes over the rows ends the lease. */
  readonly lease?: NameIn<C>
  /** Which of a cluster's machines store the rows: every machine, or only the coordinator. If absent, rows are distributed by owner. */
  readonly cluster?: 'everywhere' | 'coordinator'
  /** The column of the key that determines a row's machine, instead of the owner. Its values are chosen so that a change needs one machine. */
  readonly placedBy?: NameIn<C>
  /** Whether all or some of the rows are kept when the store is emptied. */
  readonly isKeptEmpty?: boolean
  /** Whether rows are kept or read when the user is purged. */
  readonly outlivesUser?: boolean
  /** The only kind of database that has this table. */
  readonly onlyIn?: 'sqlite' | 'postgres'
  /** Rows that these rows need. A salvage removes rows whose counterpart was lost. */
  readonly needs?: readonly Need[]
  /** Whether a salvage cannot distinguish a stray row in an older file from an index entry. */
  readonly looksLikeIndex?: boolean
  /** Whether a salvage copies rows that it would otherwise omit. */
  readonly isSalvaged?: boolean
  /** Name of the rows in reported problems. Defaults to the table's name. */
  readonly problems?: string
}

export interface Index {
  readonly name: string
  readonly isUnique: boolean
  /** The columns and the condition, as in SQL. */
  readonly on: string
}

/** Returns a table's indexes, except its key's index. */
export function indexesIn({ indexes = {}, sqliteIndexes = {} }: Table, database: 'sqlite' | 'postgres'): Index[] {
  const all = Object.entries(database === 'sqlite' ? { ...sqliteIndexes, ...indexes } : indexes)
  return all.map(([name, text]) => ({
    name,
    isUnique: text.startsWith('UNIQUE '),
    on: text.replace(/^UNIQUE /, ''),
  }))
}

/** Defines a table. The row type is derived from the columns. */
export function table<const C extends Columns, const Aside extends NameIn<C> = never>(
  definition: Table<C, Aside>,
): Table<C, Aside> {
  return definition
}

/** Returns all properties of a column. */
export function columnDetails(column: Column): ColumnDetails {
  return typeof column === 'string' ? { type: column } : column
}

/** Returns the names of a table's columns that meet a condition. */
export function columnsThat({ columns }: Table, holds: (details: ColumnDetails) => boolean): string[] {
  return Object.entries(columns).flatMap(([name, column]) => (holds(columnDetails(column)) ? [name] : []))
}

/** Returns an ID or a name from a row that may be damaged. Any other text, such as a note, could be sensitive and is not shown. */
export function shownName(value: unknown): string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : '(unreadable)'
}
