/** The providers the service knows: names, ways of signing in, what they supply and from which devices (interface-gaps 2.5). */
import type { Region } from './regions.ts'
import type { SourceType } from './source-types.ts'

/** How an account at the provider is linked; '' where the data come by a file or a device alone. */
export type AuthType = 'oauth' | 'password' | 'email' | 'sdk' | 'app' | ''

export interface Provider {
  /** Display name. */
  readonly name: string
  readonly slug: string
  readonly description: string
  /** URL; nothing is ever fetched from it. */
  readonly logo: string
  readonly authType: AuthType
  /**
   * Keys of interface-gaps 2.2 (Resource), `weight` and `fat` for body_weight and body_fat. For the password providers these
   * are exactly what their simulated people supply (connectors/synthetic).
   */
  readonly supportedResources: readonly string[]
  /** The regions it offers; empty: a region does not apply to it. */
  readonly regions: readonly Region[]
  /** The devices its data come from, the main one first. */
  readonly sourceTypes: readonly SourceType[]
  /** How far back a historical pull reaches at the provider (interface-gaps 8). */
  readonly historyDays: number
}

const MOVEMENT = ['activity', 'steps', 'distance', 'calories_active', 'heartrate'] as const
const NIGHT = ['sleep', 'sleep_cycle', 'hrv', 'respiratory_rate'] as const
/** What every simulated person supplies. */
const PERSON = [...MOVEMENT, ...NIGHT] as const
const SCALE = ['body', 'weight', 'fat'] as const
const WEARABLE = [...PERSON, 'workouts', 'calories_basal', 'blood_oxygen'] as const
const RECORDED = ['workouts', 'workout_stream'] as const

type Details = Partial<Pick<Provider, 'regions' | 'historyDays'>>

function provider(
  slug: string,
  name: string,
  authType: AuthType,
  sourceTypes: readonly SourceType[],
  supportedResources: readonly string[],
  description: string,
  details: Details = {},
): Provider {
  const logo = `https://logo.svc.example/${slug}.svg`
  return {
    name,
    slug,
    description,
    logo,
    authType,
    supportedResources,
    regions: [],
    sourceTypes,
    historyDays: 90,
    ...details,
  }
}

/** Regions in which the LibreView simulation offers accounts. */
const LIBREVIEW: readonly Region[] = [
  'us',
  'eu',
  'de',
  'fr',
  'ca',
  'gb',
  'ie',
  'au',
  'nz',
  'nl',
  'at',
  'be',
  'ch',
  'dk',
  'es',
  'fi',
  'it',
  'no',
  'pl',
  'pt',
  'se',
]

