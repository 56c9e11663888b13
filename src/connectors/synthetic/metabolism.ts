/** A synthetic person's blood glucose during one day: a fasting level, a rise at dawn, and a rise after each meal. */

import { Stream } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import { formatDate } from '../../core/time.ts'
import { clamp, nextMultiple, noise, rounded } from './calendar.ts'
import type { LocalDay } from './movement.ts'
import { TICK_MS } from './night.ts'
import type { Meal } from './plan.ts'
import type { Wearer } from './traits.ts'

/** Returns a value in mmol/L every five minutes, from midnight to the next midnight. */
export function simulateGlucose(wearer: Wearer, day: LocalDay): { readonly at: EpochMs; readonly mmol: number }[] {
  const { seed, userId, provider, traits, calendar } = wearer
  const chance = new Stream(seed, userId, provider, 'glucose', formatDate(day.plan.dateMs))
  const readings: { at: EpochMs; mmol: number }[] = []
  let wander = 0
  for (let at = nextMultiple(day.start, TICK_MS); at < day.end; at += TICK_MS) {
    wander = 0.85 * wander + noise(chance, 0.09)
    const minute = calendar.minuteAt(day.plan.dateMs, at)
    let level = traits.glucose + dawn(minute) + wander
    for (const meal of day.plan.meals) level += rise(meal, minute) * traits.glucoseRise
    readings.push({ at, mmol: rounded(clamp(level, 3.1, 14.5), 1) })
  }
  return readings
}

/** Returns the units of rapid-acting insulin for a meal, in steps of half a unit. */
export function bolusUnits(meal: Meal): number {
  return Math.max(0.5, Math.round((meal.carbsG / 11) * 2) / 2)
}

/** Returns the rise after a meal: up for 45 minutes, then down for 135. The peak is 1 for 10 g of carbohydrate. */
function rise(meal: Meal, minute: number): number {
  const since = minute - meal.minute
  if (since <= 0 || since >= 180) return 0
  const up = since / 45
  const down = 1 - (since - 45) / 135
  return (meal.carbsG / 10) * (since < 45 ? up * (2 - up) : down * down)
}

function dawn(minute: number): number {
  const from = minute - 240
  if (from <= 0 || from >= 240) return 0
  const share = from / 240
  return 1.6 * share * (1 - share)
}
