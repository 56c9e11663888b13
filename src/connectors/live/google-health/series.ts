/** Turns the points of Google Health with one value each into samples. */
import { createHash, type Hash } from 'node:crypto'
import { DAY_MS, formatDate, HOUR_MS, type IsoDate, localDate, parseDate } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { floatingIn } from '../../files/records/time.ts'
import type { GrantSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { converted, numberAt } from '../field-table.ts'
import { LivePage, type LiveSample } from '../page.ts'
import { versionOf } from '../windows.ts'
import { PROVIDER, type SeriesType } from './data-types.ts'
import { type Point, readDate, readInterval, readPoint, readSampleTime } from './point.ts'
import { type FilterField, pointsOf } from './requests.ts'

const FIELDS: Readonly<Record<SeriesType['shape'], FilterField>> = {
  interval: 'interval.start_time',
  sample: 'sample_time.physical_time',
  daily: 'date',
}
/** What tells the time of a point, rather than being a value. */
const TIME_KEYS = ['interval', 'sampleTime', 'date'] as const

/** A point as it becomes a sample. */
export interface ReadSample {
  readonly point: Point
  readonly sample: LiveSample
}

/** Yields the samples of a type that measures at instants, page by page. A daily type fills in for days without any. */
export async function* pullSamples(
  session: GrantSession,
  type: SeriesType,
  daily: SeriesType | undefined,
  asked: PullRequest,
): AsyncGenerator<PulledPage> {
  const { from, to } = asked.window
  // the day that begins last in the window goes on after it
  const window = { from, to: daily === undefined ? to : to + DAY_MS + HOUR_MS }
  const measured = new Set<IsoDate>()
  for await (const points of pointsOf(session, { type: type.name, field: FIELDS[type.shape], window })) {
    const page = new LivePage(PROVIDER, asked)
    for (const { sample } of samplesIn(points, type, asked, page)) {
      measured.add(dateOf(sample))
      if (sample.start < to) page.samples.add(sample, type.name)
    }
    yield page.take()
  }
  if (daily !== undefined) yield* pullDays(session, daily, asked, measured)
}

/** Yields the values of days. Each is a record, which goes when the day turns out to be `measured` in more detail. */
export async function* pullDays(
  session: GrantSession,
  type: SeriesType,
  asked: PullRequest,
  measured: ReadonlySet<IsoDate> = new Set(),
): AsyncGenerator<PulledPage> {
  const { window } = asked
  for await (const points of pointsOf(session, { type: type.name, field: 'date', window })) {
    const page = new LivePage(PROVIDER, asked)
    for (const { point, sample } of samplesIn(points, type, asked, page)) {
      if (sample.start < window.from || sample.start >= window.to) continue
      const date = dateOf(sample)
      const id = `${type.name}/${date}`
      if (measured.has(date)) page.gone(id)
      else page.record(id, versionOf(point.body, sample.start)).samples.add(sample, type.name)
    }
    yield page.take()
  }
}

/**
 * Yields the samples of a type that measures over intervals. The points have no ids, and a late device moves their bounds, so each UTC day
 * is a record that replaces what the day had before. Days are read whole.
 */
export async function* pullIntervals(
  session: GrantSession,
  type: SeriesType,
  asked: PullRequest,
): AsyncGenerator<PulledPage> {
  const window = wholeDays(asked.window)
  const page = new LivePage(PROVIDER, asked)
  const days = new Map<string, { readonly samples: LiveSample[]; readonly sent: Hash }>()
  for await (const points of pointsOf(session, { type: type.name, field: 'interval.start_time', window })) {
    for (const { point, sample } of samplesIn(points, type, asked, page)) {
      const date = formatDate(sample.start)
      const day = days.get(date) ?? { samples: [], sent: createHash('sha256') }
      days.set(date, day)
      day.samples.push(sample)
      day.sent.update(JSON.stringify(point.body))
    }
  }
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
  yield page.take()
}

/** Returns the UTC days that a window touches. */
function wholeDays({ from, to }: PullWindow): PullWindow {
  return { from: Math.floor(from / DAY_MS) * DAY_MS, to: Math.ceil(to / DAY_MS) * DAY_MS }
}

/** Returns the local date of a sample. */
function dateOf({ start, offset }: LiveSample): IsoDate {
  return localDate(start, offset)
}

/** Yields the samples in points, and counts what is not one. */
export function* samplesIn(
  points: readonly unknown[],
  type: SeriesType,
  { timeZone }: Pick<PullRequest, 'timeZone'>,
  page: LivePage,
): Generator<ReadSample> {
  const { name, resource } = type
  const known = new Set<string>(TIME_KEYS)
  for (const path of [type.value, type.minus]) if (path !== undefined) known.add(path.replace(/\..*/, ''))
  for (const each of points) {
    const point = readPoint(each, name)
    if (point === undefined) {
      page.skip(`${name} in an unknown form`)
      continue
    }
    page.skipOthers(point.body, known, name)
    const value = measuredValue(point, type)
    const time = timeOf(point, type, timeZone)
    if (value === undefined) page.skip(`${name} without a value`)
    else if (time === undefined) page.skip(`${name} without a time`)
    else yield { point, sample: { resource, sourceType: point.sourceType ?? type.sourceType, ...time, value } }
  }
}

function measuredValue({ body }: Point, { value, minus, per }: SeriesType): number | undefined {
  const number = numberAt(body, value)
  const base = minus === undefined ? 0 : numberAt(body, minus)
  if (number === undefined || base === undefined) return undefined
  // a difference of two decimal numbers has digits that neither had
  return minus === undefined ? converted({ per }, number) : Math.round((number - base) * 1e6) / 1e6
}

type SampleTime = Pick<LiveSample, 'start' | 'end' | 'offset'>

function timeOf({ body }: Point, { shape }: SeriesType, timeZone: string | null): SampleTime | undefined {
  if (shape === 'interval') {
    const interval = readInterval(body)
    return interval && { start: interval.start.ms, end: interval.end.ms, offset: interval.start.offset }
  }
  const date = shape === 'daily' ? readDate(body['date']) : undefined
  const midnight = date === undefined ? undefined : parseDate(date)
  const time = midnight === undefined ? readSampleTime(body) : floatingIn(midnight, timeZone)
  return time && { start: time.ms, offset: time.offset }
}
