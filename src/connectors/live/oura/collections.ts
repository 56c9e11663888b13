/** Oura's collections as data. */
import { MINUTE_MS, parseDate } from '../../../core/time.ts'
import type { Collection } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import type { JsonObject } from '../../shared/json-fields.ts'
import { alone, type CollectionPlan, collection, type LiveCollection, NEWEST } from '../collection.ts'
import { getObject, getRecord } from '../requests.ts'
import { dateAround, isWithin } from '../windows.ts'
import { readActivity, readSpo2, readVo2Max } from './days.ts'
import { collectionPath, documentDay, documentPages, OURA, type OuraDocument, ouraDocument } from './document.ts'
import { addHeartRate, heartRatePages } from './heart-rate.ts'
import { readSession, readTag } from './moments.ts'
import { readPerson } from './person.ts'
import { type NightScores, readSleep, withScores } from './sleep.ts'
import { readWorkout } from './workouts.ts'

const HOUR = 60 * MINUTE_MS
const HISTORY = { historyDays: Number.POSITIVE_INFINITY, emptyWindows: 3 } as const
const BY_DATE = { windowDays: 30, ...HISTORY, pollMs: HOUR, overlapDays: 4 } as const

/** Yields documents listed by calendar date, from `before` days before to `after` days after the UTC dates of a window. */
function listed(name: string, [before, after]: readonly [before: number, after: number] = [0, 2]) {
  // some collections have an exclusive end, and east of UTC a day begins earlier than in UTC
  return {
    name,
    async *pages(session, asked) {
      const { from, to } = asked.window
      const range = { start_date: dateAround(from, -before), end_date: dateAround(to, after) }
      for await (const documents of documentPages(session, name, range)) {
        // the range is wider than the window, so documents outside it are dropped; documents without a day are counted
        yield documents.filter(each => isWithin(asked, parseDate(documentDay(each) ?? '') ?? asked.window.from))
      }
    },
    one: (session, id) => getRecord(session, `${collectionPath(name)}/${encodeURIComponent(id)}`),
  } satisfies Partial<CollectionPlan<JsonObject | undefined>> & Pick<Collection, 'name'>
}

/** Returns a collection whose documents are read one by one. */
function documents(
  list: ReturnType<typeof listed>,
  read: (document: OuraDocument, session: TokenSession) => void | Promise<void>,
  more: Pick<Collection, 'resources' | 'scopes'> & Partial<Collection>,
): LiveCollection {
  const { name, pages, one } = list
  return collection<JsonObject | undefined>(
    OURA,
    { ...BY_DATE, name, ...more },
    {
      pages,
      one,
      map(fields, page, session) {
        const document = ouraDocument(page, name, fields)
        return document && read(document, session)
      },
    },
  )
}

const NIGHT = ['sleep', 'sleep_cycle', 'heartrate', 'hrv', 'respiratory_rate', 'body_temperature_delta']
// a late nap is listed under the next day
const SLEEP = listed('sleep', [0, 3])

export const OURA_COLLECTIONS: readonly LiveCollection[] = [
  documents(listed('daily_activity'), readActivity, {
    resources: ['activity', 'steps', 'distance', 'calories_active', 'calories_basal'],
    scopes: ['daily'],
  }),
  collection<NightScores>(
    OURA,
    // contains the night's heart rate, for people who did not grant the scope for the daytime heart rate
    { ...BY_DATE, name: SLEEP.name, resources: NIGHT, scopes: ['daily'] },
    {
      async *pages(session, asked) {
        for await (const nights of SLEEP.pages(session, asked)) yield await withScores(session, nights)
      },
      async one(session, id) {
        const night = await SLEEP.one(session, id)
        return night && ((await withScores(session, [night]))[0] ?? null)
      },
      map: readSleep,
    },
  ),
  documents(listed('daily_spo2'), readSpo2, { resources: ['blood_oxygen'], scopes: ['spo2'], windowDays: 90 }),
  // the required scope is not documented, but a refusal names it
  documents(listed('vO2_max'), readVo2Max, { resources: ['vo2_max'], scopes: [], windowDays: 90, pollMs: 6 * HOUR }),
  // the range is in UTC dates, but `day` is a local date
  documents(listed('workout', [2, 3]), readWorkout, {
    resources: ['workouts', 'workout_stream', 'workout_duration', 'workout_distance'],
    scopes: ['workout'],
    windowDays: 90,
  }),
  documents(listed('session'), readSession, {
    resources: ['mindfulness_minutes', 'heartrate'],
    scopes: ['session'],
    windowDays: 90,
  }),
  documents(listed('enhanced_tag'), readTag, { resources: ['note'], scopes: ['tag'], windowDays: 90 }),
  collection(
    OURA,
    // Oura allows 30 days per call, and the request adds a second on both sides
    {
      ...{ ...HISTORY, windowDays: 29, pollMs: 30 * MINUTE_MS, overlapDays: 3 },
      ...{ name: 'heartrate', resources: ['heartrate'], scopes: ['heartrate'] },
    },
    { pages: heartRatePages, map: addHeartRate },
  ),
  collection(
    OURA,
    { ...NEWEST, name: 'personal_info', resources: ['profile', 'body', 'weight'], scopes: ['personal'] },
    { pages: session => alone(getObject(session, collectionPath('personal_info'))), map: readPerson },
  ),
]
