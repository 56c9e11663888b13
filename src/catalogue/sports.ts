/** Workout sports, with ID, name and slug. */

export interface Sport {
  readonly id: number
  readonly name: string
  /** Slug, such as `cross_country_skiing`. A workout's samples contain it as their sport. */
  readonly slug: string
}

/** Sports with IDs from 1. The IDs are stored, so add new sports at the end of the second list. */
const FROM_1 =
  'AmericanFootball Archery AustralianFootball Badminton Baseball Basketball Bowling Boxing Climbing Cricket CrossTraining ' +
  'Curling Cycling Dance DanceInspiredTraining Elliptical EquestrianSports Fencing Fishing FunctionalStrengthTraining Golf ' +
  'Gymnastics Handball Hiking Hockey Hunting Lacrosse MartialArts MindAndBody MixedMetabolicCardioTraining PaddleSports Play ' +
  'PreparationAndRecovery Racquetball Rowing Rugby Running Sailing SkatingSports SnowSports Soccer Softball Squash ' +
  'StairClimbing SurfingSports Swimming TableTennis Tennis TrackAndField TraditionalStrengthTraining Volleyball Walking ' +
  'WaterFitness WaterPolo WaterSports Wrestling Yoga Barre CoreTraining CrossCountrySkiing DownhillSkiing Flexibility ' +
  'HighIntensityIntervalTraining JumpRope Kickboxing Pilates Snowboarding Stairs StepTraining WheelchairWalkPace ' +
  'WheelchairRunPace TaiChi MixedCardio HandCycling DiscSports FitnessGaming CardioDance SocialDance Pickleball Cooldown'
const FROM_82 =
  'SwimBikeRun Transition UnderwaterDiving TreadmillRunning TrailRunning IndoorCycling MountainBiking GravelCycling ' +
  'ElectricCycling VirtualRide OpenWaterSwimming Mountaineering Snowshoeing InlineSkating IceSkating Kayaking ' +
  'StandUpPaddling Windsurfing Kitesurfing Padel Multisport'
const OTHER_ID = 3000

/** Any sport that is not in the list. */
export const OTHER_SPORT: Sport = sport(OTHER_ID, 'Other')

export const SPORTS: readonly Sport[] = [
  ...FROM_1.split(' ').map((camel, index) => sport(1 + index, camel)),
  ...FROM_82.split(' ').map((camel, index) => sport(82 + index, camel)),
  OTHER_SPORT,
]

const bySlug = new Map(SPORTS.map(each => [each.slug, each]))

/** Sports that devices confuse with each other. */
const FAMILIES: readonly (readonly string[])[] = [
  ['running', 'treadmill_running', 'trail_running', 'track_and_field', 'wheelchair_run_pace'],
  [
    'cycling',
    'indoor_cycling',
    'mountain_biking',
    'gravel_cycling',
    'electric_cycling',
    'virtual_ride',
    'hand_cycling',
  ],
  ['swimming', 'open_water_swimming'],
  ['functional_strength_training', 'traditional_strength_training', 'core_training', 'cross_training'],
  ['walking', 'hiking', 'wheelchair_walk_pace', 'snowshoeing', 'mountaineering'],
]
const familyBySlug = new Map(FAMILIES.flatMap(slugs => slugs.map(slug => [slug, slugs[0] as string])))

/** Returns the name of a sport's family: the slug itself for a sport without relatives, and null for `other`, which matches any sport. */
export function sportFamily(slug: string): string | null {
  return slug === OTHER_SPORT.slug ? null : (familyBySlug.get(slug) ?? slug)
}

/** Returns the sport with this slug. */
export function sportNamed(slug: string): Sport | undefined {
  return bySlug.get(slug)
}

function sport(id: number, camel: string): Sport {
  const name = camel.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
  return { id, name, slug: name.toLowerCase().replaceAll(' ', '_') }
}
