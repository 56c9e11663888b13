/** Generated summaries: consecutive or scattered nights and days, with missing values, duplicate sessions and equal times. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { DAY, printDate, printTime, readDate } from '../calendar.ts'
import type { PlainSummary } from '../data.ts'
import { offset, type PlainSource } from './pools.ts'

/** The user of these summaries: their IDs start with its first six bytes. */
export const USER_ID = '5b1c0d2e-0000-4000-8000-000000000001'

/** Derives an ID; the same parts give the same ID. */
function hashId(...parts: readonly unknown[]): string {
  const hex = createHash('sha256').update(parts.join('|')).digest('hex')
  return `${USER_ID.slice(0, 13)}-8${hex.slice(1, 4)}-8${hex.slice(5, 8)}-${hex.slice(8, 20)}`
}

const whole = (min: number, max: number) => fc.option(fc.integer({ min, max }), { freq: 6 })
const tenths = (min: number, max: number) =>
  fc.option(
    fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: min * 10, max: max * 10 }).map(n => n / 10) },
      fc.double({ min, max, noNaN: true }),
    ),
    { freq: 6 },
  )
const text = (...texts: readonly string[]) => fc.option(fc.constantFrom(...texts), { freq: 4 })
const written = (ms: number): string => `${printTime(ms)}+00:00`

/** The common parts of every summary: a day relative to the base, a source, an offset, its app. */
export interface Frame {
  readonly day: number
  readonly from: PlainSource
  readonly offsetSec: number | null
  readonly appId: string | null
  /** Half hours since the start of the day. */
  readonly slot: number
}

const frame = (sources: readonly PlainSource[], spread: number) =>
  fc.record({
    day: fc.integer({ min: -spread, max: spread }),
    from: fc.constantFrom(...sources),
    offsetSec: offset,
    appId: text('com.example.a', 'com.example.b'),
    slot: fc.integer({ min: 0, max: 47 }),
  })

/** Number of days before and after the base. */
const SPREAD = 45

/**
 * Lists of frames with a document each. In half of them the days are consecutive and mostly from one source. With a smaller spread, there
 * are always many.
 */
export function framed<T>(
  sources: readonly PlainSource[],
  document: fc.Arbitrary<T>,
  maxLength: number,
  spread = SPREAD,
): fc.Arbitrary<readonly (readonly [Frame, T])[]> {
  const isCrowded = spread < SPREAD
  const minLength = isCrowded ? maxLength / 2 : 0
  const list = fc.array(fc.tuple(frame(sources, spread), document), { minLength, maxLength })
  return fc.tuple(isCrowded ? fc.constant(false) : fc.boolean(), list).map(([inARow, all]) =>
    all.map(([each, own], i): readonly [Frame, T] => {
      if (!inARow) return [each, own]
      const first = sources[0] as PlainSource
      return [{ ...each, day: i - Math.floor(all.length / 2), from: each.slot % 8 === 0 ? each.from : first }, own]
    }),
  )
}

/** Returns a record with the instant and the date of a floating time. */
export function summary(
  kind: string,
  { from, offsetSec, appId }: Frame,
  local: number,
  name: readonly unknown[],
  document: Record<string, unknown>,
): PlainSummary {
  const atMs = local - (offsetSec ?? 0) * 1000
  return {
    kind,
    id: hashId(kind, from.provider, from.sourceType, ...name),
    ...from,
    appId,
    deviceId: appId === 'com.example.a' ? 'd1' : null,
    atMs,
    date: printDate(local),
    offsetSec,
    createdMs: atMs,
    updatedMs: atMs,
    document,
  }
}

