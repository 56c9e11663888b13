/** Builds an example summary of each kind, for events. */
import { sportNamed } from '../../../catalogue/sports.ts'
import { ownedId } from '../../../core/ids.ts'
import type { SummaryKind } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import type { Example } from './owner.ts'

type Document = Readonly<Record<string, unknown>>

/** Returns a summary's outbox content. */
export function summaryExample(kind: SummaryKind, change: 'created' | 'updated', { userId, at }: Example): Document {
  const day = at - (at % DAY_MS) - DAY_MS
  return {
    kind,
    id: ownedId(userId, kind, 'example'),
    provider: 'oura',
    source_type: 'ring',
    app_id: null,
    device_id: null,
    at: day,
    date: formatDate(day),
    zone_offset: 3_600,
    document: DOCUMENTS[kind](day, userId),
    created_at: change === 'created' ? at : at - HOUR_MS,
    updated_at: at,
  }
}

const energy = (value: number) => ({ unit: 'kcal', value })

const DOCUMENTS: Readonly<Record<SummaryKind, (day: EpochMs, userId: string) => Document>> = {
  activity: () => ({
    calories_total: 2_310,
    calories_active: 540,
    steps: 9_120,
    distance: 6_850,
    daily_movement: 6_850,
    low: 182,
    medium: 47,
    high: 21,
    floors_climbed: 9,
    time_zone: 'Europe/Berlin',
    timezone_offset: 3_600,
    heart_rate: { avg_bpm: 71, min_bpm: 48, max_bpm: 152, resting_bpm: 54, avg_walking_bpm: 92 },
  }),
  workouts: day => ({
    time_start: formatInstant(day + 17 * HOUR_MS),
    time_end: formatInstant(day + 17 * HOUR_MS + 42 * MINUTE_MS),
    timezone_offset: 3_600,
    provider_id: '9876543210',
    title: 'Evening run',
    sport: sportNamed('running'),
    average_hr: 146,
    max_hr: 171,
    distance: 7_900,
    calories: 560,
    hr_zones: [120, 300, 660, 900, 480, 60],
    moving_time: 2_490,
    total_elevation_gain: 48,
    average_speed: 3.17,
    max_speed: 4.4,
  }),
  sleep: day => ({
    bedtime_start: formatInstant(day - 90 * MINUTE_MS),
    bedtime_stop: formatInstant(day + 390 * MINUTE_MS),
    type: 'long_sleep',
    timezone_offset: 3_600,
    duration: 28_800,
    total: 26_400,
    awake: 2_400,
    light: 14_400,
    rem: 6_000,
    deep: 6_000,
    score: 84,
    hr_lowest: 47,
    hr_average: 53,
    efficiency: 92,
    latency: 600,
    average_hrv: 52,
    respiratory_rate: 14.3,
    state: 'confirmed',
  }),
  sleep_cycle: (day, userId) => ({
    sleep_id: ownedId(userId, 'sleep', 'example'),
    session_start: formatInstant(day - 90 * MINUTE_MS),
    session_end: formatInstant(day + 390 * MINUTE_MS),
    stage_start_offset_second: [0, 600, 6_600],
    stage_end_offset_second: [600, 6_600, 28_800],
    stage_type: [4, 1, 2],
    time_zone: 'Europe/Berlin',
  }),
  body: () => ({ weight: 71.4, fat: 21.5, body_mass_index: 22.8, water_percentage: 55.1 }),
  meal: day => ({
    timestamp: formatInstant(day + 12 * HOUR_MS),
    name: 'lunch',
    energy: energy(640),
    macros: { carbs: 74, protein: 31, fats: { total: 22 }, fibre: 9, sugar: 12 },
    data: { lentils: { energy: energy(410), macros: { carbs: 58, protein: 26, fats: { total: 5 } } } },
  }),
  profile: () => ({ height: 178, birth_date: '1990-04-12', gender: 'female', sex: 'female' }),
  menstrual_cycle: day => ({
    period_start: formatDate(day - 3 * DAY_MS),
    period_end: null,
    cycle_end: null,
    is_predicted: false,
    menstrual_flow: [{ date: formatDate(day - 3 * DAY_MS), flow: 'medium' }],
    basal_body_temperature: [{ date: formatDate(day), value: 36.4 }],
  }),
  electrocardiogram: day => ({
    session_start: formatInstant(day + 9 * HOUR_MS),
    session_end: formatInstant(day + 9 * HOUR_MS + 30_000),
    voltage_sample_count: 15_360,
    heart_rate_mean: 66,
    sampling_frequency_hz: 512,
    classification: 'sinus_rhythm',
    time_zone: 'Europe/Berlin',
  }),
}
