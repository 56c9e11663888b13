/** Reads WHOOP's workouts. */
import { OTHER_SPORT } from '../../../catalogue/sports.ts'
import { asText, type JsonObject } from '../../shared/json-fields.ts'
import { filled, hasValue } from '../field-table.ts'
import type { LivePage } from '../page.ts'
import { contentVersion } from '../windows.ts'
import { addWorkout as addRecord } from '../workout-record.ts'
import { WORKOUT_FIELDS, WORKOUT_ZONES } from './mapping.ts'
import { readRecordTime } from './record-time.ts'
import { scored } from './sleep.ts'
import { readSport } from './sports.ts'

export function addWorkout(workout: JsonObject, page: LivePage) {
  const view = page.view('workout', workout)
  const [id, time] = [asText(workout['id']), readRecordTime(workout)]
  if (id === undefined || time === null || time.end === null) return view.leaveOut('without id or times')
  const sport = readSport(view.text('sport_name') ?? '')
  if (sport === undefined) page.skip('workout.sport_name')
  const scoredWorkout = scored(view)
  const zones = filled(WORKOUT_ZONES, scoredWorkout)
  addRecord(page, {
    id,
    version: contentVersion(workout),
    sport: sport ?? OTHER_SPORT,
    sourceType: 'watch',
    start: time.start,
    end: time.end,
    offset: time.offset,
    stated: {
      ...filled(WORKOUT_FIELDS, scoredWorkout),
      hr_zones: hasValue(zones) ? WORKOUT_ZONES.map(({ to }) => zones[to] ?? 0) : null,
    },
  })
}
