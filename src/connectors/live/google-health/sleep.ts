/** Converts Google Health's sleep sessions into sleep and sleep cycle summaries. */
import { readInstant, SECOND_MS } from '../../../core/time.ts'
import { type JsonObject, member } from '../../shared/json-fields.ts'
import { type Session, STAGES, type StageSpan, sleepCycle, sleepSummary, sleepType } from '../../shared/summaries.ts'
import { numberAt } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import { type Point, readInterval, sessionSource } from './point.ts'

/**
 * Stages by name. A classic device distinguishes awake, restless and asleep. Restless is neither awake nor asleep, and is not a stage in a
 * sleep cycle, so it is not included in the summary's durations.
 */
export const SLEEP_STAGES: Readonly<Record<string, number>> = {
  AWAKE: STAGES.awake,
  LIGHT: STAGES.light,
  DEEP: STAGES.deep,
  REM: STAGES.rem,
  ASLEEP: STAGES.missing,
  RESTLESS: STAGES.missing,
}
const RESTLESS = 'RESTLESS'

/** Adds a sleep session's record, or counts the session if it cannot be read. */
export function addSleep(point: Point, night: RecordView, page: LivePage) {
  const interval = readInterval(point.body)
  if (interval === undefined) return night.leaveOut('without a time')
  const session = { start: interval.start.ms, end: interval.end.ms }
  const source = sessionSource(page, point, interval, interval.end)
  const spans = readSpans(night, page)
  const record = page.record(source.recordId, contentVersion(point.body, page.asked.resources))
  record.summary(sleepSummary(source, session, summaryFields(night, session, spans)))
  if (spans.length > 0) record.summary(sleepCycle(source, session, spans))
}

interface Span extends StageSpan {
  readonly isRestless: boolean
}

/** Returns the known stages in ascending order. */
function readSpans(night: RecordView, page: LivePage): readonly Span[] {
  const spans: Span[] = []
  for (const each of night.list('stages')) {
    const start = readInstant(member(each, 'startTime'))
    const end = readInstant(member(each, 'endTime'))
    const type = String(member(each, 'type'))
    const stage = Object.hasOwn(SLEEP_STAGES, type) ? SLEEP_STAGES[type] : undefined
    if (start === undefined || end === undefined || end <= start || stage === undefined) {
      page.skip('sleep.stages of an unknown kind')
    } else spans.push({ start, end, stage, isRestless: type === RESTLESS })
  }
  return spans.sort((a, b) => a.start - b.start)
}

function summaryFields(night: RecordView, { start, end }: Session, spans: readonly Span[]) {
  const spent = (isWanted: (span: Span) => boolean): number =>
    Math.round(spans.reduce((sum, each) => (isWanted(each) ? sum + each.end - each.start : sum), 0) / SECOND_MS)
  const spentIn = (wanted: number): number => spent(({ stage }) => stage === wanted)
  const hasStages = spans.length > 0
  const [summary, metadata] = [night.object('summary'), night.object('metadata')]
  const total = hasStages
    ? spent(({ stage, isRestless }) => stage !== STAGES.awake && !isRestless)
    : minutes(summary, 'minutesAsleep')
  return {
    type: chooseSleepType(metadata, end - start),
    total,
    awake: hasStages ? spentIn(STAGES.awake) : minutes(summary, 'minutesAwake'),
    light: spentIn(STAGES.light),
    rem: spentIn(STAGES.rem),
    deep: spentIn(STAGES.deep),
    efficiency: total === null || end === start ? null : Math.round((total * SECOND_MS * 10_000) / (end - start)) / 100,
    latency: minutes(summary, 'minutesToFallAsleep'),
    // the stages follow later, because the session is still being processed
    state: member(metadata, 'processed') === false ? 'tentative' : 'confirmed',
  }
}

function chooseSleepType(metadata: JsonObject | undefined, durationMs: number): string {
  if (metadata?.['nap'] === true) return 'acknowledged_nap'
  return metadata?.['mainSleep'] === true ? 'long_sleep' : sleepType(durationMs)
}

/** Returns a duration from the session's own summary, in seconds, or null. */
function minutes(summary: JsonObject | undefined, field: string): number | null {
  const value = numberAt(summary, field)
  return value === undefined ? null : value * 60
}
