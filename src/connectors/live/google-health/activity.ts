/** Makes the activity summaries of Google Health from its own sums of local days. */
import { ownedId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs, formatDate, type IsoDate, parseDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asObject, type JsonObject, member } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { CollectedPage, deletedRecord, recordOf, versionOf } from '../collected-page.ts'
import { bodyKey, PROVIDER } from './data-types.ts'
import { numberAt, readDate, readPoint } from './point.ts'
import { dailySums, pointsOf } from './requests.ts'
import { midnightOf } from './series.ts'

/** Sums of a day: type, field of its sum, field of the summary (`heart_rate.` for those within), divisor. */
export const DAY_SUMS = [
  { type: 'steps', from: 'countSum', to: 'steps', divisor: 1 },
  { type: 'distance', from: 'millimetersSum', to: 'distance', divisor: 1000 },
  { type: 'floors', from: 'countSum', to: 'floors_climbed', divisor: 1 },
  { type: 'active-energy-burned', from: 'kcalSum', to: 'calories_active', divisor: 1 },
  { type: 'total-calories', from: 'kcalSum', to: 'calories_total', divisor: 1 },
  { type: 'heart-rate', from: 'beatsPerMinuteAvg', to: 'avg_bpm', divisor: 1 },
  { type: 'heart-rate', from: 'beatsPerMinuteMin', to: 'min_bpm', divisor: 1 },
  { type: 'heart-rate', from: 'beatsPerMinuteMax', to: 'max_bpm', divisor: 1 },
] as const
export const RESTING = { type: 'daily-resting-heart-rate', from: 'beatsPerMinute', to: 'resting_bpm' } as const

type Field = (typeof DAY_SUMS)[number]['to'] | (typeof RESTING)['to']
type Day = Partial<Record<Field, number>>

/** Types that need the scope of health metrics. */
const HEART_TYPES: ReadonlySet<string> = new Set(['heart-rate', RESTING.type])

/** Yields one record for each local day that begins in the window. */
export async function* pullActivity(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const page = new CollectedPage(asked.now)
  const dates = datesIn(asked)
  const [first, last] = [dates[0], dates.at(-1)]
  if (first === undefined || last === undefined) return
  const days = new Map<IsoDate, Day>(dates.map(date => [date, {}]))
  const hasHeart = asked.resources.includes('heartrate')
  for (const type of new Set(DAY_SUMS.map(each => each.type))) {
    if (HEART_TYPES.has(type) && !hasHeart) continue
    const sums = await dailySums(session, type, parseDate(first) ?? 0, (parseDate(last) ?? 0) + DAY_MS)
    for (const each of sums) addSums(each, type, days, page)
  }
  if (hasHeart) await addResting(session, asked, days, page)
  for (const [date, day] of days) {
    if (Object.keys(day).length === 0) page.records.push(deletedRecord(date))
    else page.records.push(recordOf(date, versionOf(day, asked.timeZone), { summaries: [summaryOf(date, day, asked)] }))
  }
  yield page.page()
}

/** Returns the dates that begin in the window, ascending. */
function datesIn({ window, timeZone }: PullRequest): readonly IsoDate[] {
  const dates: IsoDate[] = []
  for (let at: EpochMs = window.from - DAY_MS; at < window.to + 2 * DAY_MS; at += DAY_MS) {
    const date = formatDate(at)
    const { ms } = midnightOf(date, timeZone)
    if (ms >= window.from && ms < window.to) dates.push(date)
  }
  return dates
}

function addSums(sum: unknown, type: string, days: ReadonlyMap<IsoDate, Day>, page: CollectedPage): void {
  const body = asObject(member(sum, bodyKey(type)))
  const date = readDate(member(member(sum, 'civilStartTime'), 'date'))
  const day = date === undefined ? undefined : days.get(date)
  if (day === undefined) {
    page.skip(`${type} of a day that was not asked for`)
    return
  }
  // a day on which nothing was worn has no sums
  if (body !== undefined) addFields(body, type, day, page)
}

function addFields(body: JsonObject, type: string, day: Day, page: CollectedPage): void {
  const fields = DAY_SUMS.filter(each => each.type === type)
  for (const key in body) {
    if (fields.every(each => each.from !== key) && body[key] !== null) page.skip(`${type}.${key} of a day`)
  }
  for (const { from, to, divisor } of fields) {
    const value = numberAt(body, from)
    if (value !== undefined) day[to] = value / divisor
  }
}

async function addResting(
  session: GrantSession,
  { window }: PullRequest,
  days: ReadonlyMap<IsoDate, Day>,
  page: CollectedPage,
): Promise<void> {
  for await (const points of pointsOf(session, { type: RESTING.type, field: 'date', window })) {
    for (const each of points) {
      const body = readPoint(each, RESTING.type)?.body
      const value = body && numberAt(body, RESTING.from)
      const date = body && readDate(body['date'])
      if (value === undefined || date === undefined) page.skip(`${RESTING.type} without a value or a date`)
      else {
        // the list reaches over the window at both ends
        const day = days.get(date)
        if (day !== undefined) day[RESTING.to] = value
      }
    }
  }
}

function summaryOf(date: IsoDate, day: Day, { userId, timeZone }: PullRequest) {
  const { offset } = midnightOf(date, timeZone)
  const heart = {
    avg_bpm: day.avg_bpm ?? null,
    min_bpm: day.min_bpm ?? null,
    max_bpm: day.max_bpm ?? null,
    resting_bpm: day.resting_bpm ?? null,
    avg_walking_bpm: null,
  }
  return {
    kind: 'activity',
    id: ownedId(userId, 'activity', PROVIDER, date),
    provider: PROVIDER,
    sourceType: 'watch',
    appId: null,
    deviceId: null,
    at: parseDate(date) ?? 0,
    date,
    offset,
    document: {
      date: `${date}T00:00:00+00:00`,
      calendar_date: date,
      calories_total: day.calories_total ?? null,
      calories_active: day.calories_active ?? null,
      steps: day.steps ?? null,
      daily_movement: day.distance ?? null,
      distance: day.distance ?? null,
      low: null,
      medium: null,
      high: null,
      floors_climbed: day.floors_climbed ?? null,
      time_zone: timeZone,
      timezone_offset: offset,
      heart_rate: Object.values(heart).every(value => value === null) ? null : heart,
      wheelchair_use: null,
      wheelchair_push: null,
    },
  } as const
}
