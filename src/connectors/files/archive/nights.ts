/** Makes sleep summaries of a night's stages, or of the durations that a provider states. */
import { localDate, SECOND_MS } from '../../../core/time.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { STAGES, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import type { ArchiveRun } from './run.ts'

/** A part of a night. */
export interface NightSpan extends StageSpan {
  /** Whether the person was neither asleep nor awake. The stage is then that of a missing one. */
  readonly isRestless?: boolean
}

/** A night or a nap. */
export interface Night {
  /** The provider's ID of the session. Without one, its start distinguishes it. */
  readonly id?: string | undefined
  readonly start: RecordTime | undefined
  readonly end: RecordTime | undefined
  /** Stages in ascending order without overlaps; absent if the provider states only durations. */
  readonly spans?: readonly NightSpan[]
  /** Fields of the summary. Those that the stages give have precedence unless `hasOwnDurations` says otherwise. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly isNap?: boolean
  /** Whether the stated fields have precedence over those that the stages give. */
  readonly hasOwnDurations?: boolean
  readonly sourceType?: string
}

/** Adds a session's summaries, or skips it if its times cannot be. */
export function addNight(
  run: ArchiveRun,
  { id, start, end, spans = [], fields, isNap, hasOwnDurations, sourceType }: Night,
) {
  if (start === undefined || end === undefined) return run.skip(`${run.family} records without times`)
  const problem = end.ms === start.ms ? 'has no duration' : run.timesProblem(start.ms, end.ms)
  if (problem !== undefined) return run.skip(`a ${run.family} record ${problem}`)
  const session = { start: start.ms, end: end.ms }
  const recordId = id ?? [run.importing.chooseSourceType(sourceType), start.ms]
  const origin = run.origin(recordId, localDate(end.ms, end.offset), end.offset, sourceType)
  const type = isNap ? 'acknowledged_nap' : sleepType(end.ms - start.ms)
  const given = hasOwnDurations ? {} : stageFields(spans, session)
  run.summary(sleepSummary(origin, session, { type, ...fields, ...given }))
  if (spans.length > 0) run.summary(sleepCycle(origin, session, spans), true)
}

/** Returns the durations in seconds. Sleep of an unknown stage has the number of a missing stage. */
function stageFields(spans: readonly NightSpan[], { start, end }: { readonly start: number; readonly end: number }) {
  if (spans.length === 0) return {}
  const spent = (isWanted: (span: NightSpan) => boolean): number =>
    Math.round(spans.reduce((sum, each) => (isWanted(each) ? sum + each.end - each.start : sum), 0) / SECOND_MS)
  const spentIn = (wanted: number): number => spent(({ stage }) => stage === wanted)
  const total = spent(({ stage, isRestless }) => stage !== STAGES.awake && isRestless !== true)
  return {
    total,
    awake: spentIn(STAGES.awake),
    light: spentIn(STAGES.light),
    rem: spentIn(STAGES.rem),
    deep: spentIn(STAGES.deep),
    efficiency: Math.round((total * SECOND_MS * 10_000) / (end - start)) / 100,
  }
}

/** Returns the spans in order, each cut where the next one begins. Spans that do not end after they start are left out. */
export function ordered(spans: readonly NightSpan[]): readonly NightSpan[] {
  const sorted = spans.filter(each => each.end > each.start).sort((a, b) => a.start - b.start || a.end - b.end)
  return sorted
    .map((each, i) => ({ ...each, end: Math.min(each.end, sorted[i + 1]?.start ?? each.end) }))
    .filter(each => each.end > each.start)
}

/** Returns the spans with others laid over them: where both are, those above count. */
export function overlaid(spans: readonly NightSpan[], above: readonly NightSpan[]): readonly NightSpan[] {
  const tops = ordered(above)
  const below = ordered(spans).flatMap(span => {
    const left: NightSpan[] = []
    let from = span.start
    for (const top of tops) {
      if (top.end <= from || top.start >= span.end) continue
      if (top.start > from) left.push({ ...span, start: from, end: top.start })
      from = top.end
    }
    if (from < span.end) left.push({ ...span, start: from })
    return left
  })
  return ordered([...below, ...tops])
}
