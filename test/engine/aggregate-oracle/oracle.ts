/**
 * A slow, plain evaluator of aggregate queries, written from the specification alone. It shares no code with the engine, the catalogue or
 * the tables of `src`.
 */
import { align, type Carry, type Line } from './align.ts'
import { bucketStart, DAY, datePart, type Period, printDate, printTime, toWindow } from './calendar.ts'
import type { Kind, PlainData, Row, Value } from './data.ts'
import { amongEquals, apply, type Entry, type Outcome } from './functions.ts'
import { type Field, type Inner, type Item, isRounded, type Table, toField, whereKinds } from './items.ts'
import { columnName, RESOURCES, type Resource, resourceNamed } from './resources.ts'
import { tableRows } from './rows.ts'
import { mergeRows } from './several-sources/merge.ts'
import { isNear, mergeSessions } from './several-sources/sessions.ts'
import { compareLists, ranking, type TeamPriority } from './several-sources/sources.ts'
import { wallClock } from './tables.ts'
import { readWhere } from './where.ts'

export interface PlainQuery {
  readonly select: readonly Item[]
  readonly group_by?: readonly Item[] | null
  readonly where?: string | null
  readonly align?: { readonly carry: Carry } | null
  /** The query whose result this one reads. */
  readonly from?: { readonly query: PlainQuery }
  readonly merge?: boolean
}

export interface Asked {
  readonly anchor: string
  readonly past: Period
  readonly overrides: readonly string[]
  readonly team: readonly TeamPriority[]
  readonly now: number
}

/** The kind of a column in a result; a date part is a small integer, a clock a time of day. */
export type ResultKind = Kind | 'part' | 'clock'

export interface OracleColumn {
  readonly name: string
  readonly kind: ResultKind
  /** Cells as in the JSON result; cells of an inner query are not printed. */
  readonly cells: readonly Value[]
  /** False for means, sums, medians and deviations: those agree to 1e-12, plus the slack of the cell. */
  readonly exact: boolean
  readonly slack: readonly number[]
}

interface Key {
  readonly kind: ResultKind
  readonly field: Field | null
  readonly of: (row: Row) => Value
}

interface Output {
  readonly name: string
  readonly kind: ResultKind
  readonly exact: boolean
  readonly of: (line: Line) => Outcome
}

/** Returns the result of one query, column by column in the order of the request. */
export function evaluate(data: PlainData, query: PlainQuery, asked: Asked): readonly OracleColumn[] {
  return unprinted(data, query, asked).map(column => ({
    ...column,
    cells: column.cells.map(cell => printed(cell, column.kind)),
  }))
}

function unprinted(data: PlainData, query: PlainQuery, asked: Asked): readonly OracleColumn[] {
  const { table, rows: all } = query.from
    ? innerTable(data, { ...query.from.query, ...(query.merge ? { merge: true } : {}) }, asked)
    : storedTable(data, query, asked)
  const kinds = query.where ? whereKinds(table) : {}
  // a column may be prefixed with its table
  const prefix = `${tableName(table)}.`
  const bare = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name)
  const where = query.where ? readWhere(query.where, { kindOf: name => kinds[bare(name)] }) : null
  const matching = all.filter(row => where === null || where(name => row.cells.get(bare(name)) ?? null) === true)
  const groupBy = query.group_by ?? []
  const isMerged = query.merge === true && !query.from
  const merged = () => {
    const isPlain = groupBy.length === 0 && !query.select.some(item => 'func' in item)
    if (table === 'timeseries') return mergeRows(isPlain ? matching : plausible(matching, query), groupBy, asked)
    const namesRole = JSON.stringify([query.select, groupBy]).includes('"role"')
    return mergeSessions(data, matching, table as string, isPlain || namesRole, asked)
  }
  const rows = isMerged ? inWindow(merged(), asked) : matching
  if (groupBy.length === 0 && !query.select.some(item => 'func' in item)) return plainRows(rows, query.select, table)
  const keys = groupBy.map(item => toKey(item, table))
  const functions = query.select.flatMap(item =>
    'func' in item
      ? [{ func: canonical(item['func'] as string), field: toField(item['arg'] as Item | null, table) }]
      : [],
  )
  let lines: Line[] = groupRows(rows, keys).map(group => {
    const own = keys.length === 0 || isMerged ? group.rows : survivors(group.rows, asked, tableName(table))
    const entries = (field: Field) =>
      own.map((row): Entry => ({ row, value: field.read(row), slack: slackIn(row, field) }))
    const values = functions.map(({ func, field }) => apply(func, entries(field), field.kind))
    return { keys: group.keys, values }
  })
  const trunc = groupBy.findIndex(item => 'date_trunc' in item)
  if (query.align) {
    const now = wallClock(asked.now, null, data.zone ?? 'UTC')
    lines = [...align(lines, trunc, groupBy[trunc]?.['date_trunc'] as Period, query.align.carry, now)]
  }
  lines.sort((a, b) => compareKeys(a.keys, b.keys))
  return listOutputs(query.select, keys, table).map(({ name, kind, exact, of }) => ({
    name,
    kind,
    exact,
    cells: lines.map(line => of(line).value),
    slack: lines.map(line => of(line).slack),
  }))
}

