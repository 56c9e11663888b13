/**
 * Builds the request body of an aggregate query from command-line flags: `--select 'mean(sleep.efficiency)' --group-by
 * 1d`.
 */
import { LABS } from '../../catalogue/labs/labs.ts'
import { loadProviders } from '../../catalogue/own-providers.ts'
import { MACRO_TABLE } from '../../catalogue/query/macros.ts'
import { QUERY_TABLES, queryResource, summaryTable } from '../../catalogue/query-columns.ts'
import { DATE_PARTS, type PeriodUnit } from '../../catalogue/query-functions.ts'
import {
  type Align,
  type CarryMode,
  type GroupItem,
  INNER_TABLE,
  type Period,
  type QueryBatchInput,
  type SelectItem,
} from '../../contract/aggregates/aggregate.ts'
import { didYouMean, ServiceError } from '../../core/errors.ts'
import { parseDate } from '../../core/time.ts'
import { splitAlias } from './aggregate-flag-alias.ts'
import { columnNamed, columnWords, fullColumnNames, usageError } from './aggregate-flag-columns.ts'
import { innerNames, NESTED_FORM, outerItem } from './aggregate-flag-nested.ts'
import { selectItem } from './aggregate-flag-select.ts'
import { tableFromColumns } from './aggregate-flag-table.ts'

export interface QueryFlags {
  /**
   * `func(column)`, a column, `group_key.0`, `mean(count(list where …))`, each optionally with `as NAME`; see `selectItem` and
   * `columnNamed`.
   */
  readonly select: readonly string[]
  /** `15min`, `1h`, `1d`, `1w`, `3mo`, `1y`, a date part, or a column. `sleep.1d` also selects the table whose time column is used. */
  readonly groupBy: readonly string[]
  /** Like `groupBy`, but for the inner query of nested functions such as `mean(sum(steps))`; absent if nothing is nested. */
  readonly per?: readonly string[] | undefined
  readonly where?: string | undefined
  /** `90min`, `24h`, `7d`, `8w`, `3mo`, `1y`. */
  readonly past: string
  /** `YYYY-MM-DD`. */
  readonly anchor: string
  /** `forward`, `backward:7d`, `nearest:3d`. */
  readonly align?: string | undefined
  /** Providers to prefer among sources of the same type, best first, such as `oura,garmin`. */
  readonly priority?: string | undefined
  /** Whether sources are merged. */
  readonly merge?: boolean | undefined
  /** What happens if a number would mix kinds of values. */
  readonly mixedKinds?: Built['mixed_kinds']
}

const UNITS: Readonly<Record<string, PeriodUnit>> = {
  min: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
}
const SPAN = /^(\d{1,9})(min|h|d|w|mo|y)$/
const SPAN_FORM = 'a number and a unit: min, h, d, w, mo or y, as in 15min, 1d, 8w or 3mo'
const CARRIES: Readonly<Record<string, CarryMode>> = {
  forward: 'carry_forward',
  backward: 'carry_backward',
  nearest: 'carry_nearest',
}

/**
 * Builds one query from the flags. Selects all group keys first, unless a --select names one. Throws a ServiceError `usage` with the
 * allowed forms and the nearest names.
 */
export function queryFromFlags(flags: QueryFlags): QueryBatchInput {
  if (flags.select.length === 0)
    throw usageError("--select needs at least one column or function, as in 'mean(sleep.efficiency)'.")
  const past = parseBucket(flags.past)
  if (!past) throw new ServiceError('usage', `--past must be ${SPAN_FORM}.`)
  if (parseDate(flags.anchor) === undefined) {
    throw new ServiceError('usage', '--anchor must be a calendar date, YYYY-MM-DD.')
  }
  const query = flags.per === undefined ? oneQuery(flags) : nestedQuery({ ...flags, per: flags.per })
  const overrides = flags.priority === undefined ? undefined : parsePriorities(flags.priority)
  return {
    timeframe: { type: 'relative', anchor: flags.anchor, past },
    queries: [
      {
        ...query,
        ...(flags.merge === undefined ? {} : { merge: flags.merge }),
        ...(flags.mixedKinds ? { mixed_kinds: flags.mixedKinds } : {}),
      },
    ],
    ...(overrides === undefined ? {} : { config: { provider_priority_overrides: overrides } }),
  }
}

