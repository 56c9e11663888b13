/** Reads a night that Health Auto Export has summarized, or a segment of one that it has not. */
import { NO_OFFSET } from '../../../core/sample.ts'
import { SECOND_MS } from '../../../core/time.ts'
import type { HeartValues } from '../../shared/heart-values.ts'
import { asNumber, asText, member } from '../../shared/json-fields.ts'
import { dateIn } from '../../shared/record-time.ts'
import { type Session, type SummaryOrigin, sleepSummary, sleepType } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import type { SleepRecord } from '../sleep/segments.ts'
import type { SleepStage } from '../sleep/sessions.ts'
import { healthTime } from './time.ts'

/** A night whose heart values are not known yet. */
export interface Night {
  readonly origin: SummaryOrigin
  readonly session: Session
  readonly fields: Readonly<Record<string, unknown>>
}

/** Returns a night, or the problem with it as a text that follows its name. */
export function readNight(importing: RecordImport, night: unknown): Night | string {
  const { provider, context } = importing
  const { userId, timeZone } = context
  const time = (key: string): Time => healthTime(member(night, key), timeZone)
  const asleepFrom = time('sleepStart')
  const start = earlier(time('inBedStart'), asleepFrom)
  const end = later(time('inBedEnd'), time('sleepEnd'))
  if (start === undefined || end === undefined) return 'has no start and end'
  const duration = Math.round((end.ms - start.ms) / SECOND_MS)
  if (duration <= 0) return 'ends before it starts'
  const problem = importing.timesProblem(start.ms, end.ms)
  if (problem !== undefined) return problem
  const seconds = (key: string): number => Math.round((asNumber(member(night, key)) ?? 0) * 3600)
  const stages = { awake: seconds('awake'), light: seconds('core'), rem: seconds('rem'), deep: seconds('deep') }
  const total = seconds('totalSleep') || seconds('asleep') || stages.light + stages.rem + stages.deep
  const session = { start: start.ms, end: end.ms }
  const sourceType = importing.chooseSourceType()
  const date = dateIn(end, timeZone)
  const origin = { userId, provider, sourceType, recordId: [sourceType, start.ms], date, offset: end.offset }
  const fields = {
    type: sleepType(end.ms - start.ms),
    total,
    ...stages,
    efficiency: total <= duration && total > 0 ? Math.round((total / duration) * 10_000) / 100 : null,
    latency: asleepFrom && asleepFrom.ms > start.ms ? Math.round((asleepFrom.ms - start.ms) / SECOND_MS) : null,
  }
  return { origin, session, fields }
}

/** Stages by value, in lower case and without spaces; null for time in bed. */
const STAGES: ReadonlyMap<string, SleepStage | null> = new Map<string, SleepStage | null>([
  ['inbed', null],
  ['asleep', -1],
  ['asleepunspecified', -1],
  ['unspecified', -1],
  ['awake', 4],
  ['core', 2],
  ['deep', 1],
  ['rem', 3],
])

/** Returns whether a reading is a segment, which has a stage as its value. */
export function isSegment(reading: unknown): boolean {
  return member(reading, 'value') !== undefined
}

/** Returns a segment of sleep, or the problem with it as a text that follows its name. */
export function readSegment(importing: RecordImport, segment: unknown, byte: number): SleepRecord | string {
  const { timeZone } = importing.context
  const start = healthTime(member(segment, 'startDate'), timeZone)
  const end = healthTime(member(segment, 'endDate'), timeZone)
  if (start === undefined || end === undefined) return 'has a time that cannot be read'
  const problem = importing.timesProblem(start.ms, end.ms)
  if (problem !== undefined) return problem
  const value = (asText(member(segment, 'value')) ?? '').toLowerCase().replaceAll(' ', '')
  return {
    sourceType: importing.chooseSourceType(),
    sourceName: asText(member(segment, 'source')) ?? '',
    start: start.ms,
    end: end.ms,
    endOffset: end.offset ?? NO_OFFSET,
    stage: STAGES.get(value),
    byte,
  }
}

/** If the app has summarized the metric by day, there is one value, which is for the whole day. */
export const LEAST_VALUES = 2

/** Adds a night's summary. */
export function addNight(importing: RecordImport, { origin, session, fields }: Night, heart: HeartValues): void {
  const { sourceType, date } = origin
  const isNight = sleepType(session.end - session.start) === 'long_sleep'
  const summary = sleepSummary(origin, session, {
    ...fields,
    hr_resting: isNight ? heart.restingOn(date, sourceType) : null,
    hrv_mean_sdnn: heart.variabilityIn(sourceType, session, LEAST_VALUES),
  })
  importing.addItem({ kind: 'summary', summary })
}

type Time = ReturnType<typeof healthTime>

function earlier(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms < b.ms) ? a : b
}

function later(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms > b.ms) ? a : b
}