/** Returns the rows without implausible samples of resources whose field `implausible` the query does not name. */
function plausible(rows: readonly Row[], { select, group_by, where }: PlainQuery): readonly Row[] {
  const items = JSON.stringify([select, group_by])
  const isNamed = ({ name, path }: Resource) =>
    [name, path].some(
      each => items.includes(`"timeseries":"${each}","field":"implausible"`) || where?.includes(`${each}.implausible`),
    )
  return rows.filter(row => {
    const resource = resourceNamed(row.resource ?? '')
    return isNamed(resource) || row.cells.get(columnName(resource, 'implausible')) !== true
  })
}

interface Read {
  readonly table: Table
  readonly rows: readonly Row[]
}

/** Returns the rows of the timeframe. */
function storedTable(data: PlainData, query: PlainQuery, asked: Asked): Read {
  const table = queryTable(query)
  const window = toWindow(asked.anchor, asked.past)
  const rows = tableRows(data, table, table === 'timeseries' ? listResources(query) : [])
  // samples beside the timeframe can keep others in it from counting
  const midnight = Math.floor(window.from / DAY) * DAY
  if (query.merge && table !== 'timeseries') return { table, rows: rows.filter(row => isNear(row, asked)) }
  const near = (row: Row) => row.instant >= midnight - 2 * DAY && row.instant <= window.to + DAY
  return { table, rows: query.merge ? rows.filter(near) : inWindow(rows, asked) }
}

function inWindow(rows: readonly Row[], { anchor, past }: Asked): readonly Row[] {
  const window = toWindow(anchor, past)
  return rows.filter(({ local }) => local >= window.from && local < window.to)
}

/** Returns the result of an inner query as rows at the starts of their buckets. They have no source. */
function innerTable(data: PlainData, query: PlainQuery, asked: Asked): Read {
  const trunc = (query.group_by ?? []).findIndex(item => 'date_trunc' in item)
  const all = unprinted(data, { ...query, select: [...query.select, { group_key: trunc }] }, asked)
  const columns = all.slice(0, -1)
  const index = (all.at(-1) as OracleColumn).cells
  const rows = index.map((cell, at): Row => {
    const local = cell as number
    return {
      ...{ local, instant: local, provider: '', sourceType: '', resource: null, type: null, stored: at },
      cells: new Map(columns.map(({ name, cells }) => [name, cells[at] as Value])),
      slack: new Map(columns.map(column => [column.name, slackAt(column, at)])),
      lists: new Map(),
    }
  })
  return { table: readable(columns), rows }
}

/** How far an inexact cell may differ relative to its size, in addition to its slack. */
const RELATIVE = 1e-12

function slackAt({ cells, exact, slack }: OracleColumn, at: number): number {
  return exact ? 0 : RELATIVE * Math.abs((cells[at] ?? 0) as number) + (slack[at] ?? 0)
}

const slackIn = (row: Row, { name }: Field): number => row.slack?.get(name) ?? 0
const tableName = (table: Table): string => (typeof table === 'string' ? table : 'query')

/** Returns the columns that an outer query can read: all but times of day. */
export function readable(columns: readonly OracleColumn[]): Inner {
  const fields = columns.flatMap(({ name, kind, exact }) =>
    kind === 'clock' ? [] : [[name, { kind: kind === 'part' ? 'int' : kind, exact }] as const],
  )
  return { columns: Object.fromEntries(fields) }
}

/** Returns the columns of the result without any data. */
export function emptyResult(query: PlainQuery): readonly OracleColumn[] {
  const nothing = { zone: null, samples: [], summaries: [] }
  const any: Asked = { anchor: '2026-01-01', past: { unit: 'day', value: 1 }, overrides: [], team: [], now: 0 }
  return evaluate(nothing, query, any)
}

/** Returns the rows themselves, in the order of the index. */
function plainRows(rows: readonly Row[], select: readonly Item[], table: Table): readonly OracleColumn[] {
  const sorted = [...rows].sort(
    (a, b) => a.local - b.local || a.instant - b.instant || compareLists(amongEquals(a), amongEquals(b)),
  )
  return select.map(item => {
    const field = toField(item, table)
    const { name, kind, exact, read } = field
    return { name, kind, exact, cells: sorted.map(read), slack: sorted.map(row => slackIn(row, field)) }
  })
}

function toKey(item: Item, table: Table): Key {
  if ('date_trunc' in item) {
    return { kind: 'time', field: null, of: row => bucketStart(row.local, item['date_trunc'] as Period) }
  }
  if ('date_part' in item) {
    return { kind: 'part', field: null, of: row => datePart(row.local, item['date_part'] as string) }
  }
  const field = toField(item, table)
  return { kind: field.kind, field, of: field.read }
}

