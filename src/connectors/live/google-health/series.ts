/** Turns the points of Google Health with one value each into samples. */

import { createHash, type Hash } from 'node:crypto'
import type { SampleInput } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, HOUR_MS, type IsoDate, parseDate, SECOND_MS } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'
import type { PulledPage, PullRequest, PullWindow } from '../../connector.ts'
import type { GrantSession } from '../../provider-session.ts'
import { CollectedPage, deletedRecord, recordOf, SeriesSamples, versionOf } from '../collected-page.ts'
import { PROVIDER, type SeriesType } from './data-types.ts'
import { numberAt, type Point, type PointTime, readDate, readInterval, readPoint, readSampleTime } from './point.ts'
import { type FilterField, pointsOf } from './requests.ts'

const FIELDS: Readonly<Record<SeriesType['shape'], FilterField>> = {
  interval: 'interval.start_time',
  sample: 'sample_time.physical_time',
  daily: 'date',
}
/** What tells the time of a point, rather than being a value. */
const TIME_KEYS: ReadonlySet<string> = new Set(['interval', 'sampleTime', 'date'])

/** A point as it becomes a sample. */
export interface ReadSample {
  readonly point: Point
  readonly sourceType: string
  readonly sample: SampleInput
}

type Asked = Pick<PullRequest, 'window' | 'timeZone' | 'now'>

/** Yields the samples of a type that measures at instants, page by page. A daily type fills in for days without any. */
export async function* pullSamples(
  session: GrantSession,
  type: SeriesType,
  daily: SeriesType | undefined,
  asked: Asked,
): AsyncGenerator<PulledPage> {
  const { window } = asked
  // the day that begins last in the window goes on after it
  const to = daily === undefined ? window.to : window.to + DAY_MS + HOUR_MS
  const measured = new Set<IsoDate>()
  for await (const points of pointsOf(session, {
    type: type.name,
    field: FIELDS[type.shape],
    window: { ...window, to },
  })) {
    const page = new CollectedPage(asked.now)
    for (const each of samplesIn(points, type, asked, page)) {
      const { start, offset } = each.sample
      measured.add(formatDate(start + (offset ?? 0) * SECOND_MS))
      if (start < window.to) page.addSample(type.name, seriesOf(type, each.sourceType), each.sample)
    }
    yield page.page()
  }
  if (daily !== undefined) yield* pullDays(session, daily, asked, measured)
}

/** Yields the values of days. Each is a record, which goes when the day turns out to be `measured` in more detail. */
export async function* pullDays(
  session: GrantSession,
  type: SeriesType,
  asked: Asked,
  measured: ReadonlySet<IsoDate> = new Set(),
): AsyncGenerator<PulledPage> {
  for await (const points of pointsOf(session, { type: type.name, field: 'date', window: asked.window })) {
    const page = new CollectedPage(asked.now)
    for (const { point, sample, sourceType } of samplesIn(points, type, asked, page)) {
      const { start, offset } = sample
      if (start < asked.window.from || start >= asked.window.to) continue
      const date = formatDate(start + (offset ?? 0) * SECOND_MS)
      const id = `${type.name}/${date}`
      if (measured.has(date)) page.records.push(deletedRecord(id))
      else {
        const samples = new SeriesSamples(asked.now)
        page.countProblem(type.name, samples.add(seriesOf(type, sourceType), sample))
        page.records.push(recordOf(id, versionOf(point.body, start), { batches: samples.take() }))
      }
    }
    yield page.page()
  }
}

/**
 * Yields the samples of a type that measures over intervals. The points have no ids, and a late device moves their bounds, so each UTC day
 * is a record that replaces what the day had before. Days are read whole.
 */
