/** The scopes that OAuth providers request on their consent pages, and the scopes that a connection or a resource requires. */
import type { ProviderScope } from './provider.ts'

type Part = Partial<Pick<ProviderScope, 'required' | 'resources' | 'enriches'>>

const scope = (name: string, description: string, part: Part): ProviderScope => ({
  name,
  description,
  required: false,
  resources: [],
  enriches: [],
  ...part,
})

const NIGHT = ['sleep', 'sleep_cycle'] as const
const DAY = ['activity', 'steps', 'distance', 'calories_active'] as const
const SCALE = ['body', 'weight', 'fat'] as const
const RECORDED = ['workouts', 'workout_stream'] as const

const SCOPES: Readonly<Record<string, readonly ProviderScope[]>> = {
  oura: [
    scope('daily', 'daily activity, sleep and recovery', {
      required: true,
      resources: [...DAY, 'calories_basal', ...NIGHT, 'hrv', 'respiratory_rate', 'body_temperature_delta'],
    }),
    scope('heartrate', 'heart rate throughout the day', { resources: ['heartrate'], enriches: ['sleep'] }),
    scope('workout', 'workouts', { resources: ['workouts'] }),
    scope('spo2Daily', 'blood oxygen at night', { resources: ['blood_oxygen'], enriches: ['sleep'] }),
    scope('personal', 'height, weight, age and sex', { resources: ['profile'] }),
    scope('email', 'e-mail address of your account', { enriches: ['profile'] }),
  ],
  fitbit: [
    scope('activity', 'steps, exercise and energy', {
      required: true,
      resources: [...DAY, 'calories_basal', 'floors_climbed', 'workouts'],
    }),
    scope('heartrate', 'heart rate and heart rate variability', {
      resources: ['heartrate', 'hrv'],
      enriches: ['sleep'],
    }),
    scope('sleep', 'sleep and sleep stages', { resources: NIGHT }),
    scope('respiratory_rate', 'breaths per minute', { resources: ['respiratory_rate'] }),
    scope('oxygen_saturation', 'blood oxygen', { resources: ['blood_oxygen'] }),
    scope('weight', 'weight and body fat', { resources: SCALE }),
    scope('nutrition', 'food and water', { resources: ['water'] }),
    scope('profile', 'profile of your account', { resources: ['profile'] }),
    scope('location', 'where workouts took place', { enriches: ['workouts'] }),
  ],
  garmin: [
    scope('HEALTH_EXPORT', 'daily health data', {
      required: true,
      resources: [
        ...DAY,
        'calories_basal',
        'floors_climbed',
        'heartrate',
        ...NIGHT,
        'hrv',
        'respiratory_rate',
        'blood_oxygen',
        'stress_level',
        'blood_pressure',
        ...SCALE,
        'profile',
      ],
    }),
    scope('ACTIVITY_EXPORT', 'recorded activities', { resources: RECORDED }),
    scope('HISTORICAL_DATA_EXPORT', 'data from before today', { enriches: ['activity', 'sleep', 'workouts'] }),
  ],
  strava: [
    scope('read', 'your public profile', { required: true }),
    scope('activity:read', 'activities that your followers can see', {
      required: true,
      resources: [...RECORDED, 'distance', 'heartrate'],
    }),
    scope('activity:read_all', 'activities that only you can see', { enriches: RECORDED }),
    scope('profile:read_all', 'training zones and weight from your profile', { enriches: ['heartrate'] }),
  ],
  wahoo: [
    scope('user_read', 'profile of your account', { required: true }),
    scope('workouts_read', 'recorded workouts', { required: true, resources: [...RECORDED, 'heartrate'] }),
    scope('power_zones_read', 'power zones', { enriches: RECORDED }),
  ],
  withings: [
    scope('user.metrics', 'measurements: weight, blood pressure, electrocardiograms', {
      required: true,
      resources: [...SCALE, 'blood_pressure', 'electrocardiogram'],
    }),
    scope('user.activity', 'daily activity, sleep and workouts', {
      resources: [
        ...DAY,
        'calories_basal',
        'heartrate',
        'workouts',
        ...NIGHT,
        'hrv',
        'respiratory_rate',
        'blood_oxygen',
      ],
    }),
    scope('user.info', 'profile of your account', { resources: ['profile'] }),
  ],
  ihealth: [
    scope('OpenApiBP', 'blood pressure', { required: true, resources: ['blood_pressure'] }),
    scope('OpenApiWeight', 'weight and body composition', { resources: SCALE }),
    scope('OpenApiBG', 'blood glucose', { resources: ['glucose'] }),
    scope('OpenApiSpO2', 'blood oxygen', { resources: ['blood_oxygen'] }),
    scope('OpenApiActivity', 'steps and activity', { resources: ['activity', 'steps'] }),
    scope('OpenApiSleep', 'nights', { resources: ['sleep'] }),
    scope('OpenApiUserInfo', 'profile of your account', { enriches: ['activity', 'body'] }),
  ],
  google_fit: [
    scope('fitness.activity.read', 'steps, energy and workouts', {
      required: true,
      resources: ['activity', 'steps', 'calories_active', 'workouts'],
    }),
    scope('fitness.location.read', 'distance and speed', { resources: ['distance'], enriches: ['workouts'] }),
    scope('fitness.heart_rate.read', 'heart rate', { resources: ['heartrate'], enriches: ['activity'] }),
    scope('fitness.sleep.read', 'nights', { resources: ['sleep'] }),
    scope('fitness.body.read', 'weight and body fat', { resources: ['weight', 'body'] }),
  ],
  dexcom_v3: [
    scope('offline_access', 'glucose readings and the entries you add to them', {
      required: true,
      resources: ['glucose', 'carbohydrates', 'insulin_injection'],
    }),
  ],
  polar: [
    scope('accesslink.read_all', 'training, activity and sleep', {
      required: true,
      resources: [...DAY, 'heartrate', ...NIGHT, 'hrv', 'respiratory_rate', ...RECORDED],
    }),
  ],
  cronometer: [
    scope('diary', 'food diary', { required: true, resources: ['meal', 'water', 'caffeine'] }),
    scope('biometrics', 'weight and body fat', { resources: ['weight', 'body'] }),
  ],
  omron: [
    scope('bloodpressure', 'blood pressure', { required: true, resources: ['blood_pressure'] }),
    scope('weight', 'weight and body composition', { resources: ['weight', 'body'] }),
    scope('activity', 'steps around the time of a measurement', { enriches: ['blood_pressure'] }),
  ],
  whoop_v2: [
    scope('read:cycles', 'daily activity and strain', {
      required: true,
      resources: [...DAY, 'calories_basal', 'heartrate'],
    }),
    scope('read:recovery', 'recovery', { resources: ['hrv', 'blood_oxygen'], enriches: ['sleep'] }),
    scope('read:sleep', 'nights', { resources: [...NIGHT, 'respiratory_rate'] }),
    scope('read:workout', 'workouts', { resources: ['workouts'] }),
    scope('read:body_measurement', 'height, weight and maximum heart rate', { enriches: ['activity'] }),
  ],
  ultrahuman: [
    scope('ring_data', 'readings from the ring', {
      required: true,
      resources: [...DAY, 'heartrate', ...NIGHT, 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature'],
    }),
    scope('cgm_data', 'readings from the glucose sensor', { resources: ['glucose'] }),
    scope('profile', 'profile of your account', { enriches: ['activity'] }),
  ],
  my_fitness_pal_v2: [
    scope('diary', 'food diary', { required: true, resources: ['meal'] }),
    scope('measurements', 'weight and body fat', { resources: ['weight', 'body'] }),
    scope('exercise', 'exercise', { resources: ['workouts'] }),
  ],
  map_my_fitness: [
    scope('workouts', 'recorded walks, runs and rides', { required: true, resources: [...RECORDED, 'distance'] }),
    scope('profile', 'profile of your account', { enriches: ['workouts'] }),
  ],
  runkeeper: [
    scope('fitness_activities', 'recorded runs', { required: true, resources: [...RECORDED, 'distance'] }),
    scope('background_activities', 'daily steps', { enriches: ['distance'] }),
  ],
  google_health: [
    scope('activity_and_fitness.readonly', 'activity and workouts', {
      required: true,
      resources: [...DAY, 'calories_basal', 'floors_climbed', 'workouts'],
    }),
    scope('health_metrics.readonly', 'vital signs and body measurements', {
      resources: ['heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen', ...SCALE],
      enriches: ['activity'],
    }),
    scope('sleep.readonly', 'sleep and sleep stages', { resources: NIGHT }),
  ],
}

/** Returns a shipped provider's scopes. */
export function listScopes(slug: string): readonly ProviderScope[] {
  return SCOPES[slug] ?? []
}
