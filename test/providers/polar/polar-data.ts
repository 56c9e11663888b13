/** The records of a person at the fake Polar provider, in Polar's own format. */

export interface PolarExercise {
  readonly id: string
  readonly upload_time: string
  readonly start_time: string
  readonly start_time_utc_offset: number
  readonly samples?: readonly unknown[]
  readonly route?: readonly unknown[]
  readonly [field: string]: unknown
}

export interface PolarDated {
  readonly date: string
  readonly [field: string]: unknown
}

export interface PolarPerson {
  readonly userId: number
  /** Whether the mandatory consents are accepted. */
  hasConsented: boolean
  isRegistered: boolean
  exercises: PolarExercise[]
  /** Days, by their date. */
  activities: PolarDated[]
  nights: PolarDated[]
  recharges: PolarDated[]
  heartRates: PolarDated[]
  skinTemperatures: { readonly sleep_date: string; readonly [field: string]: unknown }[]
  spo2: Record<string, unknown>[]
  bodyTemperatures: Record<string, unknown>[]
  electrocardiograms: Record<string, unknown>[]
  physicalInfo: Record<string, unknown> | null
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

export function emptyPolarPerson(userId: number): PolarPerson {
  return {
    userId,
    hasConsented: true,
    isRegistered: true,
    exercises: [],
    activities: [],
    nights: [],
    recharges: [],
    heartRates: [],
    skinTemperatures: [],
    spo2: [],
    bodyTemperatures: [],
    electrocardiograms: [],
    physicalInfo: null,
  }
}

/** Returns a person with an activity for each of this many days before `now`, and nights and heart rates for the last ones. UTC+02:00. */
export function polarPerson(userId: number, now: number, days: number): PolarPerson {
  const person = emptyPolarPerson(userId)
  const today = Math.floor(now / DAY) * DAY
  const dateOf = (n: number): string => new Date(today - n * DAY).toISOString().slice(0, 10)
  for (let n = 0; n < days; n++) {
    const date = dateOf(n)
    person.activities.push(dailyActivity(date, n))
    if (n >= 28) continue
    person.nights.push(nightlySleep(date, dateOf(n + 1)))
    person.recharges.push(nightlyRecharge(date))
    person.heartRates.push(dailyHeartRate(date, n))
    if (n % 3 === 0) person.exercises.push(exampleExercise(date, n))
  }
  person.physicalInfo = {
    weight: 71.5,
    height: 172,
    birthday: '1990-05-17',
    gender: 'FEMALE',
    vo2_max: 47,
    modified: `${dateOf(1)}T10:00:00Z`,
  }
  return person
}

function dailyActivity(date: string, n: number): PolarDated {
  const samples = Array.from({ length: 24 }, (_, hour) => ({
    steps: hour < 7 ? 0 : 300 + n + hour,
    timestamp: `${date}T${String(hour).padStart(2, '0')}:00:00`,
  }))
  const steps = samples.reduce((sum, each) => sum + each.steps, 0)
  return {
    date,
    start_time: `${date}T00:00`,
    end_time: `${date}T23:59`,
    active_duration: 'PT3H12M',
    daily_activity: 87.5,
    calories: 2300 + n,
    active_calories: 640 + n,
    steps,
    distance_from_steps: 4200.5,
    samples: { date, steps: { interval_ms: HOUR, total_steps: steps, samples } },
  }
}

function nightlySleep(date: string, before: string): PolarDated {
  return {
    polar_user: 'https://www.polaraccesslink.com/v3/users/1',
    date,
    sleep_start_time: `${before}T23:10:20+02:00`,
    sleep_end_time: `${date}T06:40:20+02:00`,
    light_sleep: 14_400,
    deep_sleep: 5400,
    rem_sleep: 5400,
    unrecognized_sleep_stage: 0,
    total_interruption_duration: 1800,
    sleep_score: 81,
    sleep_cycles: 5,
    continuity: 3.1,
    hypnogram: { '23:10': 0, '23:20': 3, '01:20': 4, '02:50': 2, '04:50': 1, '06:20': 3 },
    heart_rate_samples: { '23:15': 58, '03:00': 49, '06:30': 55 },
  }
}

function nightlyRecharge(date: string): PolarDated {
  return {
    date,
    heart_rate_avg: 52,
    beat_to_beat_avg: 1150,
    heart_rate_variability_avg: 46,
    breathing_rate_avg: 14.2,
    ans_charge: -1.5,
    hrv_samples: { '23:30': 40, '00:30': 52 },
    breathing_samples: { '23:30': 13.9, '00:30': 14.5 },
  }
}

function dailyHeartRate(date: string, n: number): PolarDated {
  const samples = Array.from({ length: 288 }, (_, i) => ({
    heart_rate: 55 + ((i + n) % 40),
    sample_time: `${String(Math.floor(i / 12)).padStart(2, '0')}:${String((i % 12) * 5).padStart(2, '0')}:08`,
  }))
  return { date, heart_rate_samples: samples }
}

function exampleExercise(date: string, n: number): PolarExercise {
  const heartRates = Array.from({ length: 601 }, (_, i) => 110 + (i % 50))
  return {
    id: `Ex${n}abc`,
    upload_time: `${date}T18:00:00Z`,
    device: 'Polar Vantage V3',
    start_time: `${date}T18:30:00`,
    start_time_utc_offset: 120,
    duration: 'PT50M',
    calories: 480,
    distance: 9500,
    heart_rate: { average: 134, maximum: 159 },
    sport: 'RUNNING',
    detailed_sport_info: 'ROAD_RUNNING',
    has_route: false,
    heart_rate_zones: [{ index: 1, lower_limit: 90, upper_limit: 110, in_zone: 'PT5M' }],
    samples: [{ 'recording-rate': 5, 'sample-type': '0', data: heartRates.join(',') }],
  }
}
