/** Builds a new database's tables from the catalogue. */
import { tablesIn } from '../../tables/catalogue.ts'
import { type Column, columnDetails, type Index, indexesIn, type StoredType, type Table } from '../../tables/table.ts'

const TYPES: Readonly<Record<string, string>> = {
  text: 'TEXT',
  number: 'INTEGER',
  real: 'REAL',
  blob: 'BLOB',
  any: 'ANY',
}

/** Returns the name of the index that finds rows with generated numbers by their key. */
export function keyIndex({ name }: Table): string {
  return `${name}_key`
}

/** Returns whether the rows have generated numbers and the key has its own index. */
const hasKeyIndex = (table: Table): boolean => table.hasRowid === true && !hasOwnKey(table)
/** Tables that do not need such an index: rows with generated keys are found by their keys, and recordings need no damage detection. */
const hasOwnKey = (table: Table): boolean => table.numbersItself === true || table.onlyIn === 'sqlite'

function tableDdl(table: Table): string {
  const { name, columns, key, hasRowid = false } = table
  const lines = Object.entries(columns).map(([column, each]) => columnDdl(table, column, each))
  if (!hasKeyIndex(table) && key.length > 1) lines.push(`PRIMARY KEY (${key.join(', ')})`)
  return `CREATE TABLE ${name} (\n  ${lines.join(',\n  ')}\n) STRICT${hasRowid ? '' : ', WITHOUT ROWID'};`
}

function columnDdl(table: Table, name: string, column: Column): string {
  const { type, default: standard, isUnique = false, references } = columnDetails(column)
  const isKey = table.key.length === 1 && table.key[0] === name && !hasKeyIndex(table)
  if (isKey && table.numbersItself) return `${name} INTEGER PRIMARY KEY AUTOINCREMENT`
  const parts = [name, typeDdl(type)]
  if (standard !== undefined) parts.push(`DEFAULT ${typeof standard === 'string' ? `'${standard}'` : standard}`)
  if (isKey) parts.push('PRIMARY KEY')
  if (isUnique) parts.push('UNIQUE')
  if (references !== undefined) parts.push(`REFERENCES ${references}`)
  return parts.join(' ')
}

function typeDdl(type: StoredType): string {
  return type.endsWith('?') ? `${TYPES[type.slice(0, -1)]}` : `${TYPES[type]} NOT NULL`
}

function listIndexes(table: Table): readonly Index[] {
  const own = indexesIn(table, 'sqlite')
  return hasKeyIndex(table) ? [{ name: keyIndex(table), isUnique: true, on: `(${table.key.join(', ')})` }, ...own] : own
}

function indexDdl(table: string, { name, isUnique, on }: Index): string {
  return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} ${on};`
}

/** Triggers that make the audit trail append-only. */
const TRIGGERS: readonly (readonly [name: string, when: string])[] = [
  ['audit_is_not_changed', 'UPDATE'],
  ['audit_is_not_removed', 'DELETE'],
]

const IDENTITY = "INSERT INTO setting (name, value) VALUES ('store_id', lower(hex(randomblob(16))));"

/** Statements that create a database with the newest version and its own ID from an empty file. */
export const NEW_DATABASE = [
  ...tablesIn('sqlite').flatMap(table => [
    tableDdl(table),
    ...listIndexes(table).map(each => indexDdl(table.name, each)),
  ]),
  ...TRIGGERS.map(
    ([name, when]) =>
      `CREATE TRIGGER ${name} BEFORE ${when} ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;`,
  ),
  IDENTITY,
].join('\n')
