/** Adds the two summaries of a sleep session, `sleep` and `sleep_cycle`. */
import { NO_OFFSET } from '../../../core/sample.ts'
import { SECOND_MS } from '../../../core/time.ts'
import type { HeartValues } from '../../shared/heart-values.ts'
import { dateIn } from '../../shared/record-time.ts'
import { STAGES, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import type { SleepSession } from './sessions.ts'

export interface SleepOptions {
  /** The zone for the date of a session without an offset; null, the default, means UTC. */
  readonly zone?: string | null
  /** Minimum number of values of variability for their mean. */
  readonly leastVariability?: number
  /** Fields of the sleep summary that the file states. */
  readonly stated?: Readonly<Record<string, unknown>>
}

/**
 * Adds both summaries of a session. Their IDs are derived from user, source type and start, so importing the same session again produces
 * the same summaries. A night has the resting heart rate of its date, and the mean of the values of variability within it.
 */
export function addSleep(
  importing: RecordImport,
  session: SleepSession,
  heart: HeartValues,
  { zone = null, leastVariability, stated = {} }: SleepOptions = {},
): void {
  const { sourceType, start, end, stages } = session
  const offset = session.endOffset === NO_OFFSET ? null : session.endOffset
  const { provider } = importing
  const { userId } = importing.context
  const date = dateIn({ ms: end, offset }, zone)
  const origin = { userId, provider, sourceType, recordId: [sourceType, start], date, offset }
  const fields = {
    ...summaryFields(session),
    hr_resting: sleepType(end - start) === 'long_sleep' ? heart.restingOn(date, sourceType) : null,
    hrv_mean_sdnn: heart.variabilityIn(sourceType, session, leastVariability),
    ...stated,
  }
  importing.addItem({ kind: 'summary', summary: sleepSummary(origin, session, fields) })
  importing.addItem({ kind: 'summary', summary: sleepCycle(origin, session, stages) })
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