type Built = QueryBatchInput['queries'][number]
type QueryParts = Pick<QueryFlags, 'select' | 'groupBy' | 'where' | 'align'>

/** Builds one query. `keysFrom` is the flag to name in error messages about group keys. */
function oneQuery(flags: QueryParts, keysFrom = '--group-by'): Built {
  const selected = flags.select.map(text => splitAlias(text).item)
  const queried = tableFromColumns([...selected, ...flags.groupBy.filter(text => !isTime(text.trim()))])
  const items = selected.map(text => selectItem(text, queried))
  const table = queried ?? tableNamed(items)
  const groupBy = flags.groupBy.map(text => groupItem(text.trim(), table, keysFrom))
  checkGrouping(flags, items)
  const align = flags.align === undefined ? undefined : parseAlign(flags.align)
  return {
    select: withKeys(items, groupBy),
    ...(groupBy.length > 0 ? { group_by: groupBy } : {}),
    ...(flags.where === undefined ? {} : { where: flags.where }),
    ...(align === undefined ? {} : { align }),
  }
}

/** Selects all group keys first, unless an item names one. */
function withKeys(items: readonly SelectItem[], groupBy: readonly GroupItem[]): SelectItem[] {
  const namesKeys = items.some(item => 'group_key' in item)
  return groupBy.length > 0 && !namesKeys ? [{ group_key: '*' }, ...items] : [...items]
}

/** Builds a query over the result of another one: `where` filters the data, `align` fills the buckets of the result. */
function nestedQuery(flags: QueryParts & { readonly per: readonly string[] }): Built {
  const items = flags.select.map(text => outerItem(splitAlias(text).item))
  const texts = [...new Set(items.flatMap(item => ('inner' in item ? [item.inner] : [])))]
  if (texts.length === 0) throw usageError(`--per: no --select has a function inside a function. ${NESTED_FORM}`)
  const query = oneQuery({ select: texts, groupBy: flags.per, where: flags.where }, '--per')
  const names = innerNames(query.select)
  const select = items.map((item): SelectItem => {
    if (!('inner' in item)) return item
    return { func: item.func, arg: { query: names[texts.indexOf(item.inner)] ?? '' } }
  })
  const groupBy = flags.groupBy.map(text => outerKey(text.trim(), flags.per))
  checkGrouping(flags, select)
  const align = flags.align === undefined ? undefined : parseAlign(flags.align)
  return {
    from: { query },
    select: withKeys(select, groupBy),
    ...(groupBy.length > 0 ? { group_by: groupBy } : {}),
    ...(align === undefined ? {} : { align }),
  }
}

/** Returns a group key for an outer query: a bucket or date part of the inner bucket's start, or a key of the inner query. */
function outerKey(text: string, per: readonly string[]): GroupItem {
  const span = parseBucket(text)
  const arg = { index: INNER_TABLE }
  if (span !== undefined) return { date_trunc: span, arg }
  if (DATE_PARTS.some(each => each === text)) return { date_part: text, arg }
  const key = per.findIndex(each => each.trim() === text)
  if (key !== -1) return { query: `group_key.${key}` }
  throw usageError(
    `--group-by: with --per, "${text}" must be a bucket (${SPAN_FORM}), a part of a date, or one of the keys of --per (${per.join(', ')}).`,
  )
}

/** Returns the slugs of `oura,garmin`. Throws a ServiceError `usage` that suggests the nearest names. */
export function parsePriorities(text: string, flag = '--priority'): string[] {
  const slugs = text.split(',').map(each => each.trim())
  const { all } = loadProviders(process.env['SVC_PROVIDERS'])
  const known = [...all, ...LABS].map(each => each.slug)
  const refused = (why: string) =>
    new ServiceError('usage', `${flag}${why}`, { suggestions: ['`svc provider list` lists the providers.'] })
  for (const [i, slug] of slugs.entries()) {
    if (slug === '') throw refused(' must be a list of providers separated by commas, such as oura,garmin.')
    if (!known.includes(slug)) throw refused(`: unknown provider "${slug}".${didYouMean(slug, known)}`)
    if (slugs.indexOf(slug) < i) throw refused(` lists ${slug} twice.`)
  }
  return slugs
}

