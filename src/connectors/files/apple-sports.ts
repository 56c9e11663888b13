/** The activity types of an export's workouts as sports. */

export interface Sport {
  readonly id: number
  readonly name: string
  readonly slug: string
}

const PREFIX = 'HKWorkoutActivityType'
const OTHER_ID = 3000

/** In the order of the numbers that the platform gives them, from 1 on. */
const IN_ORDER =
  'AmericanFootball Archery AustralianFootball Badminton Baseball Basketball Bowling Boxing Climbing Cricket CrossTraining ' +
  'Curling Cycling Dance DanceInspiredTraining Elliptical EquestrianSports Fencing Fishing FunctionalStrengthTraining Golf ' +
  'Gymnastics Handball Hiking Hockey Hunting Lacrosse MartialArts MindAndBody MixedMetabolicCardioTraining PaddleSports Play ' +
  'PreparationAndRecovery Racquetball Rowing Rugby Running Sailing SkatingSports SnowSports Soccer Softball Squash ' +
  'StairClimbing SurfingSports Swimming TableTennis Tennis TrackAndField TraditionalStrengthTraining Volleyball Walking ' +
  'WaterFitness WaterPolo WaterSports Wrestling Yoga Barre CoreTraining CrossCountrySkiing DownhillSkiing Flexibility ' +
  'HighIntensityIntervalTraining JumpRope Kickboxing Pilates Snowboarding Stairs StepTraining WheelchairWalkPace ' +
  'WheelchairRunPace TaiChi MixedCardio HandCycling DiscSports FitnessGaming CardioDance SocialDance Pickleball Cooldown'

const SPORTS: ReadonlyMap<string, Sport> = new Map([
  ...IN_ORDER.split(' ').map((name, index): [string, Sport] => [PREFIX + name, sport(index + 1, name)]),
  [`${PREFIX}SwimBikeRun`, sport(82, 'SwimBikeRun')],
  [`${PREFIX}Transition`, sport(83, 'Transition')],
  [`${PREFIX}UnderwaterDiving`, sport(84, 'UnderwaterDiving')],
])

/** Everything the list does not know is "Other". */
export const OTHER_SPORT: Sport = sport(OTHER_ID, 'Other')

/** The sport of a `workoutActivityType`. */
export function sportOf(activityType: string): Sport {
  return SPORTS.get(activityType) ?? OTHER_SPORT
}

function sport(id: number, camel: string): Sport {
  const words = camel.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return { id, name: words, slug: words.toLowerCase().replaceAll(' ', '_') }
}