export const PROVIDERS: readonly Provider[] = [
  provider(
    'oura',
    'Oura',
    'oauth',
    ['ring', 'app', 'multiple_sources'],
    [...WEARABLE, 'body_temperature_delta', 'profile'],
    'Smart ring for sleep and recovery',
    { historyDays: 180 },
  ),
  provider(
    'fitbit',
    'Fitbit',
    'oauth',
    ['watch', 'scale', 'app', 'multiple_sources'],
    [...WEARABLE, ...SCALE, 'floors_climbed', 'water', 'profile'],
    'Watches, bands and scales',
  ),
  provider(
    'garmin',
    'Garmin',
    'oauth',
    ['watch', 'scale', 'cuff', 'app', 'multiple_sources'],
    [...WEARABLE, ...SCALE, 'floors_climbed', 'stress_level', 'blood_pressure', 'workout_stream', 'profile'],
    'Sports watches, scales and blood pressure monitors',
  ),
  provider(
    'whoop',
    'Whoop',
    'password',
    ['watch'],
    [...WEARABLE, 'profile', 'menstrual_cycle'],
    'Wrist band for strain and recovery',
    { historyDays: 180 },
  ),
  provider(
    'strava',
    'Strava',
    'oauth',
    ['app', 'watch', 'multiple_sources'],
    ['workouts', 'workout_stream', 'distance', 'heartrate'],
    'Recorded rides and runs',
    { historyDays: 14 },
  ),
  provider(
    'renpho',
    'Renpho',
    'password',
    ['scale', 'app'],
    [...PERSON, ...SCALE, 'profile'],
    'Body composition scales',
  ),
  provider(
    'peloton',
    'Peloton',
    'password',
    ['exercise_machine', 'app'],
    [...PERSON, ...RECORDED],
    'Exercise bikes and treadmills',
    { historyDays: 180 },
  ),
  provider(
    'wahoo',
    'Wahoo',
    'oauth',
    ['exercise_machine', 'chest_strap', 'app'],
    ['workouts', 'workout_stream', 'heartrate'],
    'Bike computers, trainers and chest straps',
    { historyDays: 180 },
  ),
  provider(
    'zwift',
    'Zwift',
    'password',
    ['exercise_machine', 'app'],
    [...PERSON, ...RECORDED],
    'Indoor rides and runs',
    { historyDays: 270 },
  ),
  provider(
    'freestyle_libre',
    'Freestyle Libre',
    'email',
    ['automatic', 'manual_scan'],
    ['glucose', 'carbohydrates', 'insulin_injection', 'note'],
    'Glucose sensors, shared with a practice',
    { regions: ['us', 'eu', 'de', 'fr', 'ca', 'gb', 'au'] },
  ),
  provider(
    'abbott_libreview',
    'Abbott LibreView',
    'password',
    ['automatic', 'manual_scan', 'app'],
    [...PERSON, 'glucose', 'insulin_injection', 'carbohydrates'],
    'Glucose sensors',
    { regions: LIBREVIEW },
  ),
  provider(
    'tandem_source',
    'Tandem Source',
    'password',
    ['insulin_pump', 'automatic', 'app'],
    [...PERSON, 'glucose', 'insulin_injection', 'carbohydrates'],
    'Insulin pumps',
  ),
  provider(
    'freestyle_libre_ble',
    'Freestyle Libre (Bluetooth)',
    'sdk',
    ['automatic', 'manual_scan'],
    ['glucose'],
    'Glucose sensors, read by the phone',
  ),
  provider('eight_sleep', 'Eight Sleep', 'password', ['unknown'], PERSON, 'Mattress that measures sleep'),
  provider(
    'withings',
    'Withings',
    'oauth',
    ['watch', 'scale', 'cuff', 'app'],
    [...WEARABLE, ...SCALE, 'blood_pressure', 'electrocardiogram', 'profile'],
    'Scales, watches and blood pressure monitors',
  ),
  provider(
    'apple_health_kit',
    'Apple HealthKit',
    'sdk',
    ['multiple_sources', 'watch', 'phone', 'app', 'unknown'],
    [
      ...WEARABLE,
      ...SCALE,
      'floors_climbed',
      'blood_pressure',
      'glucose',
      'vo2_max',
      'electrocardiogram',
      'menstrual_cycle',
      'water',
      'caffeine',
      'mindfulness_minutes',
      'profile',
    ],
    'Health data of an iPhone and Apple Watch',
    { historyDays: 30 },
  ),
  provider('manual', 'Manual', '', ['unknown', 'app', 'fingerprick', 'lab'], [], 'Data handed in by the customer'),
  provider(
    'ihealth',
    'iHealth',
    'oauth',
    ['cuff', 'scale', 'fingerprick', 'watch'],
    [...SCALE, 'blood_pressure', 'glucose', 'blood_oxygen', 'activity', 'steps', 'sleep'],
    'Blood pressure monitors, scales and glucose meters',
  ),
  provider(
    'google_fit',
    'Google Fit',
    'oauth',
    ['multiple_sources', 'phone', 'watch', 'app'],
    [...MOVEMENT, 'sleep', 'workouts', 'weight', 'body'],
    'Activity recorded by Android phones and watches',
  ),
  provider(
    'beurer_api',
    'Beurer',
    'password',
    ['scale', 'cuff', 'watch'],
    [...PERSON, ...SCALE, 'blood_pressure'],
    'Scales, blood pressure monitors and trackers',
  ),
  provider(
    'beurer_ble',
    'Beurer (Bluetooth)',
    'sdk',
    ['cuff', 'fingerprick'],
    ['blood_pressure', 'glucose'],
    'Blood pressure and glucose meters, read by the phone',
  ),
  provider(
    'omron',
    'Omron',
    'oauth',
    ['cuff', 'scale'],
    ['blood_pressure', 'weight', 'body'],
    'Blood pressure monitors and scales',
  ),
  provider(
    'omron_ble',
    'Omron (Bluetooth)',
    'sdk',
    ['cuff'],
    ['blood_pressure'],
    'Blood pressure monitors, read by the phone',
  ),
  provider(
    'onetouch_ble',
    'OneTouch (Bluetooth)',
    'sdk',
    ['fingerprick'],
    ['glucose'],
    'Glucose meters, read by the phone',
  ),
  provider(
    'accuchek_ble',
    'Accu-Chek (Bluetooth)',
    'sdk',
    ['fingerprick'],
    ['glucose'],
    'Glucose meters, read by the phone',
  ),
  provider(
    'contour_ble',
    'Contour (Bluetooth)',
    'sdk',
    ['fingerprick'],
    ['glucose'],
    'Glucose meters, read by the phone',
  ),
  provider(
    'dexcom',
    'Dexcom',
    'password',
    ['automatic', 'app'],
    [...PERSON, 'glucose', 'carbohydrates'],
    'Continuous glucose monitors',
    { regions: ['us', 'eu'], historyDays: 30 },
  ),
  provider(
    'dexcom_v3',
    'Dexcom (OAuth)',
    'oauth',
    ['automatic'],
    ['glucose', 'carbohydrates', 'insulin_injection'],
    'Continuous glucose monitors',
    { historyDays: 30 },
  ),
  provider(
    'hammerhead',
    'Hammerhead',
    'password',
    ['exercise_machine', 'app'],
    [...PERSON, ...RECORDED],
    'Bike computers',
    { historyDays: 30 },
  ),
  provider(
    'my_fitness_pal',
    'MyFitnessPal',
    'password',
    ['app'],
    [...PERSON, 'meal', 'weight', 'body', 'profile'],
    'Food diary',
    {
      historyDays: 14,
    },
  ),
  provider(
    'health_connect',
    'Health Connect',
    'sdk',
    ['multiple_sources', 'phone', 'watch', 'app', 'unknown'],
    [...WEARABLE, ...SCALE, 'floors_climbed', 'blood_pressure', 'glucose', 'menstrual_cycle', 'water'],
    'Health data of an Android phone',
    { historyDays: 30 },
  ),
  provider(
    'samsung_health',
    'Samsung Health',
    'sdk',
    ['multiple_sources', 'phone', 'watch', 'app', 'unknown'],
    [...WEARABLE, ...SCALE, 'floors_climbed', 'blood_pressure', 'glucose'],
    'Health data of a Galaxy phone and watch',
    { historyDays: 30 },
  ),
  provider(
    'polar',
    'Polar',
    'oauth',
    ['watch', 'chest_strap'],
    [...PERSON, ...RECORDED],
    'Sports watches and chest straps',
    { historyDays: 28 },
  ),
  provider(
    'cronometer',
    'Cronometer',
    'oauth',
    ['app'],
    ['meal', 'water', 'caffeine', 'weight', 'body'],
    'Food diary',
    { historyDays: 28 },
  ),
  provider(
    'kardia',
    'Kardia',
    'password',
    ['unknown', 'cuff', 'app'],
    [...PERSON, 'electrocardiogram', 'blood_pressure'],
    'Pocket electrocardiograms',
  ),
  provider('whoop_v2', 'Whoop (OAuth)', 'oauth', ['watch'], WEARABLE, 'Wrist band for strain and recovery', {
    historyDays: 180,
  }),
  provider(
    'ultrahuman',
    'Ultrahuman',
    'oauth',
    ['ring', 'automatic', 'app'],
    [...PERSON, 'glucose', 'blood_oxygen', 'body_temperature'],
    'Smart ring and glucose sensor',
  ),
  provider(
    'my_fitness_pal_v2',
    'MyFitnessPal (OAuth)',
    'oauth',
    ['app'],
    ['meal', 'weight', 'body', 'workouts'],
    'Food diary',
    { historyDays: 14 },
  ),
  provider(
    'map_my_fitness',
    'MapMyFitness',
    'oauth',
    ['app', 'phone'],
    ['workouts', 'workout_stream', 'distance'],
    'Recorded walks, runs and rides',
  ),
  provider(
    'runkeeper',
    'Runkeeper',
    'oauth',
    ['phone', 'app', 'watch'],
    ['workouts', 'workout_stream', 'distance'],
    'Recorded runs',
  ),
  provider(
    'google_health',
    'Google Health',
    'oauth',
    ['watch', 'scale', 'app', 'multiple_sources'],
    [...WEARABLE, ...SCALE, 'floors_climbed'],
    'Watches, bands and scales',
  ),
]

export const PROVIDER_SLUGS: readonly string[] = PROVIDERS.map(each => each.slug)

/** The twelve that link with a user name and a password (interface-gaps 2.5), in the catalogue's order. */
export const PASSWORD_PROVIDERS: readonly Provider[] = PROVIDERS.filter(each => each.authType === 'password')

const bySlug = new Map(PROVIDERS.map(each => [each.slug, each]))

/** The provider of a slug. */
export function providerNamed(slug: string): Provider | undefined {
  return bySlug.get(slug)
}
