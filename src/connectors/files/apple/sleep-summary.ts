/** Converts a sleep session from an export into its two summaries, `sleep` and `sleep_cycle`. */
import type { UserId } from '../../../core/ids.ts'
import { NO_OFFSET, type SummaryRecord } from '../../../core/sample.ts'
import { localDate, SECOND_MS } from '../../../core/time.ts'
import type { HeartValues } from '../../shared/heart-values.ts'
import { STAGES, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import type { SleepSession } from './sleep.ts'

/**
 * Returns both summaries of a session. Their IDs are derived from user, source type and start, so importing the same session again produces
 * the same summaries. A night has the resting heart rate of its date, and the mean of the values of variability within it.
 */
export function sleepSummaries(
  userId: UserId,
  provider: string,
  session: SleepSession,
  heart: HeartValues,
): readonly [SummaryRecord, SummaryRecord] {
  const { sourceType, start, end, stages } = session
  const offset = session.endOffset === NO_OFFSET ? null : session.endOffset
  const recordId = [sourceType, start]
  const origin = { userId, provider, sourceType, recordId, date: localDate(end, offset), offset }
  const fields = {
    ...summaryFields(session),
    hr_resting: sleepType(end - start) === 'long_sleep' ? heart.restingOn(origin.date, sourceType) : null,
    hrv_mean_sdnn: heart.variabilityIn(sourceType, session),
  }
  return [sleepSummary(origin, session, fields), sleepCycle(origin, session, stages)]
}

/** Returns the durations of a session's stages and what follows from them. */
export function summaryFields(
  session: Pick<SleepSession, 'start' | 'end' | 'stages' | 'hasBedTime'>,
): Readonly<Record<string, unknown>> {
  const { start, end, stages } = session
  const spentMs = (isWanted: (stage: number) => boolean): number =>
    stages.reduce((sum, each) => (isWanted(each.stage) ? sum + each.end - each.start : sum), 0)
  const spent = (wanted: number): number => seconds(spentMs(stage => stage === wanted))
  const asleepMs = spentMs(stage => stage !== STAGES.awake)
  const asleep = stages.find(each => each.stage !== STAGES.awake)
  return {
    type: sleepType(end - start),
    total: seconds(asleepMs),
    awake: spent(STAGES.awake),
    light: spent(STAGES.light),
    rem: spent(STAGES.rem),
    deep: spent(STAGES.deep),
    efficiency: asleep === undefined ? null : Math.round((asleepMs / (end - start)) * 10_000) / 100,
    latency: asleep === undefined || !session.hasBedTime ? null : seconds(asleep.start - start),
  }
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS)
}
