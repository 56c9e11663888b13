/** Converts a night that Health Auto Export has summarized into a sleep summary. */
import { SECOND_MS } from '../../../core/time.ts'
import { asNumber, member } from '../../shared/json-fields.ts'
import { dateIn } from '../../shared/record-time.ts'
import { sleepSummary, sleepType } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { healthTime } from './time.ts'

/** Adds a night's summary. Returns the problem with a skipped night as a text that follows its name; null if the night was added. */
export function addNight(importing: RecordImport, night: unknown): string | null {
  const { provider, context } = importing
  const { userId, timeZone } = context
  const time = (key: string): Time => healthTime(member(night, key), timeZone)
  const asleepFrom = time('sleepStart')
  const start = earlier(time('inBedStart'), asleepFrom)
  const end = later(time('inBedEnd'), time('sleepEnd'))
  if (start === undefined || end === undefined) return 'has no start and end; only summarized nights are imported'
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
  const summary = sleepSummary(origin, session, {
    type: sleepType(end.ms - start.ms),
    total,
    ...stages,
    efficiency: total <= duration && total > 0 ? Math.round((total / duration) * 10_000) / 100 : null,
    latency: asleepFrom && asleepFrom.ms > start.ms ? Math.round((asleepFrom.ms - start.ms) / SECOND_MS) : null,
  })
  importing.addItem({ kind: 'summary', summary })
  return null
}

type Time = ReturnType<typeof healthTime>

function earlier(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms < b.ms) ? a : b
}

function later(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms > b.ms) ? a : b
}
