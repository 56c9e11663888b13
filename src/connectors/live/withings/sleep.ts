/** Reads nights: the summary, and the segments with readings for every minute. */
import { type EpochMs, localDate, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asList, asNumber, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { type Session, STAGES, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { converted, filled, mappedValue, numberAt } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion, isWithin } from '../windows.ts'
import { dataFields, readWithingsSession, type WithingsSession } from './record.ts'
import {
  callApi,
  findZone,
  offsetAt,
  splitIntoDays,
  toDateRange,
  toSecondsRange,
  type WithingsList,
  type WithingsRow,
} from './requests.ts'
import { BREATHING, LOW_BREATHING_BELOW, SLEEP_FIELDS, SLEEP_SERIES, STATES } from './tables.ts'

export const NIGHTS: WithingsList = {
  path: '/v2/sleep',
  list: 'series',
  form: ({ window }) => ({
    action: 'getsummary',
    data_fields: dataFields(SLEEP_FIELDS, [BREATHING]),
    ...toDateRange(window),
  }),
}
/** Source types by the `model` of the device that recorded a night. A mat under the mattress has no source type. */
const DEVICES: Readonly<Record<number, string>> = { 16: 'watch', 32: 'unknown' }

/** A night's segments, and the recording device's model. */
interface Recorded {
  /** The segments, which may overlap and may be in any order. */
  readonly segments: readonly (JsonObject | undefined)[]
  readonly model: number | undefined
}

/** Adds a night. It belongs to the window in which it ends. */
export async function readNight({ row }: WithingsRow, page: LivePage, session: TokenSession): Promise<void> {
  const night = readWithingsSession(row)
  if (night === undefined) return page.skip('getsummary (unreadable)')
  if (isWithin(page.asked, night.end)) addNight(page, night, await fetchSegments(session, night))
}

async function fetchSegments(session: TokenSession, night: Session): Promise<Recorded> {
  // keyed by start, because a segment that is in two parts of the response appears twice
  const segments = new Map<number | undefined, JsonObject | undefined>()
  let model: number | undefined
  const fields = { action: 'get', data_fields: dataFields(SLEEP_SERIES) }
  // it is not documented whether a range includes its ends, so the request adds a minute
  for (const part of splitIntoDays({ from: night.start - MINUTE_MS, to: night.end + MINUTE_MS })) {
    const body = await callApi(session, '/v2/sleep', { ...fields, ...toSecondsRange(part) })
    for (const segment of asList(member(body, 'series')).map(asObject)) {
      const start = numberAt(segment, 'startdate')
      if (!segments.has(start)) segments.set(start, segment)
    }
    model ??= numberAt(body, 'model')
  }
  return { segments: [...segments.values()], model }
}

function addNight(page: LivePage, night: WithingsSession, { segments, model }: Recorded): void {
  const { id, row, start, end } = night
  const zone = findZone(row)
  const offset = offsetAt(zone, end)
  const sourceType = DEVICES[model ?? numberAt(row, 'model') ?? 0] ?? 'watch'
  const date = asText(row['date'])
  const context = {
    date: date !== undefined && parseDate(date) !== undefined ? date : localDate(end, offset),
    offset,
    sourceType,
  }
  const source = page.source(id, context)
  const data = page.view('getsummary.data', asObject(row['data']) ?? {})
  const views = segments.map(segment => segment && page.view('sleep', segment))
  const parts = stageSpans(page, views, night)
  const record = page.record(id, contentVersion(row, segments))
  const readings = views.flatMap(segment => nightReadings(segment, night))
  record.summary(
    sleepSummary(source, night, {
      ...filled(SLEEP_FIELDS, data),
      average_hrv: meanReading(readings, 'hrv'),
      type: sleepType(end - start),
      state: row['completed'] === false ? 'tentative' : 'confirmed',
    }),
  )
  if (parts.length > 0) record.summary(sleepCycle(source, night, parts, zone))
  for (const { resource, start, value, from } of readings) {
    record.samples.add({ resource, sourceType, start, value, offset: offsetAt(zone, start) }, `sleep.${from}`)
  }
  const intensity = mappedValue(BREATHING, data)
  if (intensity !== undefined) {
    const type = intensity < LOW_BREATHING_BELOW ? 'not_elevated' : 'elevated'
    const sample = { resource: BREATHING.to, type, sourceType, start, end, value: intensity, offset }
    record.samples.add(sample, `getsummary.${BREATHING.from}`)
  }
}

/** Returns the stages in ascending order and without overlaps. A gap means that the person was out of bed. */
function stageSpans(page: LivePage, segments: readonly (RecordView | undefined)[], night: Session): StageSpan[] {
  const read = segments.flatMap(segment => {
    const [from, to] = [segment?.number('startdate'), segment?.number('enddate')]
    if (segment === undefined || from === undefined || to === undefined) {
      if (segment === undefined) page.skip('sleep (unreadable)')
      else segment.leaveOut('(unreadable)')
      return []
    }
    const stage = STATES[String(segment.number('state'))]?.stage ?? STAGES.missing
    return [{ stage, start: from * SECOND_MS, end: to * SECOND_MS }]
  })
  const parts: StageSpan[] = []
  let reached: EpochMs | undefined
  for (const { stage, start, end } of read.sort((a, b) => a.start - b.start)) {
    const from = Math.max(start, reached ?? night.start)
    const to = Math.min(end, night.end)
    if (to <= from) continue
    if (reached !== undefined && from > reached) parts.push({ stage: STAGES.awake, start: reached, end: from })
    parts.push({ stage, start: from, end: to })
    reached = to
  }
  return parts
}

interface NightReading {
  readonly resource: string
  readonly start: EpochMs
  readonly value: number
  /** Withings' name for the series. */
  readonly from: string
}

/** Returns a segment's readings, which are maps from epoch seconds to values. */
function nightReadings(segment: RecordView | undefined, night: Session): readonly NightReading[] {
  return SLEEP_SERIES.flatMap(({ from, to, none }) =>
    Object.entries(segment?.object(from) ?? {}).flatMap(([second, each]) => {
      const start = Number(second) * SECOND_MS
      const value = asNumber(each)
      const isReading = value !== undefined && value !== none && start >= night.start && start <= night.end
      return isReading ? [{ resource: to, start, value, from }] : []
    }),
  )
}

function meanReading(readings: readonly NightReading[], resource: string): number | null {
  // two adjacent segments may both include the second in which they meet
  const values = new Map(readings.flatMap(each => (each.resource === resource ? [[each.start, each.value]] : [])))
  if (values.size === 0) return null
  return converted(
    { per: values.size },
    [...values.values()].reduce((sum, value) => sum + value, 0),
  )
}
