/** Pulls one collection of Withings in a window. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asList, asObject, type JsonObject, member } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { type Beat, beatsWithin } from '../beats.ts'
import { mappedValue, numberAt } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { dateAround, isWithin, reachesPresent } from '../windows.ts'
import { ACTIVITY_DATA, INTRADAY_DATA, readDays, readPoints } from './activity.ts'
import { readRecording, recordingOf } from './heart.ts'
import { MEASURE_TYPES, readGroup, readHeight } from './measures.ts'
import { type Reading, WITHINGS } from './record.ts'
import { call, pages, seconds } from './requests.ts'
import { type Night, nightOf, readNight, SEGMENT_DATA, SUMMARY_DATA } from './sleep.ts'
import { HEIGHT, WORKOUT_HEART } from './tables.ts'
import { readWorkout, type Training, trainingOf, WORKOUT_DATA } from './workouts.ts'

type Puller = (session: GrantSession, asked: PullRequest) => AsyncGenerator<PulledPage>

const PULLERS: Readonly<Record<string, Puller>> = {
  getmeas: pullMeasures,
  getactivity: pullDays,
  getintradayactivity: pullPoints,
  getworkouts: pullWorkouts,
  sleep: pullNights,
  heart: pullHeart,
  profile: pullProfile,
}

/** Throws ProviderError. */
export function pullWithings(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const pull = PULLERS[asked.collection]
  if (pull === undefined) throw new Error(`pullWithings: no collection ${asked.collection}`)
  return pull(session, asked)
}

async function* pullMeasures(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const form = { action: 'getmeas', meastypes: MEASURE_TYPES, category: '1' }
  const { from } = asked.window
  // up to the present, what changed since is asked for: a scale may send old measures late
  const isNewest = reachesPresent(asked)
  const range = isNewest ? { lastupdate: seconds(from, 'down') } : secondsOf(asked.window)
  for await (const { rows, body } of pages(session, '/measure', { ...form, ...range }, 'measuregrps')) {
    const reading = readingOf(asked)
    for (const row of rows) {
      const date = numberAt(row, 'date')
      if (isNewest || date === undefined || isWithin(asked, date * SECOND_MS)) readGroup(reading, row, body)
    }
    yield reading.page.take()
  }
}

async function* pullProfile(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const reading = readingOf(asked)
  const groups: (JsonObject | undefined)[] = []
  let answer: unknown
  const form = { action: 'getmeas', meastypes: String(HEIGHT), category: '1', lastupdate: '0' }
  for await (const { rows, body } of pages(session, '/measure', form, 'measuregrps')) {
    groups.push(...rows)
    answer = body
  }
  readHeight(reading, groups, answer)
  yield reading.page.take()
}

async function* pullDays(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const form = { action: 'getactivity', data_fields: ACTIVITY_DATA, ...datesOf(asked.window) }
  for await (const { rows } of pages(session, '/v2/measure', form, 'activities')) {
    const reading = readingOf(asked)
    readDays(reading, rows)
    yield reading.page.take()
  }
}

async function* pullPoints(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  for (const part of daysOf(asked.window)) {
    const form = { action: 'getintradayactivity', data_fields: INTRADAY_DATA, ...secondsOf(part) }
    const reading = readingOf(asked)
    readPoints(reading, await call(session, '/v2/measure', form), part.from, part.to)
    yield reading.page.take()
  }
}

async function* pullWorkouts(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const form = { action: 'getworkouts', data_fields: WORKOUT_DATA, ...datesOf(asked.window) }
  for await (const { rows } of pages(session, '/v2/measure', form, 'series')) {
    const reading = readingOf(asked)
    for (const row of rows) {
      const training = trainingOf(row)
      if (training === undefined) reading.page.skip('getworkouts (unreadable)')
      else if (isWithin(asked, training.start)) {
        const hasStream = reading.page.supplies('workout_stream')
        readWorkout(reading, training, hasStream ? await beatsIn(session, training) : [])
      }
    }
    yield reading.page.take()
  }
}

