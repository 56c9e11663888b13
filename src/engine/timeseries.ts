/** Grouped timeseries: pages of samples in one time order, grouped by provider and source (interface.md 2.4, 4.1). */
import { resourceNamed, type TimeseriesResource } from '../catalogue/resources.ts'
import type { ReplyBody } from '../contract/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { invalid, ServiceError } from '../core/errors.ts'
import { NO_OFFSET, type SampleColumns, type SeriesKey, textAt } from '../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant, instantOf, parseDate, parseDateTime } from '../core/time.ts'
import type { SeriesSlice } from '../store/port.ts'
import { type Handler, ok } from './context.ts'
import { openCursor, sealCursor, type Walk } from './cursor.ts'
import { knownProvider } from './providers.ts'
import { activeUser } from './users.ts'

type Grouped = ReplyBody<Operations['timeseries.grouped']>
type Group = Grouped['groups'][string][number]

export const groupedTimeseries: Handler<'timeseries.grouped'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const resource = resourceNamed(params.resource) as TimeseriesResource
  const { removed } = resource
  if (removed && formatDate(call.now) >= removed.on) {
    const what = `The ${resource.name} timeseries was removed on ${removed.on}`
    throw new ServiceError('gone', `${what}; ${removed.replacedBy} replaces it.`)
  }
  if (query.provider !== '') knownProvider(query.provider, ['query', 'provider'])
  const from = startOf(query.start_date)
  const end = query.end_date ? endOf(query.end_date) : null
  if (end !== null && end < from) {
    throw invalid([{ loc: ['query', 'end_date'], msg: 'must not be before start_date', type: 'value_error' }])
  }
  const walk: Walk = {
    teamId: call.team.teamId,
    userId: user.userId,
    resource: resource.name,
    provider: query.provider,
    from,
    to: end ?? 'open',
  }
  const cursor = query.next_cursor || query.cursor
  const state = cursor ? openCursor(engine.masterKey(), walk, cursor) : null
  const to = state?.to ?? end ?? call.now
  const page = await engine.store.samplePage(
    user.userId,
    { resource: resource.name, provider: query.provider || null, from, to },
    state?.after ?? null,
    engine.pageSize,
  )
  const next = page.next && sealCursor(engine.masterKey(), walk, { after: page.next, to })
  return ok({ groups: groupsOf(resource, page.slices), next_cursor: next, next })
}

/** A date without time means 00:00:00; without an offset it is read in UTC (interface.md 4.1). */
function startOf(text: string): EpochMs {
  return parseDate(text) ?? instant(text)
}

/** A date without time means 23:59:59: up to the end of that second, so that no sample falls between two days. */
function endOf(text: string): EpochMs {
  const day = parseDate(text)
  return day === undefined ? instant(text) : day + DAY_MS - 1
}

function instant(text: string): EpochMs {
  const parsed = parseDateTime(text)
  if (!parsed) throw new Error('a date-time that the contract let through')
  return instantOf(parsed)
}

function groupsOf(resource: TimeseriesResource, slices: readonly SeriesSlice[]): Record<string, Group[]> {
  const groups: Record<string, Group[]> = {}
  for (const { series, columns } of slices) {
    groups[series.provider] ??= []
    const byContext = new Map<string, Group>()
    for (let row = 0; row < columns.n; row++) {
      const key = contextKey(columns, row)
      let group = byContext.get(key)
      if (!group) {
        group = { source: sourceOf(series, columns, row), data: [] }
        byContext.set(key, group)
        ;(groups[series.provider] as Group[]).push(group)
      }
      group.data.push(sampleView(resource, series, columns, row) as Group['data'][number])
    }
  }
  return groups
}

function contextKey({ text }: SampleColumns, row: number): string {
  const code = (name: 'app_id' | 'device_id' | 'sport' | 'workout_id'): number => text.get(name)?.codes[row] ?? 0
  return `${code('app_id')} ${code('device_id')} ${code('sport')} ${code('workout_id')}`
}

function sourceOf(series: SeriesKey, { text }: SampleColumns, row: number): Group['source'] {
  return {
    provider: series.provider,
    type: series.sourceType,
    app_id: textAt(text.get('app_id'), row),
    device_id: textAt(text.get('device_id'), row),
    sport: textAt(text.get('sport'), row),
    workout_id: textAt(text.get('workout_id'), row),
  }
}

/** One sample as it is sent (interface-gaps, shape of a sample). */
export function sampleView(
  resource: TimeseriesResource,
  series: SeriesKey,
  columns: SampleColumns,
  row: number,
): Record<string, unknown> {
  const start = columns.start[row] as number
  const from = formatInstant(start)
  const end = columns.end ? (columns.end[row] as number) : start
  const offset = columns.offset ? (columns.offset[row] as number) : NO_OFFSET
  const view: Record<string, unknown> = {
    timestamp: from,
    start: from,
    end: end === start ? from : formatInstant(end),
    timezone_offset: offset === NO_OFFSET ? null : offset,
    type: series.type ?? textAt(columns.text.get('type'), row),
    unit: resource.unit,
  }
  switch (resource.shape) {
    case 'value':
      view['value'] = columns.value[row]
      break
    case 'blood_pressure':
      view['systolic'] = columns.value[row]
      view['diastolic'] = columns.second?.[row] ?? null
      break
    case 'text':
      view['value'] = textAt(columns.text.get('content'), row) ?? ''
      break
  }
  for (const field of resource.fields) {
    if (field === 'type') continue
    const text = textAt(columns.text.get(field), row)
    view[field] = field === 'tags' && text !== null ? (JSON.parse(text) as string[]) : text
  }
  return view
}