/** Throws for flags that need groups when there are none, and for a list that a grouped query cannot return. */
function checkGrouping(flags: QueryParts, items: readonly SelectItem[]): void {
  if (flags.groupBy.length > 0) {
    const bare = items.findIndex(item => 'from' in item)
    const text = flags.select[bare]
    if (text === undefined) return
    throw usageError(`--select: with --group-by, apply a function to the value of a list, as in mean(${text}).`)
  }
  if (flags.align !== undefined)
    throw new ServiceError('usage', '--align fills empty buckets, so it needs --group-by with a bucket such as 1d.')
  if (items.some(item => 'group_key' in item))
    throw usageError('--select contains a group key, but there is no --group-by.')
}

function parseAlign(text: string): Align {
  const [name = '', cap, ...more] = text.split(':')
  const mode = CARRIES[name]
  const form = '--align must be forward, backward or nearest, optionally with a maximum distance, as in forward:14d.'
  if (mode === undefined)
    throw new ServiceError(
      'usage',
      `--align: unknown direction "${name}".${didYouMean(name, Object.keys(CARRIES))} ${form}`,
    )
  if (more.length > 0) throw new ServiceError('usage', form)
  const period = cap === undefined ? undefined : parseBucket(cap)
  if (cap !== undefined && period === undefined) {
    throw new ServiceError('usage', `${form} The distance must be ${SPAN_FORM}.`)
  }
  if (mode === 'carry_nearest') return { carry: { mode, ...(period ? { span: period } : {}) } }
  return { carry: { mode, ...(period ? { max_age: period } : {}) } }
}

/** Splits `1d` and `sleep.1d`, `weekday` and `sleep.weekday` into the table, if any, and the bucket or part. */
function timeKey(text: string): [table: string | undefined, key: { readonly text: string } | undefined] {
  const dot = text.indexOf('.')
  const table = dot === -1 ? undefined : text.slice(0, dot)
  const key = dot === -1 ? text : text.slice(dot + 1)
  if (table !== undefined && !QUERY_TABLES.includes(table)) return [undefined, undefined]
  return isTime(key) ? [table, { text: key }] : [undefined, undefined]
}

function isTime(key: string): boolean {
  return parseBucket(key) !== undefined || DATE_PARTS.some(each => each === key)
}

function groupItem(text: string, table: string | undefined, flag: string): GroupItem {
  const [named, key] = timeKey(text)
  if (key) {
    const of = named ?? table
    if (of === undefined) {
      throw usageError(
        `${flag}: no --select names a table, so it is unclear whose time to group by. Put the table in front, as in sleep.${text}.`,
      )
    }
    const arg = { index: of }
    const span = parseBucket(key.text)
    return span ? { date_trunc: span, arg } : { date_part: key.text, arg }
  }
  // A word that is not a known column may be a misspelled date part.
  if (
    /^[\w-]*$/.test(text) &&
    !columnWords().includes(text) &&
    !summaryTable(text) &&
    fullColumnNames(text).length === 0
  ) {
    const known = [...DATE_PARTS, ...columnWords()]
    throw usageError(
      `${flag}: unknown key "${text}".${didYouMean(text, known)} A key must be a bucket (${SPAN_FORM}), a part of a date ` +
        `(${DATE_PARTS.join(', ')}) or a column.`,
    )
  }
  const [resource = '', time = '', ...more] = text.split('.')
  if (queryResource(resource) && more.length === 0 && isTime(time)) {
    throw usageError(`${flag}: ${resource} has no index of its own. Use the index of its table: timeseries.${time}.`)
  }
  const column = columnNamed(text, flag, table)
  if ('index' in column)
    throw usageError(`${flag}: an index needs a bucket or a part of a date, as in sleep.1d or sleep.weekday.`)
  return column
}

/** Returns the table of the first item that names one. */
function tableNamed(items: readonly SelectItem[]): string | undefined {
  for (const item of items) {
    const table = findTable(item)
    if (table !== undefined) return table
  }
  return undefined
}

function findTable(item: SelectItem): string | undefined {
  if ('func' in item) return item.arg === null ? undefined : findTable(item.arg)
  if ('from' in item) return findTable(item.from.unnest)
  if ('value_macro' in item) return MACRO_TABLE
  if ('index' in item) return item.index
  if ('timeseries' in item) return 'timeseries'
  return Object.keys(item).find(key => summaryTable(key))
}

function parseBucket(text: string): Period | undefined {
  const [, value, letter = ''] = SPAN.exec(text.trim()) ?? []
  const unit = UNITS[letter]
  return unit && Number(value) >= 1 ? { unit, value: Number(value) } : undefined
}
