/** Simulates summaries that do not exist for every day: workouts, meals and electrocardiograms. */
import { Stream } from '../../core/random.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import { type EpochMs, formatDate, formatInstant, SECOND_MS } from '../../core/time.ts'
import { sourceFields, summaryAt, workoutSummary } from '../shared/summaries.ts'
import { clamp, rounded } from './calendar.ts'
import type { Beat, Quarter } from './movement.ts'
import { TICK_MS } from './night.ts'
import type { Meal } from './plan.ts'
import { mean, type SummaryContext, summaryOrigin } from './summaries.ts'

const SPORTS = {
  running: { sport: { id: 1, name: 'Running', slug: 'running' }, word: 'Run', metresAMinute: 172 },
  cycling: { sport: { id: 2, name: 'Cycling', slug: 'cycling' }, word: 'Ride', metresAMinute: 430 },
} as const

const ECG_SECONDS = 30
const ECG_HZ = 300

/** Returns the day's workout if it is over, otherwise null. */
export function simulateWorkout(
  context: SummaryContext,
  seed: string,
  quarters: readonly Quarter[],
  heart: readonly Beat[],
): SummaryRecord | null {
  const { plan, workout } = context.day
  if (!plan.workout || !workout) return null
  const date = formatDate(plan.dateMs)
  const { sport, word, metresAMinute } = SPORTS[plan.workout.sport]
  const riding = plan.workout.sport === 'cycling'
  const chance = new Stream(seed, context.userId, context.provider, 'workout', date)
  const seconds = (workout.end - workout.start) / SECOND_MS
  const beats = heart.filter(each => each.at >= workout.start && each.at < workout.end).map(each => each.bpm)
  const within = quarters.filter(each => each.workoutMinutes > 0)
  const metres = Math.round((seconds / 60) * metresAMinute * chance.between(0.9, 1.1))
  const watts = Math.round(chance.between(135, 205))
  const calories = within.reduce((sum, each) => sum + (each.tenthsKcal * each.workoutMinutes) / 15, 0) / 10
  const steps = within.reduce((sum, each) => sum + (each.steps * each.workoutMinutes) / 15, 0)
  return workoutSummary(summaryOrigin(context, workout.start), workout, sport, {
    title: `${plan.weekend ? 'Morning' : 'Evening'} ${word}`,
    average_hr: beats.length === 0 ? null : Math.round(mean(beats)),
    max_hr: beats.length === 0 ? null : Math.max(...beats),
    distance: metres,
    calories: rounded(calories, 1),
    hr_zones: heartZones(beats, context.traits.maxHr),
    moving_time: seconds,
    total_elevation_gain: chance.whole(5, 140),
    average_speed: rounded(metres / seconds, 2),
    max_speed: rounded((metres / seconds) * 1.28, 2),
    average_watts: riding ? watts : null,
    device_watts: riding ? watts : null,
    max_watts: riding ? watts * 2 + chance.whole(20, 160) : null,
    weighted_average_watts: riding ? watts + chance.whole(4, 16) : null,
    steps: riding ? null : Math.round(steps),
    provider_id: `workout-${date}`,
  })
}

/** Returns one meal from a food diary. */
export function summarizeMeal(context: SummaryContext, meal: Meal, at: EpochMs): SummaryRecord {
  const date = formatDate(context.day.plan.dateMs)
  const fats = {
    saturated: rounded(meal.fatG * 0.34, 1),
    monounsaturated: rounded(meal.fatG * 0.4, 1),
    polyunsaturated: rounded(meal.fatG * 0.2, 1),
    total: meal.fatG,
  }
  const document = {
    timestamp: formatInstant(at),
    name: meal.name,
    energy: { unit: 'kcal', value: meal.carbsG * 4 + meal.proteinG * 4 + meal.fatG * 9 },
    macros: {
      carbs: meal.carbsG,
      protein: meal.proteinG,
      fats,
      fibre: rounded(meal.carbsG * 0.11, 1),
      sugar: rounded(meal.carbsG * 0.3, 1),
    },
    data: {},
    priority_id: 0,
    source_id: 0,
    provider_id: `meal-${date}-${meal.name.toLowerCase()}`,
  }
  return summaryAt(summaryOrigin(context, at, meal.name), 'meal', at, document)
}

/** Returns a half-minute electrocardiogram. */
export function simulateElectrocardiogram(context: SummaryContext, start: EpochMs, bpm: number): SummaryRecord {
  const origin = summaryOrigin(context, start)
  return summaryAt(origin, 'electrocardiogram', start, {
    session_start: formatInstant(start),
    session_end: formatInstant(start + ECG_SECONDS * SECOND_MS),
    voltage_sample_count: ECG_SECONDS * ECG_HZ,
    heart_rate_mean: bpm,
    sampling_frequency_hz: ECG_HZ,
    classification: 'sinus_rhythm',
    time_zone: context.calendar.timeZone,
    ...sourceFields(origin),
  })
}

/** Returns the seconds in each of six heart rate zones: below 50 % of the maximum, then in steps of 10 %. */
function heartZones(beats: readonly number[], maxHr: number): number[] {
  const zones = [0, 0, 0, 0, 0, 0]
  for (const bpm of beats) {
    const zone = clamp(Math.floor((bpm / maxHr) * 10) - 4, 0, 5)
    zones[zone] = (zones[zone] ?? 0) + TICK_MS / SECOND_MS
  }
  return zones
}
