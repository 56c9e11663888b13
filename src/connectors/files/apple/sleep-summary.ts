/** Turns a sleep session of an export into its two summaries, `sleep` and `sleep_cycle`. */
import { ownedId, type UserId } from '../../../core/ids.ts'
import { NO_OFFSET, type SummaryRecord } from '../../../core/sample.ts'
import { formatDate, formatInstant, HOUR_MS, SECOND_MS } from '../../../core/time.ts'
import type { SleepSession, SleepStage } from './sleep.ts'

/** A session of at least this length is a `long_sleep`. */
const LONG_SLEEP_MS = 3 * HOUR_MS
const AWAKE: SleepStage = 4

/**
 * Returns both summaries of a session. The ids are derived from user, source type and start, so importing the same session again gives the
 * same summaries.
 */
export function sleepSummaries(
  userId: UserId,
  provider: string,
  session: SleepSession,
): readonly [SummaryRecord, SummaryRecord] {
  const { sourceType, start, end } = session
  const offset = session.endOffset === NO_OFFSET ? null : session.endOffset
  const date = formatDate(end + (offset ?? 0) * SECOND_MS)
  const sleepId = ownedId(userId, 'sleep', provider, sourceType, start)
  const common = { provider, sourceType, appId: null, deviceId: null, at: end, date, offset }
  return [
    { ...common, kind: 'sleep', id: sleepId, document: sleepDocument(session, date, offset) },
    {
      ...common,
      kind: 'sleep_cycle',
      id: ownedId(userId, 'sleep_cycle', provider, sourceType, start),
      document: cycleDocument(session, provider, sleepId),
    },
  ]
}

function sleepDocument(session: SleepSession, date: string, offset: number | null): Readonly<Record<string, unknown>> {
  const { start, end, stages } = session
  const spentMs = (wanted: (stage: SleepStage) => boolean): number =>
    stages.reduce((sum, each) => (wanted(each.stage) ? sum + each.end - each.start : sum), 0)
  const spent = (wanted: SleepStage): number => seconds(spentMs(stage => stage === wanted))
  const asleepMs = spentMs(stage => stage !== AWAKE)
  const asleep = stages.find(each => each.stage !== AWAKE)
  return {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    bedtime_start: formatInstant(start),
    bedtime_stop: formatInstant(end),
    type: end - start >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep',
    timezone_offset: offset,
    duration: seconds(end - start),
    total: seconds(asleepMs),
    awake: spent(AWAKE),
    light: spent(2),
    rem: spent(3),
    deep: spent(1),
    score: null,
    hr_lowest: null,
    hr_average: null,
    hr_resting: null,
    efficiency: asleep === undefined ? null : Math.round((asleepMs / (end - start)) * 10_000) / 100,
    latency: asleep === undefined || !session.hasBedTime ? null : seconds(asleep.start - start),
    temperature_delta: null,
    skin_temperature: null,
    hr_dip: null,
    state: 'confirmed',
    average_hrv: null,
    respiratory_rate: null,
    recovery_readiness_score: null,
  }
}

function cycleDocument(session: SleepSession, provider: string, sleepId: string): Readonly<Record<string, unknown>> {
  const { start, end, stages, sourceType } = session
  return {
    sleep_id: sleepId,
    session_start: formatInstant(start),
    session_end: formatInstant(end),
    stage_start_offset_second: stages.map(each => seconds(each.start - start)),
    stage_end_offset_second: stages.map(each => seconds(each.end - start)),
    stage_type: stages.map(each => each.stage),
    time_zone: null,
    source_provider: provider,
    source_type: sourceType,
    source_app_id: null,
    source_device_id: null,
  }
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS)
}
