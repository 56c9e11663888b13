/** A synthetic person's plan for one calendar date, in wall-clock minutes: sleep, meals, a workout and steps. */

import { Stream } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import { formatDate } from '../../core/time.ts'
import { clamp, dayOfWeek } from './calendar.ts'
import type { Sport, Traits } from './traits.ts'

export interface Meal {
  readonly name: 'Breakfast' | 'Lunch' | 'Dinner'
  /** Start in minutes from midnight. */
  readonly minute: number
  readonly carbsG: number
  readonly proteinG: number
  readonly fatG: number
}

export interface WorkoutPlan {
  readonly sport: Sport
  readonly startMinute: number
  /** Duration in minutes, which is a multiple of five. */
  readonly minutes: number
  /** Heart rate during the workout, on a scale from resting (0) to maximum (1). */
  readonly effort: number
}

export interface DayPlan {
  /** Midnight UTC of the date. */
  readonly dateMs: EpochMs
  readonly weekend: boolean
  /** Start of the night that ends on this date, in minutes from midnight; negative if it starts on the previous evening. */
  readonly bedMinute: number
  readonly wakeMinute: number
  /** The day's resting heart rate. */
  readonly restingHr: number
  /** Steps on an ordinary day of this kind, without the workout. */
  readonly steps: number
  readonly workout: WorkoutPlan | null
  readonly meals: readonly Meal[]
  /** Weight in kilograms, including a slow drift over weeks. */
  readonly weightKg: number
}

const DRIFT_DAYS = 56

/** Returns the plan for a date. The plan depends only on seed, user and date. */
export function planDay(seed: string, userId: string, traits: Traits, dateMs: EpochMs): DayPlan {
  const chance = new Stream(seed, userId, 'day', formatDate(dateMs))
  const weekday = dayOfWeek(dateMs)
  const weekend = weekday === 0 || weekday === 6
  const bedMinute = Math.round(clamp(chance.normal(traits.bedMinute + (weekend ? 35 : 0), 22), -170, 95))
  const minutes = clamp(chance.normal(traits.sleepMinutes + (weekend ? 25 : 0), 28), 330, 590)
  const wakeMinute = Math.round(clamp(bedMinute + minutes, 300, 620))
  const steps = traits.stepsADay * clamp(chance.normal(weekend ? 0.92 : 1.02, 0.2), 0.4, 1.8)
  return {
    dateMs,
    weekend,
    bedMinute,
    wakeMinute,
    restingHr: traits.restingHr + clamp(chance.normal(0, 1.4), -4, 5),
    steps,
    workout: planWorkout(chance, traits, weekend, wakeMinute),
    meals: planMeals(chance, wakeMinute),
    weightKg: traits.weightKg + drift(dateMs) + chance.normal(0, 0.22),
  }
}

function planWorkout(chance: Stream, traits: Traits, weekend: boolean, wakeMinute: number): WorkoutPlan | null {
  const trains = chance.next() < traits.trainingShare
  const early = Math.ceil(Math.max(wakeMinute + 75, chance.between(555, 660)) / 5) * 5
  const late = chance.whole(210, 228) * 5
  const minutes = chance.whole(6, 14) * 5
  const effort = chance.between(0.6, 0.8)
  return trains ? { sport: traits.sport, startMinute: weekend ? early : late, minutes, effort } : null
}

function planMeals(chance: Stream, wakeMinute: number): Meal[] {
  const meal = (name: Meal['name'], minute: number, carbsG: number): Meal => ({
    name,
    minute: Math.round(minute),
    carbsG,
    proteinG: chance.whole(10, name === 'Breakfast' ? 22 : 42),
    fatG: chance.whole(8, name === 'Breakfast' ? 20 : 34),
  })
  return [
    meal('Breakfast', wakeMinute + chance.between(25, 55), chance.whole(25, 60)),
    meal('Lunch', Math.max(wakeMinute + 130, chance.between(735, 790)), chance.whole(40, 85)),
    meal('Dinner', chance.between(1165, 1215), chance.whole(40, 90)),
  ]
}

/** Returns the weight drift in kilograms: a triangular wave between -1 and 1. */
function drift(dateMs: EpochMs): number {
  const day = Math.floor(dateMs / 86_400_000) % DRIFT_DAYS
  const half = DRIFT_DAYS / 2
  return (Math.abs(day - half) / half - 0.5) * 2
}
