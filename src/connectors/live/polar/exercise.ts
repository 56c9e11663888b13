/** Reads Polar's exercises that were uploaded in the last 30 days, after the person was registered. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { readInstant } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import type { TokenSession } from '../../provider-session.ts'
import { asNumber, asText, type JsonObject } from '../../shared/json-fields.ts'
import { filled } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import type { RecordView } from '../record-view.ts'
import { contentVersion, isWithin } from '../windows.ts'
import { addWorkout } from '../workout-record.ts'
import { collectPoints } from './exercise-points.ts'
import { EXERCISE_FIELDS } from './mapping.ts'
import { EXERCISES, getRecords, readStart, withUnderscores } from './requests.ts'
import { guessSourceType, readSport } from './sports.ts'
import { durationMs } from './times.ts'

const ZONES = 6
const PARTS = { samples: 'true', zones: 'true', route: 'true' } as const

/** An exercise; null if it has no ID or times. */
export type PolarExercise = { readonly id: string; readonly sent: JsonObject } | null

/**
 * Yields exercises by upload time, so that an exercise that stayed on a watch for days is included. Each one is read separately, because
 * the size of a list with all samples is unlimited.
 */
export async function* exercisePages(session: TokenSession, asked: PullRequest) {
  for (const each of await getRecords(session, EXERCISES)) {
    const listed = withUnderscores(each)
    const id = asText(listed['id'])
    // the upload time is in UTC
    const at = readInstant(listed['upload_time']) ?? readStart(listed)?.at
    if (id === undefined || at === undefined) yield [null]
    else if (isWithin(asked, at)) yield [(await exerciseNamed(session, id)) ?? []].flat()
  }
}

/** Returns an exercise, or null if Polar does not have it. Throws ProviderError. */
export async function exerciseNamed(session: TokenSession, id: string): Promise<PolarExercise> {
  const list = { ...EXERCISES, path: `${EXERCISES.path}/${encodeURIComponent(id)}` }
  const [found] = await getRecords(session, list, PARTS, 'is empty')
  return found === undefined ? null : { id, sent: withUnderscores(found) }
}

export function addExercise(item: PolarExercise, page: LivePage) {
  if (item === null) return page.skip('exercise without id or times')
  const { id, sent } = item
  const exercise = page.view('exercise', sent)
  const start = readStart(sent)
  const duration = durationMs(exercise.value('duration'))
  if (start === undefined || duration === undefined) return exercise.leaveOut('without id or times')
  const sport = readSport(exercise.text('detailed_sport_info'), exercise.text('sport'))
  if (sport === undefined) page.skip('exercise.detailed_sport_info')
  addWorkout(page, {
    id,
    version: contentVersion(sent),
    sport: sport ?? OTHER_SPORT,
    sourceType: guessSourceType(exercise.text('device')),
    start: start.at,
    end: start.at + duration,
    offset: start.offset,
    stated: { ...filled(EXERCISE_FIELDS, exercise), hr_zones: zoneSeconds(exercise) },
    points: collectPoints(exercise, start.at, page),
  })
}

/** Returns seconds in six zones, or null. Polar has zones 1 to 5; the lowest of the six zones stays at 0. */
function zoneSeconds(exercise: RecordView): readonly number[] | null {
  const zones = exercise.objects('heart_rate_zones')
  if (zones.length === 0) return null
  const seconds = new Array<number>(ZONES).fill(0)
  for (const each of zones) {
    const index = asNumber(each['index'])
    const inZone = durationMs(each['in_zone'])
    if (index !== undefined && index in seconds && inZone !== undefined) seconds[index] = inZone / 1000
  }
  return seconds
}