/** Returns the readings of the heart rate within a workout, ascending. */
async function beatsIn(session: GrantSession, { start, end }: Training): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  for (const part of daysOf({ from: start, to: end })) {
    const form = { action: 'getintradayactivity', data_fields: WORKOUT_HEART.from, ...secondsOf(part) }
    const series = asObject(member(await call(session, '/v2/measure', form), 'series')) ?? {}
    for (const [second, point] of Object.entries(series)) {
      const bpm = mappedValue(WORKOUT_HEART, point)
      if (bpm !== undefined) beats.push({ at: Number(second) * SECOND_MS, bpm })
    }
  }
  return beatsWithin(beats, start, end)
}

/** A night belongs to the window in which it ends. */
async function* pullNights(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const form = { action: 'getsummary', data_fields: SUMMARY_DATA, ...datesOf(asked.window) }
  for await (const { rows } of pages(session, '/v2/sleep', form, 'series')) {
    const reading = readingOf(asked)
    for (const row of rows) {
      const night = nightOf(row)
      if (night === undefined) reading.page.skip('getsummary (unreadable)')
      else if (isWithin(asked, night.end)) {
        const { segments, model } = await segmentsOf(session, night)
        readNight(reading, night, segments, model)
      }
    }
    yield reading.page.take()
  }
}

async function segmentsOf(session: GrantSession, night: Night) {
  // by their start: one that lies in two parts comes twice
  const segments = new Map<number | undefined, JsonObject | undefined>()
  let model: number | undefined
  // whether a range includes its ends is not documented, so a minute more is asked for
  for (const part of daysOf({ from: night.start - MINUTE_MS, to: night.end + MINUTE_MS })) {
    const body = await call(session, '/v2/sleep', { action: 'get', data_fields: SEGMENT_DATA, ...secondsOf(part) })
    for (const segment of asList(member(body, 'series')).map(asObject)) {
      const start = numberAt(segment, 'startdate')
      if (!segments.has(start)) segments.set(start, segment)
    }
    model ??= numberAt(body, 'model')
  }
  return { segments: [...segments.values()], model }
}

async function* pullHeart(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const form = { action: 'list', ...secondsOf(asked.window) }
  for await (const { rows, body } of pages(session, '/v2/heart', form, 'series')) {
    const reading = readingOf(asked)
    for (const row of rows) {
      const recording = recordingOf(row)
      if (recording === undefined) reading.page.skip('heart list (without an electrocardiogram)')
      else if (isWithin(asked, recording.start)) {
        const signal = await call(session, '/v2/heart', { action: 'get', signalid: recording.id })
        readRecording(reading, recording, signal, body)
      }
    }
    yield reading.page.take()
  }
}

function readingOf(asked: PullRequest): Reading {
  return { page: new LivePage(WITHINGS, asked), asked }
}

/** Splits a window into days of whole seconds: what is asked for beyond 24 hours is cut off silently. */
function daysOf({ from, to }: PullWindow): readonly PullWindow[] {
  const [first, last] = [Math.floor(from / SECOND_MS) * SECOND_MS, Math.ceil(to / SECOND_MS) * SECOND_MS]
  const days = Math.max(1, Math.ceil((last - first) / DAY_MS))
  return Array.from({ length: days }, (_, i) => ({
    from: first + i * DAY_MS,
    to: Math.min(last, first + (i + 1) * DAY_MS),
  }))
}

function secondsOf({ from, to }: PullWindow) {
  return { startdate: seconds(from, 'down'), enddate: seconds(to, 'up') }
}

/** Dates of the records are local: a day more on both sides covers every zone. */
function datesOf({ from, to }: PullWindow) {
  return { startdateymd: dateAround(from, -1), enddateymd: dateAround(to, 2) }
}
