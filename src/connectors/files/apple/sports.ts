/** The activity types of an export's workouts as sports. */
import { OTHER_SPORT, SPORTS, type Sport } from '../../../catalogue/sports.ts'

const PREFIX = 'HKWorkoutActivityType'

const byType: ReadonlyMap<string, Sport> = new Map(SPORTS.map(each => [PREFIX + each.name.replaceAll(' ', ''), each]))

/** The sport of a `workoutActivityType`; everything that is not known is "Other". */
export function sportOf(activityType: string): Sport {
  return byType.get(activityType) ?? OTHER_SPORT
}
