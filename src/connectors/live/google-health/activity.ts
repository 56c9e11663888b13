/** Builds activity summaries from Google Health's own sums for local days. */
import { DAY_MS, type EpochMs, formatDate, type IsoDate, parseDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asList, asObject, type JsonObject, member } from '../../shared/json-fields.ts'
import { floatingIn, type RecordTime } from '../../shared/record-time.ts'
import { activitySummary } from '../../shared/summaries.ts'
import { type FieldRule, mappedValues } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { bodyKey } from './data-types.ts'
import { readDate, readPoint } from './point.ts'
import { allPoints, dailySums } from './requests.ts'

interface DaySums {
  readonly type: string
  readonly rules: readonly FieldRule[]
  /** For sums that are a list instead of fields: the list, and its fields with the name and value of each sum. */
  readonly list?: { readonly name: string; readonly key: string; readonly value: string }
}

/** A day's sums by type, as fields of the summary. */
export const DAY_SUMS: readonly DaySums[] = [
  { type: 'steps', rules: [{ from: 'countSum', to: 'steps' }] },
  { type: 'distance', rules: [{ from: 'millimetersSum', to: 'distance', per: 1000 }] },
  { type: 'floors', rules: [{ from: 'countSum', to: 'floors_climbed' }] },
  { type: 'active-energy-burned', rules: [{ from: 'kcalSum', to: 'calories_active' }] },
  { type: 'total-calories', rules: [{ from: 'kcalSum', to: 'calories_total' }] },
  {
    type: 'active-minutes',
    list: { name: 'activeMinutesRollupByActivityLevel', key: 'activityLevel', value: 'activeMinutesSum' },
    rules: [
      { from: 'LIGHT', to: 'low' },
      { from: 'MODERATE', to: 'medium' },
      { from: 'VIGOROUS', to: 'high' },
    ],
  },
]
/** A day's heart rate figures, as fields within the summary's `heart_rate`. They require the scope for health metrics. */
export const HEART_SUMS: DaySums = {
  type: 'heart-rate',
  rules: [
    { from: 'beatsPerMinuteAvg', to: 'avg_bpm' },
    { from: 'beatsPerMinuteMin', to: 'min_bpm' },
    { from: 'beatsPerMinuteMax', to: 'max_bpm' },
  ],
}
/** Daily resting heart rates, which are separate points rather than sums. */
export const RESTING: DaySums = {
  type: 'daily-resting-heart-rate',
  rules: [{ from: 'beatsPerMinute', to: 'resting_bpm' }],
}

/** One day's values, by summary field. */
type Values = Record<string, number>
interface Day {
  readonly fields: Values
  readonly heart: Values
}

/** Google's sums for local days that begin in a window. */
export interface DailySums {
  readonly dates: readonly IsoDate[]
  readonly sums: readonly { readonly of: DaySums; readonly days: readonly unknown[] }[]
  readonly resting: readonly unknown[]
}

export async function* dayPages(session: TokenSession, asked: PullRequest): AsyncGenerator<readonly DailySums[]> {
  const dates = datesIn(asked)
  const [first, last] = [dates[0], dates.at(-1)]
  if (first === undefined || last === undefined) return
  const [from, to] = [parseDate(first) ?? 0, (parseDate(last) ?? 0) + DAY_MS]
  const hasHeart = asked.resources.includes('heartrate')
  const sums: DailySums['sums'][number][] = []
  for (const of of hasHeart ? [...DAY_SUMS, HEART_SUMS] : DAY_SUMS) {
    sums.push({ of, days: await dailySums(session, of.type, from, to) })
  }
  const query = { type: RESTING.type, field: 'date', window: asked.window } as const
  yield [{ dates, sums, resting: hasHeart ? await allPoints(session, query) : [] }]
}

/** Adds one record for each day. */
export function addDays({ dates, sums, resting }: DailySums, page: LivePage): void {
  const days = new Map<IsoDate, Day>(dates.map(date => [date, { fields: {}, heart: {} }]))
  for (const each of sums) for (const sum of each.days) addSums(sum, each.of, days, page)
  for (const each of resting) addResting(each, days, page)
  for (const [date, day] of days) addDay(date, day, page)
}

/** Returns the dates that begin in the window, in ascending order. */
function datesIn({ window, timeZone }: PullRequest): readonly IsoDate[] {
  const dates: IsoDate[] = []
  for (let at: EpochMs = window.from - DAY_MS; at < window.to + 2 * DAY_MS; at += DAY_MS) {
    const date = formatDate(at)
    const { ms } = localMidnight(date, timeZone)
    if (ms >= window.from && ms < window.to) dates.push(date)
  }
  return dates
}

function localMidnight(date: IsoDate, timeZone: string | null): RecordTime {
  return floatingIn(parseDate(date) ?? 0, timeZone)
}

function addSums(sum: unknown, sums: DaySums, days: ReadonlyMap<IsoDate, Day>, page: LivePage) {
  const { type, rules, list } = sums
  const date = readDate(member(member(sum, 'civilStartTime'), 'date'))
  const day = date === undefined ? undefined : days.get(date)
  if (day === undefined) return page.skip(`${type} of a day that was not requested`)
  const sent = asObject(member(sum, bodyKey(type)))
  const body = sent && list ? named(sent, list) : sent
  // a day on which no device was worn has no sums
  if (body === undefined) return
  const values = sums === HEART_SUMS ? day.heart : day.fields
  for (const { rule, value } of mappedValues(rules, page.view(`${type} of a day`, body))) values[rule.to] = value
}

/** Returns the sums in a list by name. */
function named(sent: JsonObject, { name, key, value }: NonNullable<DaySums['list']>): JsonObject {
  return Object.fromEntries(asList(sent[name]).map(each => [String(member(each, key)), member(each, value)]))
}

function addResting(point: unknown, days: ReadonlyMap<IsoDate, Day>, page: LivePage) {
  const { type, rules } = RESTING
  const body = readPoint(point, type)?.body
  const date = body && readDate(body['date'])
  if (date === undefined) return page.skip(`${type} without a date`)
  // the list extends beyond the window at both ends
  const heart = days.get(date)?.heart ?? {}
  for (const { rule, value } of mappedValues(rules, body)) heart[rule.to] = value
}

function addDay(date: IsoDate, { fields, heart }: Day, page: LivePage) {
  const { timeZone } = page.asked
  const hasHeart = Object.keys(heart).length > 0
  if (!hasHeart && Object.keys(fields).length === 0) return page.gone(date)
  const { offset } = localMidnight(date, timeZone)
  const source = page.source(date, { sourceType: 'watch', date, offset })
  const none = { avg_bpm: null, min_bpm: null, max_bpm: null, resting_bpm: null, avg_walking_bpm: null }
  const document = {
    ...fields,
    daily_movement: fields['distance'] ?? null,
    time_zone: timeZone,
    heart_rate: hasHeart ? { ...none, ...heart } : null,
  }
  page.record(date, contentVersion(document, offset)).summary(activitySummary(source, document))
}
