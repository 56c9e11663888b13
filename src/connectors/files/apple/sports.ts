/** Maps activity types of an export's workouts to sports. */
import { OTHER_SPORT, SPORTS, type Sport } from '../../../catalogue/sports.ts'

const PREFIX = 'HKWorkoutActivityType'

const byType: ReadonlyMap<string, Sport> = new Map(SPORTS.map(each => [PREFIX + each.name.replaceAll(' ', ''), each]))

/** Returns a `workoutActivityType`'s sport. Unknown types are "Other". */
export function readSport(activityType: string): Sport {
  return byType.get(activityType) ?? OTHER_SPORT
}
