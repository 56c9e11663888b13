/** The providers that ship with the service: their names, sign-in methods, resources and devices. */
import { words } from '../core/text.ts'
import { type AuthType, LOGO_HOST, type Provider } from './provider.ts'
import { listScopes } from './provider-scopes.ts'
import type { Region } from './regions.ts'
import type { SourceType } from './source-types.ts'

const MOVEMENT = ['activity', 'steps', 'distance', 'calories_active', 'heartrate'] as const
const NIGHT = ['sleep', 'sleep_cycle', 'hrv', 'respiratory_rate'] as const
/** Resources that every simulated person supplies. */
const PERSON = [...MOVEMENT, ...NIGHT] as const
const SCALE = ['body', 'weight', 'fat'] as const
const WEARABLE = [...PERSON, 'workouts', 'calories_basal', 'blood_oxygen'] as const
const RECORDED = ['workouts', 'workout_stream'] as const

interface Details extends Partial<Pick<Provider, 'regions' | 'historyDays'>> {
  /** Types of the devices that the data comes from, starting with the main one. */
  readonly from: readonly SourceType[]
  /** Supported resources. */
  readonly supplies: readonly string[]
}

function shipped(
  slug: string,
  name: string,
  authType: AuthType,
  description: string,
  { from, supplies, regions = [], historyDays = 90 }: Details,
): Provider {
  return {
    name,
    slug,
    description,
    logo: `${LOGO_HOST}/${slug}.svg`,
    authType,
    supportedResources: supplies,
    regions,
    sourceTypes: from,
    historyDays,
    scopes: listScopes(slug),
  }
}

/** Regions in which the LibreView simulation offers accounts. */
const LIBREVIEW: readonly Region[] = words('us eu de fr ca gb ie au nz nl at be ch dk es fi it no pl pt se')

