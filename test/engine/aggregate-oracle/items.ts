/** The items of a query: the name and kind of each, and its value in a row. */
import type { Kind, Row, Value } from './data.ts'
import { applyToNumbers } from './functions.ts'
import { MACROS } from './macros.ts'
import { READINESS } from './readiness.ts'
import { columnName, RESOURCES, resourceFields, resourceNamed, SOURCE_FIELDS } from './resources.ts'
import { MERGED_KINDS } from './several-sources/sessions.ts'
import { LISTS, TABLES, typed } from './tables.ts'
import { type Predicate, readWhere } from './where.ts'

/** An item as in the request. */
export type Item = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly kind: Kind
  /** Two fields with the same identity are the same column. */
  readonly identity: string
  /** False if doubles were added on the way: then the last bits may differ. */
  readonly exact: boolean
  readonly read: (row: Row) => Value
}

const ROUNDED = ['mean', 'sum', 'stddev', 'median']

const field = (name: string, kind: Kind, read: (row: Row) => Value): Field => ({
  name,
  kind,
  identity: name,
  exact: true,
  read,
})

/** Returns the kinds of the scalar columns of a table with one row per summary. */
export function columnKinds(table: string): Readonly<Record<string, Kind>> {
  if (table === 'derived_readiness') return READINESS
  return Object.fromEntries(Object.entries(TABLES[table] ?? {}).map(([name, { kind }]) => [name, kind]))
}

/** Returns the kinds of the names that a where clause may use. */
export function whereKinds(table: Table): Readonly<Record<string, Kind>> {
  if (typeof table !== 'string') {
    return Object.fromEntries(Object.entries(table.columns).map(([name, { kind }]) => [name, kind]))
  }
  if (table !== 'timeseries') return columnKinds(table)
  const own = RESOURCES.flatMap(resource =>
    Object.entries(resourceFields(resource)).map(([name, kind]) => [columnName(resource, name), kind] as const),
  )
  return Object.fromEntries([...own, ...Object.keys(SOURCE_FIELDS).map(name => [name, 'text'] as const)])
}

/** The result of an inner query as a table. */
export interface Inner {
  /** The columns that an outer query can read. */
  readonly columns: Readonly<Record<string, { readonly kind: Kind; readonly exact: boolean }>>
}

/** The name of a stored table, or the result of an inner query. */
export type Table = string | Inner

/** Returns the field that an item or argument refers to. */
export function toField(item: Item | null, table: Table): Field {
  if (item === null || 'index' in item) return { ...field('index', 'time', row => row.local), identity: '#index' }
  if ('timeseries' in item) {
    const resource = resourceNamed(item['timeseries'] as string)
    const name = columnName(resource, item['field'] as string)
    const kind = resourceFields(resource)[item['field'] as string] as Kind
    return field(name, kind, row => row.cells.get(name) ?? null)
  }
  if ('source' in item)
    return field(item['source'] as string, 'text', row => row.cells.get(item['source'] as string) ?? null)
  if ('value_macro' in item) {
    const name = item['value_macro'] as keyof typeof MACROS
    return { ...field(name, MACROS[name], row => row.cells.get(`macro ${name}`) ?? null), identity: `macro ${name}` }
  }
  if ('from' in item) return subQuery(item)
  if (typeof table !== 'string') {
    const name = item['query'] as string
    const { kind, exact } = table.columns[name] as Inner['columns'][string]
    return { ...field(name, kind, row => row.cells.get(name) ?? null), exact }
  }
  const name = item[table] as string
  const kind = columnKinds(table)[name] ?? MERGED_KINDS[table]?.[name]
  return field(name, kind as Kind, row => row.cells.get(name) ?? null)
}

/** Handles `{select: {func, arg}, from: {unnest}, where}`: one value per row, from a list in that row. */
function subQuery(item: Item): Field {
  const { func, arg } = item['select'] as { func: string; arg: Item | null }
  const unnest = (item['from'] as { unnest: Item }).unnest
  const ofTags = 'timeseries' in unnest
  const list = (ofTags ? 'tags' : unnest['menstrual_cycle']) as string
  const kinds: Readonly<Record<string, Kind>> = ofTags ? { element: 'text' } : (LISTS[list] as Record<string, Kind>)
  const column = arg === null ? null : 'element' in arg ? 'element' : (arg[list] as string)
  const name = [func, list, ...(column === null ? [] : [column])].join('.')
  const where = typeof item['where'] === 'string' ? readWhere(item['where'], { kindOf: each => kinds[each] }) : null
  const kind = func === 'min' || func === 'max' ? (kinds[column as string] as Kind) : func === 'count' ? 'int' : 'float'
  return {
    name,
    kind,
    identity: JSON.stringify(item),
    exact: !ROUNDED.includes(func),
    read: row =>
      ofTags && row.resource !== 'note' ? null : unnested(row.lists.get(list) ?? [], func, column, kinds, where),
  }
}

function unnested(
  list: readonly unknown[],
  func: string,
  column: string | null,
  kinds: Readonly<Record<string, Kind>>,
  where: Predicate | null,
): Value {
  const cell = (element: unknown) => (name: string) =>
    typed(kinds[name] as Kind, name === 'element' ? element : (element as Record<string, unknown>)[name])
  const kept = list.filter(element => where === null || where(cell(element)) === true)
  if (column === null) return kept.length
  const values = kept.map(element => cell(element)(column)).filter(value => value !== null)
  if (func === 'count') return values.length
  return values.length === 0 ? null : applyToNumbers(func, values as number[])
}

/** Returns whether a function of a field may differ in its last bits. */
export function isRounded(func: string, of: Field): boolean {
  return func !== 'count' && (ROUNDED.includes(func) || !of.exact)
}