const night = fc.record({
  hours: fc.constantFrom(8, 7.5, 6, 1, 2.5, 4, 10, 12),
  naps: fc.boolean(),
  type: text('long_sleep', 'short_sleep', 'acknowledged_nap'),
  state: text('tentative', 'confirmed'),
  total: whole(0, 36_000),
  awake: whole(0, 7200),
  light: whole(0, 20_000),
  rem: whole(0, 9000),
  deep: whole(0, 9000),
  score: whole(1, 100),
  recovery_readiness_score: whole(0, 100),
  latency: whole(0, 5000),
  hr_lowest: whole(38, 60),
  hr_average: tenths(40, 80),
  hr_resting: tenths(40, 70),
  efficiency: tenths(50, 100),
  average_hrv: tenths(20, 120),
  hrv_mean_sdnn: tenths(20, 150),
  temperature_delta: tenths(-2, 2),
  stage_unknown_second: whole(0, 500),
  time_zone: text('Europe/Berlin'),
  stages: fc.option(
    fc.array(fc.tuple(fc.constantFrom(-1, 1, 2, 3, 4, 4, 5), fc.integer({ min: 1, max: 90 })), { maxLength: 12 }),
  ),
  turned: fc.boolean(),
})

/** Nights, some with a hypnogram. */
export function nights(
  base: number,
  sources: readonly PlainSource[],
  spread?: number,
): fc.Arbitrary<readonly PlainSummary[]> {
  return framed(sources, night, 50, spread).map(list =>
    list.flatMap(([each, { hours, naps, stages, turned, ...document }]) => {
      const hour = spread === undefined ? (naps ? 14 : 5) + (each.slot % 8) / 2 : each.slot / 2
      const end = base + each.day * DAY + hour * 3_600_000
      const instant = end - (each.offsetSec ?? 0) * 1000
      const start = instant - hours * 3_600_000
      const sleep = summary('sleep', each, end, [start], {
        ...document,
        bedtime_start: written(start),
        bedtime_stop: written(instant),
        duration: hours * 3600,
      })
      return stages ? [sleep, hypnogram(each, sleep, end, start, stages, turned)] : [sleep]
    }),
  )
}

function hypnogram(
  each: Frame,
  sleep: PlainSummary,
  end: number,
  start: number,
  stages: readonly (readonly [number, number])[],
  turned: boolean,
): PlainSummary {
  let at = 0
  const segments = stages.map(([stage, minutes]) => {
    const from = at
    at += minutes * 60
    return { stage, from, to: at }
  })
  // the order of the lists is not guaranteed
  if (turned) segments.reverse()
  return summary('sleep_cycle', each, end, [start], {
    sleep_id: sleep.id,
    session_start: written(start),
    session_end: sleep.document['bedtime_stop'],
    stage_start_offset_second: segments.map(({ from }) => from),
    stage_end_offset_second: segments.map(({ to }) => to),
    stage_type: segments.map(({ stage }) => stage),
    time_zone: null,
  })
}

const day = fc.record({
  calories_total: tenths(1500, 3500),
  calories_active: tenths(0, 1500),
  steps: whole(0, 20_000),
  distance: tenths(0, 15_000),
  low: whole(0, 300),
  medium: whole(0, 90),
  high: whole(0, 60),
  floors_climbed: whole(0, 30),
  heart_rate: fc.option(
    fc.record({
      avg_bpm: tenths(50, 90),
      min_bpm: whole(40, 60),
      max_bpm: whole(90, 200),
      resting_bpm: tenths(40, 70),
    }),
  ),
  wheelchair_use: fc.option(fc.boolean()),
  time_zone: text('Europe/Berlin', 'America/New_York'),
})

/** Days of activity, one for each date and source. */
export function days(base: number, sources: readonly PlainSource[]): fc.Arbitrary<readonly PlainSummary[]> {
  return framed(sources, day, 50).map(list =>
    list.map(([each, document]) => {
      const local = base + each.day * DAY
      const record = summary('activity', each, local, [each.day], { ...document, timezone_offset: each.offsetSec })
      return { ...record, atMs: local }
    }),
  )
}

/** Returns a date some days later, or null. */
export const dateAfter = (local: number, days: number | null): string | null =>
  days === null ? null : printDate((readDate(printDate(local)) as number) + days * DAY)