export async function* pullIntervals(
  session: GrantSession,
  type: SeriesType,
  asked: Asked,
): AsyncGenerator<PulledPage> {
  const window = wholeDays(asked.window)
  const page = new CollectedPage(asked.now)
  const days = new Map<string, { readonly samples: SeriesSamples; readonly sent: Hash }>()
  for await (const points of pointsOf(session, { type: type.name, field: 'interval.start_time', window })) {
    for (const { point, sample, sourceType } of samplesIn(points, type, asked, page)) {
      const date = formatDate(sample.start)
      let day = days.get(date)
      if (day === undefined) {
        day = { samples: new SeriesSamples(asked.now), sent: createHash('sha256') }
        days.set(date, day)
      }
      page.countProblem(type.name, day.samples.add(seriesOf(type, sourceType), sample))
      day.sent.update(JSON.stringify(point.body))
    }
  }
  for (let day = window.from; day < window.to; day += DAY_MS) {
    const id = formatDate(day)
    const found = days.get(id)
    if (found === undefined) page.records.push(deletedRecord(id))
    else page.records.push(recordOf(id, found.sent.digest('base64url'), { batches: found.samples.take() }))
  }
  yield page.page()
}

/** Returns the UTC days that a window touches. */
function wholeDays({ from, to }: PullWindow): PullWindow {
  return { from: Math.floor(from / DAY_MS) * DAY_MS, to: Math.ceil(to / DAY_MS) * DAY_MS }
}

/** Yields the samples in points, and counts what is not one. */
export function* samplesIn(
  points: readonly unknown[],
  type: SeriesType,
  asked: Pick<PullRequest, 'timeZone'>,
  page: CollectedPage,
): Generator<ReadSample> {
  const known = new Set([type.value, type.minus].map(path => path?.split('.')[0]))
  for (const each of points) {
    const point = readPoint(each, type.name)
    if (point === undefined) {
      page.skip(`${type.name} in an unknown form`)
      continue
    }
    for (const key in point.body) {
      if (!TIME_KEYS.has(key) && !known.has(key) && point.body[key] !== null) page.skip(`${type.name}.${key}`)
    }
    const value = measuredValue(point, type)
    const time = timeOf(point, type, asked.timeZone)
    if (value === undefined) page.skip(`${type.name} without a value`)
    else if (time === undefined) page.skip(`${type.name} without a time`)
    else yield { point, sourceType: point.sourceType ?? type.sourceType, sample: { ...time, value } }
  }
}

export function seriesOf({ resource }: SeriesType, sourceType: string) {
  return { resource, type: null, provider: PROVIDER, sourceType }
}

function measuredValue({ body }: Point, { value, minus, divisor }: SeriesType): number | undefined {
  const number = numberAt(body, value)
  const base = minus === undefined ? 0 : numberAt(body, minus)
  if (number === undefined || base === undefined) return undefined
  // a difference of two decimal numbers has digits that neither had
  return minus === undefined ? number / divisor : Math.round((number - base) * 1e6) / 1e6
}

function timeOf(
  { body }: Point,
  { shape }: SeriesType,
  timeZone: string | null,
): { start: EpochMs; end?: EpochMs; offset: number | null } | undefined {
  if (shape === 'interval') {
    const interval = readInterval(body)
    return interval && { start: interval.start.ms, end: interval.end.ms, offset: interval.start.offset }
  }
  if (shape === 'sample') {
    const time = readSampleTime(body)
    return time && { start: time.ms, offset: time.offset }
  }
  const date = readDate(body['date'])
  if (date === undefined) return undefined
  const { ms, offset } = midnightOf(date, timeZone)
  return { start: ms, offset }
}

/** Returns when a date begins in a zone; without a zone, in UTC, and the local time counts as unknown. */
export function midnightOf(date: IsoDate, timeZone: string | null): PointTime {
  const midnight = parseDate(date) ?? Number.NaN
  if (timeZone === null) return { ms: midnight, offset: null }
  const ms = fromLocal(timeZone, midnight)
  return { ms, offset: zoneOffset(timeZone, ms) }
}
