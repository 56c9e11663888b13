/** Converts Google Health points with a single value into samples. */
import { createHash, type Hash } from 'node:crypto'
import { DAY_MS, formatDate, HOUR_MS, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { floatingIn } from '../../shared/record-time.ts'
import { converted } from '../field-table.ts'
import type { LivePage, LiveSample } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion } from '../windows.ts'
import type { SeriesType } from './data-types.ts'
import { type Point, readDate, readInterval, readPoint, readSampleTime } from './point.ts'
import { type FilterField, getPoints } from './requests.ts'

const FIELDS: Readonly<Record<SeriesType['shape'], FilterField>> = {
  interval: 'interval.start_time',
  sample: 'sample_time.physical_time',
  daily: 'date',
}

/** A point that is mapped to a sample. */
export interface ReadSample {
  readonly point: Point
  readonly sample: LiveSample
}

/** A page with points of one type. */
export interface SeriesPage {
  readonly type: SeriesType
  readonly points: readonly unknown[]
  /** Days that have samples, for a daily type that provides values for the other days. */
  readonly measured: Set<IsoDate>
}

/**
 * Yields the points of a type whose measurements are at instants or for days. A daily type provides values for days without measurements.
 */
export async function* samplePages(
  session: TokenSession,
  type: SeriesType,
  daily: SeriesType | undefined,
  { window }: PullRequest,
): AsyncGenerator<readonly SeriesPage[]> {
  const measured = new Set<IsoDate>()
  // the window's last day continues after the window
  const further = daily === undefined ? window : { ...window, to: window.to + DAY_MS + HOUR_MS }
  const query = { type: type.name, field: FIELDS[type.shape], window: further }
  for await (const points of getPoints(session, query)) yield [{ type, points, measured }]
  if (daily === undefined) return
  const dates = { type: daily.name, field: FIELDS.daily, window }
  for await (const points of getPoints(session, dates)) yield [{ type: daily, points, measured }]
}

export function addSamples({ type, points, measured }: SeriesPage, page: LivePage): void {
  const { from, to } = page.asked.window
  for (const { point, sample } of samplesIn(points, type, page)) {
    const date = sampleDate(sample)
    if (type.shape !== 'daily') {
      measured.add(date)
      if (sample.start < to) page.samples.add(sample, type.name)
    } else if (sample.start >= from && sample.start < to) {
      // each point is a record, which is removed when the day has more detailed measurements
      const id = `${type.name}/${date}`
      if (measured.has(date)) page.gone(id)
      else page.record(id, contentVersion(point.body, sample.start)).samples.add(sample, type.name)
    }
  }
}

/** A page with measurements over intervals, and the UTC days of all pages so far. */
export interface IntervalPage {
  readonly points: readonly unknown[]
  readonly days: Map<string, { readonly samples: LiveSample[]; readonly sent: Hash }>
  readonly isLast: boolean
}

/**
 * Yields the points of a type whose measurements cover intervals. These points have no IDs, and data from a late device changes their
 * bounds. Therefore each UTC day is a record that replaces the day's earlier data, and whole days are read.
 */
export async function* intervalPages(
  session: TokenSession,
  type: SeriesType,
  asked: PullRequest,
): AsyncGenerator<readonly IntervalPage[]> {
  const days: IntervalPage['days'] = new Map()
  const query = { type: type.name, field: FIELDS.interval, window: wholeDays(asked.window) }
  for await (const points of getPoints(session, query)) yield [{ points, days, isLast: false }]
  yield [{ points: [], days, isLast: true }]
}

export function addIntervals(type: SeriesType, { points, days, isLast }: IntervalPage, page: LivePage): void {
  for (const { point, sample } of samplesIn(points, type, page)) {
    const date = formatDate(sample.start)
    const day = days.get(date) ?? { samples: [], sent: createHash('sha256') }
    days.set(date, day)
    day.samples.push(sample)
    day.sent.update(JSON.stringify(point.body))
  }
  if (!isLast) return
  const window = wholeDays(page.asked.window)
  for (let day = window.from; day < window.to; day += DAY_MS) {
    const id = formatDate(day)
    const found = days.get(id)
    if (found === undefined) {
      page.gone(id)
      continue
    }
    const record = page.record(id, found.sent.digest('base64url'))
    for (const sample of found.samples) record.samples.add(sample, type.name)
  }
}

/** Returns the UTC days that a window overlaps. */
function wholeDays({ from, to }: PullWindow): PullWindow {
  return { from: Math.floor(from / DAY_MS) * DAY_MS, to: Math.ceil(to / DAY_MS) * DAY_MS }
}

/** Returns a sample's local date. */
function sampleDate({ start, offset }: LiveSample): IsoDate {
  return localDate(start, offset)
}

/** Yields the points' samples, and counts points without a sample. */
export function* samplesIn(points: readonly unknown[], type: SeriesType, page: LivePage): Generator<ReadSample> {
  const { name, resource } = type
  const text = type.type === undefined ? {} : { text: { type: type.type } }
  for (const each of points) {
    const point = readPoint(each, name)
    if (point === undefined) {
      page.skip(`${name} in an unknown form`)
      continue
    }
    const value = measuredValue(page.view(name, point.body), type)
    // read immediately, so that pages do not keep a view of each point
    page.countUnread()
    const time = sampleTime(point, type, page.asked.timeZone)
    if (value === undefined) page.skip(`${name} without a value`)
    else if (time === undefined) page.skip(`${name} without a time`)
    else yield { point, sample: { resource, sourceType: point.sourceType ?? type.sourceType, ...time, value, ...text } }
  }
}

function measuredValue(body: RecordView, { value, minus, per }: SeriesType): number | undefined {
  const number = body.number(value)
  const base = minus === undefined ? 0 : body.number(minus)
  if (number === undefined || base === undefined) return undefined
  // the difference between two decimal numbers has additional digits
  return minus === undefined ? converted({ per }, number) : Math.round((number - base) * 1e6) / 1e6
}

type SampleTime = Pick<LiveSample, 'start' | 'end' | 'offset'>

function sampleTime({ body }: Point, { shape }: SeriesType, timeZone: string | null): SampleTime | undefined {
  if (shape === 'interval') {
    const interval = readInterval(body)
    return interval && { start: interval.start.ms, end: interval.end.ms, offset: interval.start.offset }
  }
  const date = shape === 'daily' ? readDate(body['date']) : undefined
  const midnight = date === undefined ? undefined : parseDate(date)
  const time = midnight === undefined ? readSampleTime(body) : floatingIn(midnight, timeZone)
  return time && { start: time.ms, offset: time.offset }
}
