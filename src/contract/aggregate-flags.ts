/**
 * Builds the request body of an aggregate query from command-line flags: `--select 'mean(sleep.efficiency)' --group-by
 * 1d`.
 */
import {
  LATER_TABLES,
  QUERY_RESOURCES,
  QUERY_TABLES,
  queryResource,
  summaryTable,
  TIMESERIES_SOURCE,
  timeseriesFields,
} from '../catalogue/query-columns.ts'
import { AGGREGATE_FUNCTIONS, DATE_PARTS, type PeriodUnit } from '../catalogue/query-functions.ts'
import { didYouMean, ServiceError } from '../core/errors.ts'
import { parseDate } from '../core/time.ts'
import type { GroupItem, Period, QueryBatchInput, SelectItem } from './aggregate.ts'

export interface QueryFlags {
  /** `func(column)`, or a column; see `queryFromFlags`. */
  readonly select: readonly string[]
  /** `15min`, `1h`, `1d`, `1w`, `3mo`, `1y`, a part of a date, or a column. */
  readonly groupBy: readonly string[]
  readonly where?: string | undefined
  /** `90min`, `24h`, `7d`, `8w`, `3mo`, `1y`. */
  readonly past: string
  /** `YYYY-MM-DD`. */
  readonly anchor: string
}

type Column = Exclude<Extract<SelectItem, { func: string }>['arg'], { value_macro: string } | { from: unknown }>

const UNITS: Readonly<Record<string, PeriodUnit>> = {
  min: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
}
const SPAN = /^(\d{1,9})(min|h|d|w|mo|y)$/
const SPAN_FORM = 'a number and a unit: min, h, d, w, mo or y (15min, 1d, 8w, 3mo)'
const CALL = /^([A-Za-z_]+)\(([^()]*)\)$/
const COLUMN_FORM =
  'sleep.efficiency, activity.steps, sleep.index, timeseries.blood_pressure.systolic, ' +
  'steps (the value of a timeseries) or source_type'

/**
 * One query of the flags. A column is `table.column`, `table.index`, `timeseries.resource` or
 * `timeseries.resource.field`, a bare resource (its value) or `resource.field`, or a source column. Group keys are
 * selected by themselves, first. Throws a ServiceError `usage` that names what is allowed and the nearest names.
 */
export function queryFromFlags(flags: QueryFlags): QueryBatchInput {
  if (flags.select.length === 0)
    throw usage("--select names at least one column or function, as in 'mean(sleep.efficiency)'")
  const past = spanOf(flags.past)
  if (!past) throw usage(`--past is ${SPAN_FORM}`)
  if (parseDate(flags.anchor) === undefined) throw usage('--anchor is a calendar date, YYYY-MM-DD')
  const items = flags.select.map(selectItem)
  const table = items.map(tableOf).find(each => each !== undefined)
  const groupBy = flags.groupBy.map(text => groupItem(text, table))
  return {
    timeframe: { type: 'relative', anchor: flags.anchor, past },
    queries: [
      {
        select: groupBy.length > 0 ? [{ group_key: '*' }, ...items] : items,
        ...(groupBy.length > 0 ? { group_by: groupBy } : {}),
        ...(flags.where === undefined ? {} : { where: flags.where }),
      },
    ],
  }
}

function selectItem(text: string): SelectItem {
  const trimmed = text.trim()
  const call = CALL.exec(trimmed)
  if (!call) {
    if (/[()]/.test(trimmed)) throw usage("--select: a function is written func(column), as in 'sum(steps)'")
    return columnOf(trimmed, '--select')
  }
  const [func, inner] = [call[1] as string, (call[2] as string).trim()]
  const functions = AGGREGATE_FUNCTIONS.map(each => each.name)
  if (!functions.some(each => each === func)) throw unknown('--select', 'function', func, functions)
  const arg = columnOf(inner, '--select')
  if ('source' in arg) throw usage(`--select: ${inner} is a source column: select it as it is, or as ${TABLE_COLUMN}`)
  return { func, arg }
}

const TABLE_COLUMN = 'a column of a table (sleep.source_type)'

