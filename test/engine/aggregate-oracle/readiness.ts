/** derived_readiness: one row for each date and source with a night or a day of activity. See docs/aggregate.md. */
import { DAY, readDate } from './calendar.ts'
import type { PlainSummary, Value } from './data.ts'
import { exactDeviation, exactMean } from './exact.ts'
import { buildNight, macro } from './macros.ts'
import { TABLES, typed } from './tables.ts'

export const READINESS = {
  date: 'date',
  chronotype: 'text',
  sleep_score: 'int',
  recovery_score: 'int',
  recovery_zone: 'text',
  stress_score: 'int',
  strain_score: 'int',
  strain_zone: 'text',
  source_type: 'text',
  source_provider: 'text',
  source_app_id: 'text',
  source_device_id: 'text',
} as const

export interface ReadinessRow {
  readonly date: number
  readonly provider: string
  readonly sourceType: string
  readonly cells: ReadonlyMap<string, Value>
}

const round = (x: number): number => Math.floor(x + 0.5)

/** The rows of one source, by date. */
function rowsOfSource(sleeps: readonly PlainSummary[], activities: readonly PlainSummary[], zone: string) {
  const dates = [...new Set([...sleeps, ...activities].map(each => readDate(each.date) as number))]
  const mainSleep = (date: number): PlainSummary | undefined => {
    const nights = sleeps.filter(each => readDate(each.date) === date)
    const length = (night: PlainSummary) => (buildNight(night, zone)('duration_second') as number | null) ?? -1
    nights.sort((a, b) => length(b) - length(a) || b.atMs - a.atMs || (a.id < b.id ? -1 : 1))
    return nights[0]
  }
  const activityOf = (date: number) => activities.find(each => readDate(each.date) === date)
  const hrv = (date: number, statistic: string): number | null => {
    const night = mainSleep(date)
    return night ? (buildNight(night, zone)(statistic) as number | null) : null
  }
  // a day and its baseline are compared in one statistic
  const statisticOn = (date: number) => (hrv(date, 'hrv_mean_rmssd') === null ? 'hrv_mean_sdnn' : 'hrv_mean_rmssd')
  const rhr = (date: number): number | null => {
    const night = mainSleep(date)
    const own = night ? (buildNight(night, zone)('heart_rate_resting') as number | null) : null
    return own ?? activityNumber(activityOf(date), 'heart_rate_resting')
  }
  const standardised = (of: (date: number) => number | null, date: number, floor: number): number | null => {
    const value = of(date)
    const baseline: number[] = []
    for (let back = 21; back >= 1; back--) {
      const earlier = of(date - back * DAY)
      if (earlier !== null) baseline.push(earlier)
    }
    if (value === null || baseline.length < 7) return null
    const mean = exactMean(baseline)
    return Math.min(3, Math.max(-3, (value - mean) / Math.max(exactDeviation(baseline), floor * mean)))
  }
  return dates.map(date => {
    const [night, activity] = [mainSleep(date), activityOf(date)]
    const statistic = statisticOn(date)
    const zHrv = standardised(each => hrv(each, statistic), date, 0.05)
    const zRhr = standardised(rhr, date, 0.03)
    const recovery =
      zHrv === null || zRhr === null ? null : round(100 / (1 + Math.exp(-(0.5 + 0.9 * zHrv - 0.6 * zRhr))))
    const strain = dayStrain(activity)
    const source = (night ?? activity) as PlainSummary
    const cells = new Map<string, Value>([
      ['date', date],
      ['chronotype', night ? macro('chronotype', buildNight(night, zone), null) : null],
      ['sleep_score', night ? macro('sleep_score', buildNight(night, zone), null) : null],
      ['recovery_score', recovery],
      ['recovery_zone', recovery === null ? null : recovery <= 33 ? 'Red' : recovery <= 66 ? 'Amber' : 'Green'],
      ['stress_score', recovery === null ? null : 100 - recovery],
      ['strain_score', strain],
      ['strain_zone', strain === null ? null : strainZone(strain)],
      ['source_type', source.sourceType],
      ['source_provider', source.provider],
      ['source_app_id', source.appId],
      ['source_device_id', source.deviceId],
    ])
    return { date, provider: source.provider, sourceType: source.sourceType, cells }
  })
}

function dayStrain(activity: PlainSummary | undefined): number | null {
  if (activityNumber(activity, 'duration_active_second') === null) return null
  const minutes = (name: string) => (activity?.document[name] as number | null | undefined) ?? 0
  const load = minutes('low') + 3 * minutes('medium') + 6 * minutes('high')
  return round(21 * (1 - Math.exp(-load / 300)))
}

function strainZone(strain: number): string {
  if (strain <= 6) return 'Low'
  if (strain <= 13) return 'Moderate'
  return strain <= 17 ? 'High' : 'Very High'
}

function activityNumber(activity: PlainSummary | undefined, name: string): number | null {
  const column = TABLES['activity']?.[name]
  return activity && column ? (typed(column.kind, column.read(activity, 'UTC')) as number | null) : null
}

/** The rows of all sources. */
export function readinessRows(summaries: readonly PlainSummary[], zone: string): readonly ReadinessRow[] {
  const relevant = summaries.filter(each => each.kind === 'sleep' || each.kind === 'activity')
  const sources = new Map<string, PlainSummary[]>()
  for (const each of relevant) {
    const name = `${each.provider} ${each.sourceType}`
    sources.set(name, [...(sources.get(name) ?? []), each])
  }
  return [...sources.values()].flatMap(own =>
    rowsOfSource(
      own.filter(each => each.kind === 'sleep'),
      own.filter(each => each.kind === 'activity'),
      zone,
    ),
  )
}
