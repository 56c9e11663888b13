/** Pulls one collection of Oura in a window. */

import { present } from '../../../core/present.ts'
import { DAY_MS, parseDate, readInstant, SECOND_MS } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { type Beat, beatsWithin } from '../beats.ts'
import { mappedValue } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { dateAround, isWithin } from '../windows.ts'
import { OURA_COLLECTIONS, type OuraCollection } from './collections.ts'
import { readActivity, readSpo2, readVo2Max } from './days.ts'
import { OURA, type OuraDocument, ouraDocument } from './document.ts'
import { readSession, readTag } from './moments.ts'
import { readPerson } from './person.ts'
import { document, documentPages, personalInfo, timesOf } from './requests.ts'
import { readSleep } from './sleep.ts'
import { HEARTRATE_SAMPLES } from './tables.ts'
import { readWorkout, workoutTimes } from './workouts.ts'

type Range = Readonly<Record<string, string>>
/** Reads the documents of a page; the range is that of the request. */
type Reader = (session: GrantSession, documents: readonly OuraDocument[], range: Range) => Promise<void>

const READERS: Readonly<Record<string, Reader>> = {
  daily_activity: each(readActivity),
  daily_spo2: each(readSpo2),
  vO2_max: each(readVo2Max),
  sleep: readNights,
  workout: readWorkouts,
  session: async (session, documents) => {
    for (const document of documents) readSession(document, hasHeartRate(session))
  },
  enhanced_tag: each(readTag),
}

/** Tells whether the collection `heartrate` is pulled. Null for the scopes means those that were requested. */
function hasHeartRate({ grant, app }: GrantSession): boolean {
  return (grant.scopes ?? app.scopes).includes('heartrate')
}

/** Throws ProviderError. */
export async function* pullOura(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const collection = OURA_COLLECTIONS.find(({ name }) => name === asked.collection)
  if (collection === undefined) throw new Error(`pullOura: no collection ${asked.collection}`)
  if (collection.range === 'times') return yield* pullHeartRate(session, asked)
  if (collection.range === 'dates') return yield* pullDocuments(session, asked, collection)
  const page = new LivePage(OURA, asked)
  readPerson(page, await personalInfo(session), asked)
  yield page.take()
}

async function* pullDocuments(
  session: GrantSession,
  asked: PullRequest,
  { name, around: [before, after] }: OuraCollection,
): AsyncGenerator<PulledPage> {
  const read = present(READERS[name], 'a reader')
  const { recordId, window } = asked
  if (recordId !== undefined) {
    const page = new LivePage(OURA, asked)
    const fields = await document(session, name, recordId)
    if (fields === null) page.gone(recordId)
    else {
      const found = documentsIn(page, asked, name, [fields])
      const day = parseDate(found[0]?.day ?? '') ?? 0
      await read(session, found, { start_date: dateAround(day, 0), end_date: dateAround(day, 1) })
    }
    yield page.take()
    return
  }
  const range = { start_date: dateAround(window.from, -before), end_date: dateAround(window.to, after) }
  for await (const documents of documentPages(session, name, range)) {
    const page = new LivePage(OURA, asked)
    const found = documentsIn(page, asked, name, documents)
    // the range is wider than the window
    await read(
      session,
      found.filter(({ day }) => isWithin(asked, parseDate(day) ?? 0)),
      range,
    )
    yield page.take()
  }
}

function documentsIn(
  page: LivePage,
  asked: PullRequest,
  name: string,
  documents: readonly (JsonObject | undefined)[],
): readonly OuraDocument[] {
  return documents.flatMap(fields => {
    const found = fields && ouraDocument(page, asked, fields)
    if (found === undefined) page.skip(`${name} (unreadable)`)
    return found ?? []
  })
}

function each(read: (document: OuraDocument) => void): Reader {
  return async (_session, documents) => documents.forEach(read)
}

async function readNights(session: GrantSession, nights: readonly OuraDocument[], range: Range): Promise<void> {
  if (nights.length === 0) return
  const days = nights.map(({ day }) => day).sort()
  // only the days of this page
  const between = {
    ...range,
    start_date: present(days[0], 'a day'),
    end_date: dateAround(parseDate(days.at(-1) ?? '') ?? 0, 1),
  }
  const scores = await byDay(session, 'daily_sleep', between)
  const readiness = await byDay(session, 'daily_readiness', between)
  for (const night of nights) readSleep(night, { scores, readiness, hasHeartRate: hasHeartRate(session) })
}

async function byDay(session: GrantSession, path: string, range: Range): Promise<ReadonlyMap<string, JsonObject>> {
  const days = new Map<string, JsonObject>()
  for await (const documents of documentPages(session, path, range)) {
    for (const fields of documents) {
      const day = asText(fields?.['day'])
      if (fields !== undefined && day !== undefined) days.set(day, fields)
    }
  }
  return days
}

async function readWorkouts(session: GrantSession, workouts: readonly OuraDocument[]): Promise<void> {
  for (const workout of workouts) {
    const times = workout.page.supplies('workout_stream') ? workoutTimes(workout) : undefined
    readWorkout(workout, times === undefined ? [] : await beatsBetween(session, times.start.ms, times.end.ms))
  }
}

/** Returns the readings from `from` to `to`, both included, ascending. */
async function beatsBetween(session: GrantSession, from: number, to: number): Promise<readonly Beat[]> {
  const beats: Beat[] = []
  for await (const rows of documentPages(session, 'heartrate', timesOf(from - SECOND_MS, to + SECOND_MS))) {
    for (const row of rows) {
      const beat = beatOf(row)
      if (beat !== undefined) beats.push(beat)
    }
  }
  return beatsWithin(beats, from, to)
}

async function* pullHeartRate(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const { window } = asked
  // whether the ends belong to a range is not documented
  for (let from = window.from; from < window.to; from += DAYS_A_CALL * DAY_MS) {
    const to = Math.min(window.to, from + DAYS_A_CALL * DAY_MS)
    for await (const rows of documentPages(session, 'heartrate', timesOf(from - SECOND_MS, to + SECOND_MS))) {
      const page = new LivePage(OURA, asked)
      for (const row of rows) {
        const beat = beatOf(row)
        if (beat === undefined) page.skip('heartrate (unreadable)')
        else if (beat.at >= from && (beat.at < to || to === window.to) && isWithin(asked, beat.at)) {
          const text = { type: asText(row?.['source']) ?? null }
          const sample = { resource: 'heartrate', sourceType: 'ring', start: beat.at, value: beat.bpm, text }
          page.samples.add(sample, 'heartrate')
        }
      }
      yield page.take()
    }
  }
}

const DAYS_A_CALL = 29

const AFTER_1973_MS = 1e11

function beatOf(row: JsonObject | undefined): Beat | undefined {
  // the same time as a number, which is read ten times as fast
  const unix = row?.['timestamp_unix']
  const at = typeof unix === 'number' && unix > AFTER_1973_MS ? unix : readInstant(row?.['timestamp'])
  const bpm = mappedValue(present(HEARTRATE_SAMPLES[0], 'a rule'), row)
  return at === undefined || bpm === undefined ? undefined : { at, bpm }
}
