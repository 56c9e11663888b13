/** Turns a night that Health Auto Export has summarised into a sleep summary. */
import { ownedId, type UserId } from '../../../core/ids.ts'
import type { SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, formatDate, formatInstant, HOUR_MS, SECOND_MS } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import { asNumber, member } from '../json/fields.ts'
import { healthTime } from './time.ts'

export interface SleepOwner {
  readonly userId: UserId
  readonly provider: string
  readonly sourceType: string
  readonly timeZone: string | null
}

const LONG_SLEEP_MS = 3 * HOUR_MS

/** Returns the summary and when it starts, or what is wrong with the night, to follow its name. */
export function sleepSummary(
  night: unknown,
  owner: SleepOwner,
): { readonly record: SummaryRecord; readonly start: EpochMs } | string {
  const time = (key: string): ReturnType<typeof healthTime> => healthTime(member(night, key), owner.timeZone)
  const asleepFrom = time('sleepStart')
  const start = earlier(time('inBedStart'), asleepFrom)
  const end = later(time('inBedEnd'), time('sleepEnd'))
  if (start === undefined || end === undefined) return 'has no start and end; only summarised nights are imported'
  const seconds = (key: string): number => Math.round((asNumber(member(night, key)) ?? 0) * 3600)
  const stages = { awake: seconds('awake'), light: seconds('core'), rem: seconds('rem'), deep: seconds('deep') }
  const total = seconds('totalSleep') || seconds('asleep') || stages.light + stages.rem + stages.deep
  const duration = Math.round((end.ms - start.ms) / SECOND_MS)
  if (duration <= 0) return 'ends before it starts'
  const { userId, provider, sourceType, timeZone } = owner
  const local = end.offset ?? (timeZone === null ? 0 : zoneOffset(timeZone, end.ms))
  const date = formatDate(end.ms + local * SECOND_MS)
  const document = {
    date: `${date}T00:00:00+00:00`,
    calendar_date: date,
    bedtime_start: formatInstant(start.ms),
    bedtime_stop: formatInstant(end.ms),
    type: end.ms - start.ms >= LONG_SLEEP_MS ? 'long_sleep' : 'short_sleep',
    timezone_offset: end.offset,
    duration,
    total,
    ...stages,
    score: null,
    hr_lowest: null,
    hr_average: null,
    hr_resting: null,
    efficiency: total <= duration && total > 0 ? Math.round((total / duration) * 10_000) / 100 : null,
    latency: asleepFrom && asleepFrom.ms > start.ms ? Math.round((asleepFrom.ms - start.ms) / SECOND_MS) : null,
    temperature_delta: null,
    skin_temperature: null,
    hr_dip: null,
    state: 'confirmed',
    average_hrv: null,
    respiratory_rate: null,
    recovery_readiness_score: null,
  }
  const id = ownedId(userId, 'sleep', provider, sourceType, start.ms)
  const source = { provider, sourceType, appId: null, deviceId: null }
  return { record: { kind: 'sleep', id, ...source, at: end.ms, date, offset: end.offset, document }, start: start.ms }
}

type Time = ReturnType<typeof healthTime>

function earlier(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms < b.ms) ? a : b
}

function later(a: Time, b: Time): Time {
  return a !== undefined && (b === undefined || a.ms > b.ms) ? a : b
}
