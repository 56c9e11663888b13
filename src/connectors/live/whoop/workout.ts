/** Workouts of WHOOP. */

import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf } from '../field-mapping.ts'
import { deletedRecord, type PullContext, pageOf, pullContext, RecordDraft, versionOf } from '../record-draft.ts'
import { addWorkout } from '../workout-record.ts'
import { KNOWN, WORKOUT } from './mapping.ts'
import { timeOf } from './record-time.ts'
import { one, pages } from './requests.ts'
import { scored } from './sleep.ts'
import { sportOf } from './sports.ts'

const WORKOUTS = '/v2/activity/workout'
const ZONES = 6

export async function* pullWorkouts(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const context = pullContext('whoop_v2', asked)
  const { recordId } = asked
  if (recordId !== undefined) {
    const workout = await one(session, `${WORKOUTS}/${encodeURIComponent(recordId)}`)
    yield pageOf(context, [workout === null ? deletedRecord(recordId) : workoutRecord(context, workout)])
    return
  }
  for await (const page of pages(session, WORKOUTS, asked.window)) {
    yield pageOf(
      context,
      page.map(each => workoutRecord(context, each)),
    )
  }
}

function workoutRecord(context: PullContext, workout: JsonObject): ProviderRecord | null {
  const id = asText(workout['id'])
  const time = timeOf(workout)
  if (id === undefined || time === null || time.end === null) {
    context.unmapped.count('workout without id or times')
    return null
  }
  const name = asText(workout['sport_name'])
  const sport = sportOf(name ?? '')
  if (sport === OTHER_SPORT && name !== undefined && name !== 'other') context.unmapped.count('workout.sport_name')
  const values = fieldsOf('workouts', scored(workout), WORKOUT)
  const zones = Array.from({ length: ZONES }, (_, i) => values[`hr_zones.${i}`])
  const hasZones = zones.some(each => each !== undefined)
  const draft = new RecordDraft(context, id)
  const { start, end, offset } = { ...time, end: time.end }
  const stated = { ...values, hr_zones: hasZones ? zones.map(each => each ?? 0) : null }
  addWorkout(draft, { sport, title: null, sourceType: 'watch', start, end, offset, stated })
  countUnknown(workout, 'workout', KNOWN.workout, context.unmapped)
  return draft.finish(versionOf(workout))
}
