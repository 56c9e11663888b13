/** Workouts of WHOOP. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import type { PulledPage, PullRequest } from '../../connector.ts'
import { asText, type JsonObject } from '../../files/json/fields.ts'
import type { GrantSession } from '../../provider-session.ts'
import { countUnknown, fieldsOf } from '../field-mapping.ts'
import { LivePage } from '../page.ts'
import { versionOf } from '../windows.ts'
import { addWorkout as addRecord } from '../workout-record.ts'
import { KNOWN, WORKOUT } from './mapping.ts'
import { timeOf } from './record-time.ts'
import { one, pages } from './requests.ts'
import { PROVIDER, scored } from './sleep.ts'
import { sportOf } from './sports.ts'

const WORKOUTS = '/v2/activity/workout'
const ZONES = 6

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
  const name = asText(workout['sport_name'])
  const sport = sportOf(name ?? '')
  if (sport === OTHER_SPORT && name !== undefined && name !== 'other') page.skip('workout.sport_name')
  const values = fieldsOf('workouts', scored(workout), WORKOUT)
  const zones = Array.from({ length: ZONES }, (_, i) => values[`hr_zones.${i}`])
  const hasZones = zones.some(each => each !== undefined)
  addRecord(page, asked, {
    id,
    version: versionOf(workout),
    sport,
    sourceType: 'watch',
    start: time.start,
    end: time.end,
    offset: time.offset,
    stated: { ...values, hr_zones: hasZones ? zones.map(each => each ?? 0) : null },
  })
  countUnknown(workout, 'workout', KNOWN.workout, page)
}
