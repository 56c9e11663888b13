/** Shared by views of merged data: which days to query, which sources have data, and texts about sources. */
import { readableName } from '../../../catalogue/wording.ts'
import type { Input, ResponseOf } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import type { View } from '../../parts/chart/series.ts'
import { DAY, floatingDate } from '../../parts/floating.ts'
import { sourceText, type TimeseriesResource } from './resources.ts'

export type Batch = NonNullable<Input<'aggregate.query'>['body']>
export type Query = Batch['queries'][number]
export type Table = ResponseOf<'aggregate.query'>['results'][number]['table']

/** Resources of summaries that aggregate queries merge, with their tables. */
const SESSION_TABLES: Readonly<Record<string, string>> = { sleep: 'sleep', workouts: 'workout' }

/** Returns whether aggregate queries can read the resource. */
export function isQueried({ resource, shape }: TimeseriesResource): boolean {
  return resource !== 'hypnogram' && shape !== 'text'
}

/** Returns whether a view of the resource can merge sources. */
export function isMergeable(name: string, timeseries: TimeseriesResource | null): boolean {
  return timeseries === null ? name in SESSION_TABLES : isQueried(timeseries)
}

/** Returns the timeframe with all days of a view. */
export function wholeDays({ from, to }: View): Batch['timeframe'] {
  const [first, last] = [Math.floor(from / DAY), Math.floor((to - 1) / DAY)]
  // a number of hours ends with the anchor's last one, but a number of days also includes the day before the first one
  return {
    type: 'relative',
    anchor: floatingDate(last * DAY),
    past: { unit: 'hour', value: Math.max(1, last - first + 1) * 24 },
  }
}

/** Returns the names of a resource's values in queries. */
export function valueFields({ shape }: TimeseriesResource): readonly string[] {
  return shape === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']
}

/** Group keys that tell all sources apart, and so show what each one contributes to a merged group. */
export const BY_SOURCE = ['source_provider', 'source_type', 'source_app_id'].map(source => ({ source }))

/** Returns a query for the sources and kinds that are stored, before merging. */
export function storedQuery(resource: TimeseriesResource): Query {
  const [field = 'value'] = valueFields(resource)
  const arg = { timeseries: resource.event_name, field }
  return {
    // only a function of the value, such as the mean, adds the kind
    select: [{ group_key: '*' }, { func: 'count', arg }, { func: 'mean', arg }],
    group_by: BY_SOURCE,
    mixed_kinds: 'split',
  }
}

/** What is stored of a resource, before merging. */
export interface Stored {
  readonly kinds: readonly string[]
  /** Names of the sources. */
  readonly sources: readonly string[]
  /** Names the source in a row of columns `BY_SOURCE`. */
  readonly nameOf: (provider: unknown, type: unknown, app: unknown) => string
}

/** Reads the result of `storedQuery`. */
export function readStored(table: Table | undefined): Stored {
  const [providers = [], types = [], apps = []] = Object.values(table ?? {})
  const short = providers.map((provider, row) => sourceText({ provider: `${provider}`, type: `${types[row]}` }))
  const appsOf = (name: string) => new Set(apps.filter((_app, row) => short[row] === name))
  const nameOf: Stored['nameOf'] = (provider, type, app) => {
    const name = sourceText({ provider: `${provider}`, type: `${type}` })
    // apps are long, so they are named only where nothing else differs
    return appsOf(name).size > 1 ? `${name} · ${app ?? 'no app'}` : name
  }
  return {
    kinds: [...new Set(kindColumn(table).map(kind => `${kind}`))],
    sources: [...new Set(providers.map((provider, row) => nameOf(provider, types[row], apps[row])))],
    nameOf,
  }
}

/** Returns the column of kinds that `mixed_kinds: split` adds; an empty list for a resource without kinds. */
export function kindColumn(table: Table = {}): Table[string] {
  return Object.entries(table).find(([name]) => name.endsWith('.kind'))?.[1] ?? []
}

/** Returns the parts of a query for one kind, so that kinds are merged separately. */
export function onlyKind({ event_name: name }: TimeseriesResource, kind: string | undefined): Partial<Query> {
  return { merge: true, mixed_kinds: 'split', ...(kind === undefined ? {} : { where: `${name}.kind = '${kind}'` }) }
}

/** Returns the condition for the rows of one kind and one type; undefined for all rows. */
export function onlyOf(
  { event_name: name }: TimeseriesResource,
  { kind, type }: { readonly kind?: unknown; readonly type?: unknown },
): string | undefined {
  const parts = Object.entries({ kind, type }).flatMap(([field, value]) =>
    value === undefined ? [] : [value === null ? `${name}.${field} IS NULL` : `${name}.${field} = '${value}'`],
  )
  return parts.length === 0 ? undefined : parts.join(' AND ')
}

/** A source and its share of a merged result, from 0 to 1. */
export interface Share {
  readonly source: string
  readonly share: number
}

const LIST = new Intl.ListFormat('en')

/** Returns a list such as `oura · ring (70 %) and garmin · watch (30 %)`, without percentages if there is only one source. */
export function sharesText(shares: readonly Share[]): string {
  const isAlone = shares.length === 1
  return LIST.format(shares.map(({ source, share }) => (isAlone ? source : `${source} (${percent(share)})`)))
}

/** Returns a share from 0 to 1 as a whole percentage. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100)
  if (share > 0 && rounded === 0) return 'under 1\u00a0%'
  return share < 1 && rounded === 100 ? 'over 99\u00a0%' : `${rounded}\u00a0%`
}

/** Returns items as a list in a sentence: "a, b, and c". */
export function listText(items: readonly string[]): string {
  return LIST.format(items)
}

/** Returns a kind of value, such as `SDNN` or `night mean`. */
export function kindText(kind: unknown): string {
  return readableName(`${kind}`)
}

/** Handles the error for a team without access to aggregate queries, because it can still read what is stored. */
export function notAvailable(error: unknown): null {
  if (error instanceof Problem && (error.status === 403 || error.status === 422)) return null
  throw error
}
