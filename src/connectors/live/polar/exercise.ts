/** Exercises of Polar: those that were uploaded in the last 30 days, and after the person was registered. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { type EpochMs, readInstant } from '../../../core/time.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject, objectsIn } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { filled } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { isWithin, versionOf } from '../windows.ts'
import { addWorkout } from '../workout-record.ts'
import { pointsOf } from './exercise-points.ts'
import { EXERCISE_FIELDS, KNOWN } from './mapping.ts'
import { PROVIDER, read, readIfAny, recordsIn, startOf, withUnderscores } from './requests.ts'
import { sourceTypeOf, sportOf } from './sports.ts'
import { durationMs } from './times.ts'

const EXERCISES = '/v3/exercises'
const ZONES = 6

/**
 * Yields exercises by the time of their upload, so that one that a watch kept for days comes too. Each is read on its own, because a list
 * with all samples has no limit.
 */
export async function* pullExercises(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const { recordId } = asked
  if (recordId !== undefined) {
    const page = new LivePage(PROVIDER, asked)
    if (!(await addExercise(session, page, asked, recordId))) page.gone(recordId)
    yield page.take()
    return
  }
  const listed = recordsIn(await read(session, EXERCISES), 'exercises', 'id').map(withUnderscores)
  for (const each of listed) {
    const id = asText(each['id'])
    const at = uploadedAt(each)
    const page = new LivePage(PROVIDER, asked)
    if (id === undefined || at === undefined) page.skip('exercise without id or times')
    else if (isWithin(asked, at)) await addExercise(session, page, asked, id)
    else continue
    yield page.take()
  }
}

/** Returns the time of the upload, which is in UTC. */
function uploadedAt(exercise: JsonObject): EpochMs | undefined {
  return readInstant(exercise['upload_time']) ?? startOf(exercise)?.at
}

/** Reads an exercise and adds it. Returns false if Polar does not have it. */
async function addExercise(session: GrantSession, page: LivePage, asked: PullRequest, id: string): Promise<boolean> {
  const path = `${EXERCISES}/${encodeURIComponent(id)}`
  const answer = await readIfAny(session, path, { samples: 'true', zones: 'true', route: 'true' })
  const [found] = recordsIn(answer, 'exercises', 'id').map(withUnderscores)
  if (found === undefined) return false
  const start = startOf(found)
  const duration = durationMs(found['duration'])
  if (start === undefined || duration === undefined) {
    page.skip('exercise without id or times')
    return true
  }
  const [detailed, name] = [asText(found['detailed_sport_info']), asText(found['sport'])]
  const sport = sportOf(detailed, name)
  if (sport === undefined) page.skip('exercise.detailed_sport_info')
  addWorkout(page, asked, {
    id,
    version: versionOf(found),
    sport: sport ?? OTHER_SPORT,
    sourceType: sourceTypeOf(asText(found['device'])),
    start: start.at,
    end: start.at + duration,
    offset: start.offset,
    stated: { ...filled(EXERCISE_FIELDS, found), hr_zones: zonesOf(found) },
    points: pointsOf(found, start.at, page),
  })
  countUnknown(found, 'exercise', KNOWN.exercise, page)
  return true
}

/** Returns seconds in six zones, or null. Polar has the zones 1 to 5; the lowest of six stays at 0. */
function zonesOf(exercise: JsonObject): readonly number[] | null {
  const zones = objectsIn(exercise['heart_rate_zones'])
  if (zones.length === 0) return null
  const seconds = new Array<number>(ZONES).fill(0)
  for (const each of zones) {
    const index = asNumber(each['index'])
    const inZone = durationMs(each['in_zone'])
    if (index !== undefined && index in seconds && inZone !== undefined) seconds[index] = inZone / 1000
  }
  return seconds
}
