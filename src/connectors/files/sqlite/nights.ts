/** Adds the summaries of nights whose stages are known or not. */
import { NO_OFFSET } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { type Session, STAGES, sleepCycle, sleepSummary } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { groupSessions, type SleepSegment, type SleepStage } from '../sleep/sessions.ts'
import { summaryFields } from '../sleep/summaries.ts'
import type { HeartDays } from './heart-days.ts'
import { type RecordedBy, summaryOrigin } from './recorded-by.ts'

/** Maximum number of stages, enough for more than 50 years of nights. */
export const MOST_STAGES = 1_000_000

export interface Night extends Session {
  readonly source: RecordedBy
  readonly id: string | readonly (string | number)[]
  /** Offset at the end, in seconds east of UTC; null if unknown. */
  readonly endOffset: number | null
  readonly stages: SleepSegment[]
}

/** Returns a stage. Null means that it is unknown. */
export function sleepStage(start: EpochMs, end: EpochMs, stage: SleepStage | null): SleepSegment {
  return { start, end, stage, endOffset: NO_OFFSET, byte: 0 }
}

/** Adds a night. `stated` contains fields that replace those that follow from the stages. */
export function addNight(importing: RecordImport, heart: HeartDays, night: Night, stated: object = {}): void {
  const { source, id, start, end, endOffset, stages } = night
  const origin = summaryOrigin(importing, source, id, { ms: end, offset: endOffset })
  const [session] = groupSessions(source.key, [...stages, sleepStage(start, end, null)])
  if (session === undefined) return
  const hasBedTime = stages.some(each => each.stage === STAGES.awake)
  const fields = { ...summaryFields({ ...session, hasBedTime }), ...stated }
  const all = { ...fields, ...heart.nightFields(source, session, origin.date) }
  importing.addItem({ kind: 'summary', summary: sleepSummary(origin, session, all) })
  if (stages.length > 0) importing.addItem({ kind: 'summary', summary: sleepCycle(origin, session, session.stages) })
}