function groupItem(text: string, table: string | undefined): GroupItem {
  const trimmed = text.trim()
  const span = spanOf(trimmed)
  const part = DATE_PARTS.find(each => each === trimmed)
  if (span || part) {
    if (table === undefined) throw usage('--group-by: no --select names a table whose time could be grouped')
    const arg = { index: table }
    return part ? { date_part: part, arg } : { date_trunc: span as Period, arg }
  }
  // What is no known column may have been meant as a part of a date.
  if (/^[\w-]*$/.test(trimmed) && !isColumnName(trimmed)) {
    const known = [...DATE_PARTS, ...columnNames()]
    throw usage(
      `--group-by: unknown key "${trimmed}".${didYouMean(trimmed, known)} A key is a bucket (${SPAN_FORM}), a part ` +
        `(${DATE_PARTS.join(', ')}) or a column`,
    )
  }
  const column = columnOf(trimmed, '--group-by')
  if ('index' in column) throw usage('--group-by: group an index by a bucket (1d) or a part (weekday)')
  return column
}

function columnOf(text: string, flag: string): Column | { source: string } {
  const [head, ...rest] = text.split('.') as [string, ...string[]]
  if (rest.length === 0) {
    if (TIMESERIES_SOURCE.some(each => each.name === head) || head === 'source_device_id') return { source: head }
    if (queryResource(head)) return fieldOf(head, undefined, flag)
    throw unknown(flag, 'column', head, columnNames())
  }
  if (head === 'timeseries') {
    const [resource, field, ...more] = rest as [string, ...string[]]
    if (more.length > 0) throw usage(`${flag}: a timeseries column is timeseries.resource.field`)
    return resource === 'index' && field === undefined ? { index: 'timeseries' } : fieldOf(resource, field, flag)
  }
  if (queryResource(head)) return fieldOf(head, rest.join('.'), flag)
  const table = summaryTable(head)
  if (!table) {
    if ((LATER_TABLES as readonly string[]).includes(head)) {
      throw usage(`${flag}: the table ${head} cannot be queried in this version; there are ${QUERY_TABLES.join(', ')}`)
    }
    throw unknown(flag, 'table', head, [...QUERY_TABLES, ...QUERY_RESOURCES.map(each => each.queryName)])
  }
  const name = rest.join('.')
  if (name === 'index') return { index: head }
  const names = table.columns.map(each => each.name)
  if (!names.includes(name)) throw unknown(flag, `column of ${head}`, name, [...names, 'index'])
  return { [head]: name } as Column
}

/** `field` undefined is the value. */
function fieldOf(resourceName: string, field: string | undefined, flag: string): Column {
  const resource = queryResource(resourceName)
  if (!resource)
    throw unknown(
      flag,
      'timeseries resource',
      resourceName,
      QUERY_RESOURCES.map(each => each.queryName),
    )
  const names = timeseriesFields(resource).map(each => each.name)
  const wanted = field ?? 'value'
  if (!names.includes(wanted)) {
    if (field === undefined)
      throw usage(`${flag}: ${resourceName} has no single value; its fields are ${names.join(', ')}`)
    throw unknown(flag, `field of ${resourceName}`, wanted, names)
  }
  return { timeseries: resource.queryName, field: wanted }
}

function tableOf(item: SelectItem): string | undefined {
  if ('func' in item) return tableOf(item.arg)
  if ('index' in item) return item.index
  if ('timeseries' in item) return 'timeseries'
  return Object.keys(item).find(key => summaryTable(key))
}

function spanOf(text: string): Period | undefined {
  const found = SPAN.exec(text.trim())
  const value = Number(found?.[1])
  return found && value >= 1 ? { unit: UNITS[found[2] as string] as PeriodUnit, value } : undefined
}

function columnNames(): string[] {
  return [...QUERY_RESOURCES.map(each => each.queryName), ...TIMESERIES_SOURCE.map(each => each.name)]
}

function isColumnName(text: string): boolean {
  return queryResource(text) !== undefined || text.startsWith('source_')
}

function unknown(flag: string, what: string, name: string, known: readonly string[]): ServiceError {
  const hint = didYouMean(name, known)
  const all = known.length <= 12 ? ` There are ${known.join(', ')}.` : ''
  return usage(`${flag}: unknown ${what} "${name}".${hint}${all} A column is ${COLUMN_FORM}`)
}

function usage(message: string): ServiceError {
  return new ServiceError('usage', message)
}
