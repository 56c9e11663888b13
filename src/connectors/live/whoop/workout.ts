/** Workouts of WHOOP. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { filled, hasValue } from '../field-table.ts'
import { LivePage } from '../page.ts'
import { countUnknown } from '../unknown-fields.ts'
import { versionOf } from '../windows.ts'
import { addWorkout as addRecord } from '../workout-record.ts'
import { KNOWN, WORKOUT_FIELDS, WORKOUT_ZONES } from './mapping.ts'
import { timeOf } from './record-time.ts'
import { one, pages } from './requests.ts'
import { PROVIDER, scored } from './sleep.ts'
import { sportOf } from './sports.ts'

const WORKOUTS = '/v2/activity/workout'

export async function* pullWorkouts(session: GrantSession, asked: PullRequest): AsyncGenerator<PulledPage> {
  const { recordId } = asked
  if (recordId !== undefined) {
    const page = new LivePage(PROVIDER, asked)
    const workout = await one(session, `${WORKOUTS}/${encodeURIComponent(recordId)}`)
    if (workout === null) page.gone(recordId)
    else addWorkout(page, asked, workout)
    yield page.take()
    return
  }
  for await (const workouts of pages(session, WORKOUTS, asked.window)) {
    const page = new LivePage(PROVIDER, asked)
    for (const each of workouts) addWorkout(page, asked, each)
    yield page.take()
  }
}

function addWorkout(page: LivePage, asked: PullRequest, workout: JsonObject): void {
  const id = asText(workout['id'])
  const time = timeOf(workout)
  if (id === undefined || time === null || time.end === null) {
    page.skip('workout without id or times')
    return
  }
  const sport = sportOf(asText(workout['sport_name']) ?? '')
  if (sport === undefined) page.skip('workout.sport_name')
  const zones = filled(WORKOUT_ZONES, scored(workout))
  addRecord(page, asked, {
    id,
    version: versionOf(workout),
    sport: sport ?? OTHER_SPORT,
    sourceType: 'watch',
    start: time.start,
    end: time.end,
    offset: time.offset,
    stated: {
      ...filled(WORKOUT_FIELDS, scored(workout)),
      hr_zones: hasValue(zones) ? WORKOUT_ZONES.map(({ to }) => zones[to] ?? 0) : null,
    },
  })
  countUnknown(workout, 'workout', KNOWN.workout, page)
}