/** The shipped providers, in listing order and numbered from 1. */
export const SHIPPED_PROVIDERS: readonly Provider[] = [
  shipped('oura', 'Oura', 'oauth', 'Smart ring for sleep and recovery', {
    from: ['ring', 'app', 'multiple_sources'],
    supplies: [...WEARABLE, 'body_temperature_delta', 'profile'],
    historyDays: 180,
  }),
  shipped('fitbit', 'Fitbit', 'oauth', 'Watches, bands and scales', {
    from: ['watch', 'scale', 'app', 'multiple_sources'],
    supplies: [...WEARABLE, ...SCALE, 'floors_climbed', 'water', 'profile'],
  }),
  shipped('garmin', 'Garmin', 'oauth', 'Sports watches, scales and blood pressure monitors', {
    from: ['watch', 'scale', 'cuff', 'app', 'multiple_sources'],
    supplies: [...WEARABLE, ...SCALE, 'floors_climbed', 'stress_level', 'blood_pressure', 'workout_stream', 'profile'],
  }),
  shipped('whoop', 'Whoop', 'password', 'Wrist band for strain and recovery', {
    from: ['watch'],
    supplies: [...WEARABLE, 'profile', 'menstrual_cycle'],
    historyDays: 180,
  }),
  shipped('strava', 'Strava', 'oauth', 'Recorded rides and runs', {
    from: ['app', 'watch', 'multiple_sources'],
    supplies: ['workouts', 'workout_stream', 'distance', 'heartrate'],
    historyDays: 14,
  }),
  shipped('renpho', 'Renpho', 'password', 'Body composition scales', {
    from: ['scale', 'app'],
    supplies: [...PERSON, ...SCALE, 'profile'],
  }),
  shipped('peloton', 'Peloton', 'password', 'Exercise bikes and treadmills', {
    from: ['exercise_machine', 'app'],
    supplies: [...PERSON, ...RECORDED],
    historyDays: 180,
  }),
  shipped('wahoo', 'Wahoo', 'oauth', 'Bike computers, trainers and chest straps', {
    from: ['exercise_machine', 'chest_strap', 'app'],
    supplies: ['workouts', 'workout_stream', 'heartrate'],
    historyDays: 180,
  }),
  shipped('zwift', 'Zwift', 'password', 'Indoor rides and runs', {
    from: ['exercise_machine', 'app'],
    supplies: [...PERSON, ...RECORDED],
    historyDays: 270,
  }),
  shipped('freestyle_libre', 'Freestyle Libre', 'email', 'Glucose sensors, shared with a practice', {
    from: ['automatic', 'manual_scan'],
    supplies: ['glucose', 'carbohydrates', 'insulin_injection', 'note'],
    regions: ['us', 'eu', 'de', 'fr', 'ca', 'gb', 'au'],
  }),
  shipped('abbott_libreview', 'Abbott LibreView', 'password', 'Glucose sensors', {
    from: ['automatic', 'manual_scan', 'app'],
    supplies: [...PERSON, 'glucose', 'insulin_injection', 'carbohydrates'],
    regions: LIBREVIEW,
  }),
  shipped('tandem_source', 'Tandem Source', 'password', 'Insulin pumps', {
    from: ['insulin_pump', 'automatic', 'app'],
    supplies: [...PERSON, 'glucose', 'insulin_injection', 'carbohydrates'],
  }),
  shipped('freestyle_libre_ble', 'Freestyle Libre (Bluetooth)', 'sdk', 'Glucose sensors, read by the phone', {
    from: ['automatic', 'manual_scan'],
    supplies: ['glucose'],
  }),
  shipped('eight_sleep', 'Eight Sleep', 'password', 'Mattress that measures sleep', {
    from: ['unknown'],
    supplies: PERSON,
  }),
  shipped('withings', 'Withings', 'oauth', 'Scales, watches and blood pressure monitors', {
    from: ['watch', 'scale', 'cuff', 'app'],
    supplies: [...WEARABLE, ...SCALE, 'blood_pressure', 'electrocardiogram', 'profile'],
  }),
  shipped('apple_health_kit', 'Apple HealthKit', 'sdk', 'Health data from an iPhone and Apple Watch', {
    from: ['multiple_sources', 'watch', 'phone', 'app', 'unknown'],
    supplies: [
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
    historyDays: 30,
  }),
  shipped('manual', 'Manual', '', 'Data supplied by the customer', {
    from: ['unknown', 'app', 'fingerprick', 'lab'],
    supplies: [],
  }),
  shipped('ihealth', 'iHealth', 'oauth', 'Blood pressure monitors, scales and glucose meters', {
    from: ['cuff', 'scale', 'fingerprick', 'watch'],
    supplies: [...SCALE, 'blood_pressure', 'glucose', 'blood_oxygen', 'activity', 'steps', 'sleep'],
  }),
  shipped('google_fit', 'Google Fit', 'oauth', 'Activity recorded by Android phones and watches', {
    from: ['multiple_sources', 'phone', 'watch', 'app'],
    supplies: [...MOVEMENT, 'sleep', 'workouts', 'weight', 'body'],
  }),
  shipped('beurer_api', 'Beurer', 'password', 'Scales, blood pressure monitors and trackers', {
    from: ['scale', 'cuff', 'watch'],
    supplies: [...PERSON, ...SCALE, 'blood_pressure'],
  }),
  shipped('beurer_ble', 'Beurer (Bluetooth)', 'sdk', 'Blood pressure and glucose meters, read by the phone', {
    from: ['cuff', 'fingerprick'],
    supplies: ['blood_pressure', 'glucose'],
  }),
  shipped('omron', 'Omron', 'oauth', 'Blood pressure monitors and scales', {
    from: ['cuff', 'scale'],
    supplies: ['blood_pressure', 'weight', 'body'],
  }),
  shipped('omron_ble', 'Omron (Bluetooth)', 'sdk', 'Blood pressure monitors, read by the phone', {
    from: ['cuff'],
    supplies: ['blood_pressure'],
  }),
  shipped('onetouch_ble', 'OneTouch (Bluetooth)', 'sdk', 'Glucose meters, read by the phone', {
    from: ['fingerprick'],
    supplies: ['glucose'],
  }),
  shipped('accuchek_ble', 'Accu-Chek (Bluetooth)', 'sdk', 'Glucose meters, read by the phone', {
    from: ['fingerprick'],
    supplies: ['glucose'],
  }),
  shipped('contour_ble', 'Contour (Bluetooth)', 'sdk', 'Glucose meters, read by the phone', {
    from: ['fingerprick'],
    supplies: ['glucose'],
  }),
  shipped('dexcom', 'Dexcom', 'password', 'Continuous glucose monitors', {
    from: ['automatic', 'app'],
    supplies: [...PERSON, 'glucose', 'carbohydrates'],
    regions: ['us', 'eu'],
    historyDays: 30,
  }),
  shipped('dexcom_v3', 'Dexcom (OAuth)', 'oauth', 'Continuous glucose monitors', {
    from: ['automatic'],
    supplies: ['glucose', 'carbohydrates', 'insulin_injection'],
    historyDays: 30,
  }),
  shipped('hammerhead', 'Hammerhead', 'password', 'Bike computers', {
    from: ['exercise_machine', 'app'],
    supplies: [...PERSON, ...RECORDED],
    historyDays: 30,
  }),
  shipped('my_fitness_pal', 'MyFitnessPal', 'password', 'Food diary', {
    from: ['app'],
    supplies: [...PERSON, 'meal', 'weight', 'body', 'profile'],
    historyDays: 14,
  }),
  shipped('health_connect', 'Health Connect', 'sdk', 'Health data from an Android phone', {
    from: ['multiple_sources', 'phone', 'watch', 'app', 'unknown'],
    supplies: [...WEARABLE, ...SCALE, 'floors_climbed', 'blood_pressure', 'glucose', 'menstrual_cycle', 'water'],
    historyDays: 30,
  }),
  shipped('samsung_health', 'Samsung Health', 'sdk', 'Health data from a Galaxy phone and watch', {
    from: ['multiple_sources', 'phone', 'watch', 'app', 'unknown'],
    supplies: [...WEARABLE, ...SCALE, 'floors_climbed', 'blood_pressure', 'glucose'],
    historyDays: 30,
  }),
  shipped('polar', 'Polar', 'oauth', 'Sports watches and chest straps', {
    from: ['watch', 'chest_strap'],
    supplies: [...PERSON, ...RECORDED],
    historyDays: 28,
  }),
  shipped('cronometer', 'Cronometer', 'oauth', 'Food diary', {
    from: ['app'],
    supplies: ['meal', 'water', 'caffeine', 'weight', 'body'],
    historyDays: 28,
  }),
  shipped('kardia', 'Kardia', 'password', 'Pocket electrocardiograms', {
    from: ['unknown', 'cuff', 'app'],
    supplies: [...PERSON, 'electrocardiogram', 'blood_pressure'],
  }),
  shipped('whoop_v2', 'Whoop (OAuth)', 'oauth', 'Wrist band for strain and recovery', {
    from: ['watch'],
    supplies: WEARABLE,
    historyDays: 180,
  }),
  shipped('ultrahuman', 'Ultrahuman', 'oauth', 'Smart ring and glucose sensor', {
    from: ['ring', 'automatic', 'app'],
    supplies: [...PERSON, 'glucose', 'blood_oxygen', 'body_temperature'],
  }),
  shipped('my_fitness_pal_v2', 'MyFitnessPal (OAuth)', 'oauth', 'Food diary', {
    from: ['app'],
    supplies: ['meal', 'weight', 'body', 'workouts'],
    historyDays: 14,
  }),
  shipped('map_my_fitness', 'MapMyFitness', 'oauth', 'Recorded walks, runs and rides', {
    from: ['app', 'phone'],
    supplies: ['workouts', 'workout_stream', 'distance'],
  }),
  shipped('runkeeper', 'Runkeeper', 'oauth', 'Recorded runs', {
    from: ['phone', 'app', 'watch'],
    supplies: ['workouts', 'workout_stream', 'distance'],
  }),
  shipped('google_health', 'Google Health', 'oauth', 'Watches, bands and scales', {
    from: ['watch', 'scale', 'app', 'multiple_sources'],
    supplies: [...WEARABLE, ...SCALE, 'floors_climbed'],
  }),
]