function groupRows(rows: readonly Row[], keys: readonly Key[]) {
  const groups = new Map<string, { readonly keys: readonly Value[]; readonly rows: Row[] }>()
  if (keys.length === 0) groups.set('', { keys: [], rows: [] })
  for (const row of rows) {
    const values = keys.map(key => key.of(row))
    const name = values.length === 0 ? '' : JSON.stringify(values)
    const group = groups.get(name)
    if (group) group.rows.push(row)
    else groups.set(name, { keys: values, rows: [row] })
  }
  return [...groups.values()]
}

/** Returns the rows of the best source of the group; in the timeseries table, separately for each resource. */
function survivors(rows: readonly Row[], asked: Asked, table: string): readonly Row[] {
  const rank = (row: Row) => ranking(row, asked.overrides, asked.team, table)
  return [...new Set(rows.map(row => row.resource))].flatMap(resource => {
    const own = rows.filter(row => row.resource === resource)
    const sources = [...new Map(own.map(row => [`${row.provider} ${row.sourceType}`, row])).values()]
    const best = sources.reduce((a, b) => (compareLists(rank(b), rank(a)) < 0 ? b : a))
    return own.filter(row => row.provider === best.provider && row.sourceType === best.sourceType)
  })
}

/** Compares keys one by one in ascending order, null last. */
function compareKeys(a: readonly Value[], b: readonly Value[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i] as Value
    if (x === y) continue
    if (x === null || y === null) return x === null ? 1 : -1
    return x < y ? -1 : 1
  }
  return 0
}

function listOutputs(select: readonly Item[], keys: readonly Key[], table: Table): readonly Output[] {
  const functions = select.filter(item => 'func' in item)
  const fields = functions.map(item => toField(item['arg'] as Item | null, table))
  const alone = fields.every(field => field.identity === fields[0]?.identity)
  return select.flatMap((item): readonly Output[] => {
    if ('func' in item) {
      const at = functions.indexOf(item)
      const func = canonical(item['func'] as string)
      const field = fields[at] as Field
      const same = ['min', 'max', 'oldest', 'newest', 'sum'].includes(func)
      return [
        {
          name: alone ? func : `${func}.${field.name}`,
          kind: func === 'count' ? 'int' : same ? field.kind : field.kind === 'time' ? 'clock' : 'float',
          exact: !isRounded(func, field),
          of: line => line.values[at] as Outcome,
        },
      ]
    }
    const key = (at: number, name: string): Output => ({
      name,
      kind: (keys[at] as Key).kind,
      exact: true,
      of: line => ({ value: line.keys[at] ?? null, slack: 0 }),
    })
    if ('group_key' in item) {
      const wanted = item['group_key'] === '*' ? keys.map((_, at) => at) : [item['group_key'] as number]
      return wanted.map(at => key(at, `group_key.${at}`))
    }
    const { identity, name } = toField(item, table)
    return [
      key(
        keys.findIndex(each => each.field?.identity === identity),
        name,
      ),
    ]
  })
}

function printed(value: Value, kind: ResultKind): Value {
  if (typeof value !== 'number') return value
  if (kind === 'time') return printTime(value)
  if (kind === 'clock') return printTime(value * 1000).slice(11)
  return kind === 'date' ? printDate(value) : value
}

/** Returns the name of a function in the result. */
function canonical(func: string): string {
  return func === 'latest' ? 'newest' : func
}

/** Returns the table that the items name. */
export function queryTable(query: PlainQuery): string {
  const named = JSON.stringify([query.select, query.group_by ?? []])
  const index = /"index":"(\w+)"/.exec(named)
  if (index) return index[1] as string
  const tables = [
    'timeseries',
    'derived_readiness',
    'sleep',
    'activity',
    'workout',
    'body',
    'meal',
    'menstrual_cycle',
    'profile',
  ]
  const found = tables.find(table => named.includes(`"${table}":`))
  if (found) return found
  if (named.includes('"value_macro":')) return 'sleep'
  throw new Error('the oracle finds no table')
}

/** Returns the resources that the query mentions anywhere: the timeseries table contains their samples. */
export function listResources(query: PlainQuery): readonly string[] {
  const named = JSON.stringify([query.select, query.group_by ?? []])
  const words = (query.where ?? '').replaceAll(/'[^']*'/g, ' ').split(/[^\w.]+/)
  return RESOURCES.filter(({ name, path }) => {
    if (named.includes(`"timeseries":"${name}"`) || named.includes(`"timeseries":"${path}"`)) return true
    return words.some(word => [name, path].includes(word.replace(/^timeseries\./, '').split('.')[0] as string))
  }).map(({ name }) => resourceNamed(name).name)
}
