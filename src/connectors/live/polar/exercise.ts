/** Exercises of Polar: those that were uploaded in the last 30 days, and after the person was registered. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { type EpochMs, readInstant } from '../../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asNumber, asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf, objectsIn } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { addWorkout } from '../workout-record.ts'
import { pointsOf } from './exercise-points.ts'
import { EXERCISE, KNOWN } from './mapping.ts'
import { read, readIfAny, recordsIn, startOf, withUnderscores } from './requests.ts'
import { sourceTypeOf, sportOf } from './sports.ts'
import { durationMs } from './times.ts'

const EXERCISES = '/v3/exercises'
const ZONES = 6

/**
 * Yields exercises by the time of their upload, so that one that a watch kept for days comes too. Each is read on its own, because a list
 * with all samples has no limit.
 */
export async function* pullExercises(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('polar', asked)
  const { recordId, window } = asked
  if (recordId !== undefined) {
    yield pageOf(context, [(await exerciseOfId(session, context, recordId)) ?? deletedRecord(recordId)])
    return
  }
  const listed = recordsIn(await read(session, EXERCISES), 'exercises', 'id').map(withUnderscores)
  for (const each of listed) {
    const id = asText(each['id'])
    const at = uploadedAt(each)
    if (id === undefined || at === undefined) {
      context.unmapped.count('exercise without id or times')
      yield pageOf(context, [])
    } else if (window.from <= at && at < window.to) {
      yield pageOf(context, [await exerciseOfId(session, context, id)])
    }
  }
}

/** Returns the time of the upload, which is in UTC. */
function uploadedAt(exercise: JsonObject): EpochMs | undefined {
  return readInstant(exercise['upload_time']) ?? startOf(exercise)?.at
}

async function exerciseOfId(session: GrantSession, context: PullContext, id: string): Promise<ProviderRecord | null> {
  const path = `${EXERCISES}/${encodeURIComponent(id)}`
  const [found] = recordsIn(
    await readIfAny(session, path, { samples: 'true', zones: 'true', route: 'true' }),
    'exercises',
    'id',
  )
  return found === undefined ? null : exerciseRecord(context, id, withUnderscores(found))
}

function exerciseRecord(context: PullContext, id: string, exercise: JsonObject): ProviderRecord | null {
  const { unmapped } = context
  const start = startOf(exercise)
  const duration = durationMs(exercise['duration'])
  if (start === undefined || duration === undefined) {
    unmapped.count('exercise without id or times')
    return null
  }
  const [detailed, name] = [asText(exercise['detailed_sport_info']), asText(exercise['sport'])]
  const sport = sportOf(detailed, name)
  if (sport === OTHER_SPORT && detailed !== 'OTHER' && (detailed ?? name) !== undefined) {
    unmapped.count('exercise.detailed_sport_info')
  }
  const draft = new RecordDraft(context, id)
  addWorkout(draft, {
    sport,
    title: null,
    sourceType: sourceTypeOf(asText(exercise['device'])),
    start: start.at,
    end: start.at + duration,
    offset: start.offset,
    stated: { ...fieldsOf('workouts', exercise, EXERCISE), hr_zones: zonesOf(exercise) },
    points: pointsOf(exercise, start.at, unmapped),
  })
  countUnknown(exercise, 'exercise', KNOWN.exercise, unmapped)
  return draft.finish(versionOf(exercise))
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
