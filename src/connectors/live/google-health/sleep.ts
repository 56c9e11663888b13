/** Turns the sleep sessions of Google Health into sleep and sleep cycle summaries. */
import { ownedId } from '../../../core/ids.ts'
import type { SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, formatDate, formatInstant, HOUR_MS, readInstant, SECOND_MS } from '../../../core/time.ts'
import type { ProviderRecord, PullRequest } from '../../connector.ts'
import { asList, type JsonObject, member } from '../../files/json/fields.ts'
import { type CollectedPage, recordOf, versionOf } from '../collected-page.ts'
import { PROVIDER } from './data-types.ts'
import { numberAt, type Point, type PointInterval, readInterval } from './point.ts'

/** Stages by name, as sleep cycles number them: -1 asleep without a stage, 1 deep, 2 light, 3 rem, 4 awake. */
export const SLEEP_STAGES: Readonly<Record<string, number>> = {
  AWAKE: 4,
  LIGHT: 2,
  DEEP: 1,
  REM: 3,
  ASLEEP: -1,
  RESTLESS: 4,
}
const AWAKE = 4
const LONG_SLEEP_MS = 3 * HOUR_MS
/** Parts of a session that are read. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'interval',
  'type',
  'stages',
  'metadata',
  'summary',
  'createTime',
  'updateTime',
])

interface Piece {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly stage: number
}

/** Returns the record of a sleep session; undefined, and counted, if it cannot be read. */
export function sleepRecord(point: Point, asked: PullRequest, page: CollectedPage): ProviderRecord | undefined {
  const { body, id } = point
  const interval = readInterval(body)
  if (interval === undefined) {
    page.skip('sleep without a time')
    return undefined
  }
  for (const key in body) if (!KNOWN_KEYS.has(key) && body[key] !== null) page.skip(`sleep.${key}`)
  const recordId = id ?? formatInstant(interval.start.ms)
  const pieces = piecesOf(body, page)
  const { ms: at, offset } = interval.end
  const date = formatDate(at + (offset ?? 0) * SECOND_MS)
  const source = { provider: PROVIDER, sourceType: point.sourceType ?? 'watch', appId: null, deviceId: null }
  const sleepId = ownedId(asked.userId, 'sleep', PROVIDER, recordId)
  const common = { ...source, at, date, offset }
  const summaries: SummaryRecord[] = []
  if (asked.resources.includes('sleep')) {
    summaries.push({ ...common, kind: 'sleep', id: sleepId, document: sleepDocument(body, interval, pieces, date) })
  }
  if (asked.resources.includes('sleep_cycle') && pieces.length > 0) {
    const cycleId = ownedId(asked.userId, 'sleep_cycle', PROVIDER, recordId)
    const document = cycleDocument(interval, pieces, sleepId, source.sourceType)
    summaries.push({ ...common, kind: 'sleep_cycle', id: cycleId, document })
  }
  return recordOf(recordId, versionOf(body, asked.resources), { summaries })
}

/** Returns the stages, ascending and without those that are unknown. */
function piecesOf(body: JsonObject, page: CollectedPage): readonly Piece[] {
  const pieces: Piece[] = []
  for (const each of asList(body['stages'])) {
    const start = readInstant(member(each, 'startTime'))
    const end = readInstant(member(each, 'endTime'))
    const stage = SLEEP_STAGES[String(member(each, 'type'))]
    if (start === undefined || end === undefined || end <= start || stage === undefined)
      page.skip('sleep.stages of an unknown kind')
    else pieces.push({ start, end, stage })
  }
  return pieces.sort((a, b) => a.start - b.start)
}

function sleepDocument(
  body: JsonObject,
  { start, end }: PointInterval,
  pieces: readonly Piece[],
  date: string,
): Readonly<Record<string, unknown>> {
  const duration = seconds(end.ms - start.ms)
  const spent = (wanted: (stage: number) => boolean): number =>
    seconds(pieces.reduce((sum, each) => (wanted(each.stage) ? sum + each.end - each.start : sum), 0))
  const hasStages = pieces.length > 0
  const total = hasStages ? spent(stage => stage !== AWAKE) : minutes(body, 'minutesAsleep')
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    bedtime_start: formatInstant(start.ms),
    bedtime_stop: formatInstant(end.ms),
    type: typeOf(body, end.ms - start.ms),
    timezone_offset: end.offset,
    duration,
    total: total ?? duration,
    awake: (hasStages ? spent(stage => stage === AWAKE) : minutes(body, 'minutesAwake')) ?? 0,
    light: spent(stage => stage === 2),
    rem: spent(stage => stage === 3),
    deep: spent(stage => stage === 1),
    score: null,
    hr_lowest: null,
    hr_average: null,
    hr_resting: null,
    efficiency: total === undefined || duration === 0 ? null : Math.round((total / duration) * 10_000) / 100,
    latency: minutes(body, 'minutesToFallAsleep') ?? null,
    temperature_delta: null,
    skin_temperature: null,
    hr_dip: null,
    // stages of a session that is still processed are to come
    state: member(body['metadata'], 'processed') === false ? 'tentative' : 'confirmed',
    average_hrv: null,
    respiratory_rate: null,
    recovery_readiness_score: null,
  }
}

function typeOf({ metadata }: JsonObject, durationMs: number): string {
  if (member(metadata, 'nap') === true) return 'acknowledged_nap'
  return member(metadata, 'mainSleep') === true || durationMs >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep'
}

function cycleDocument(
  { start, end }: PointInterval,
  pieces: readonly Piece[],
  sleepId: string,
  sourceType: string,
): Readonly<Record<string, unknown>> {
  return {
    sleep_id: sleepId,
    session_start: formatInstant(start.ms),
    session_end: formatInstant(end.ms),
    stage_start_offset_second: pieces.map(each => seconds(each.start - start.ms)),
    stage_end_offset_second: pieces.map(each => seconds(each.end - start.ms)),
    stage_type: pieces.map(each => each.stage),
    time_zone: null,
    source_provider: PROVIDER,
    source_type: sourceType,
    source_app_id: null,
    source_device_id: null,
  }
}

function minutes(body: JsonObject, field: string): number | undefined {
  const value = numberAt(body, `summary.${field}`)
  return value === undefined ? undefined : value * 60
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS)
}
