/** Simulates the waking part of a day: steps, distance and energy per quarter of an hour, and the resulting heart rate. */
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import { type EpochMs, formatDate, MINUTE_MS } from '../../core/time.ts'
import { clamp, nextMultiple, noise } from './calendar.ts'
import { isWithin, type Night, TICK_MS, tickIndex } from './night.ts'
import type { DayPlan } from './plan.ts'
import type { Traits, Wearer } from './traits.ts'

export interface Quarter {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly steps: number
  /** Distance in tenths of a metre. Like `tenthsKcal` (tenths of a kilocalorie), it is an integer, so that sums are exact. */
  readonly decimetres: number
  readonly tenthsKcal: number
  readonly floors: number
  /** Minutes of the day's workout within this quarter. */
  readonly workoutMinutes: number
}

/** A heart rate reading. */
export interface Beat {
  readonly at: EpochMs
  readonly bpm: number
}

/** A workout's start and end. */
export interface WorkoutSpan {
  readonly start: EpochMs
  readonly end: EpochMs
}

/** One person's local date, from midnight to midnight, with the nights that overlap it. */
export interface LocalDay {
  readonly plan: DayPlan
  readonly start: EpochMs
  readonly end: EpochMs
  /** The night that ends on this date, and the night that starts on it or after the following midnight. */
  readonly nights: readonly [Night, Night]
  readonly workout: WorkoutSpan | null
}

/** Fraction of the day's steps in each hour, in thousandths. */
const WEEKDAY = [4, 3, 3, 3, 4, 12, 45, 85, 80, 38, 34, 42, 75, 62, 36, 38, 46, 88, 92, 66, 52, 42, 32, 18] as const
const WEEKEND = [6, 4, 3, 3, 3, 6, 14, 30, 52, 76, 88, 86, 72, 62, 66, 78, 82, 74, 62, 50, 42, 34, 24, 16] as const
/** Increase of the waking heart rate in each hour, in beats per minute. */
const HEART = [4, 3, 2, 2, 2, 4, 7, 10, 12, 12, 12, 13, 14, 15, 14, 14, 15, 16, 16, 14, 12, 10, 8, 6] as const

const RUN = { stepsAMinute: 156, kcalAMinute: 10.5 } as const
const RIDE = { stepsAMinute: 0, kcalAMinute: 8.5 } as const
const QUARTER_MS = 15 * MINUTE_MS

/** Returns a day's waking quarters, in ascending order. Omits quarters that overlap sleep. */
export function simulateQuarters(wearer: Wearer, day: LocalDay): Quarter[] {
  const { seed, userId, provider, traits, calendar } = wearer
  const date = formatDate(day.plan.dateMs)
  const chance = new Stream(seed, userId, 'steps', date)
  const device = new Stream(seed, userId, provider, 'steps', date)
  const pattern = day.plan.weekend ? WEEKEND : WEEKDAY
  const kind = day.plan.workout?.sport === 'running' ? RUN : RIDE
  const quarters: Quarter[] = []
  for (let start = nextMultiple(day.start, QUARTER_MS); start + QUARTER_MS <= day.end; start += QUARTER_MS) {
    const end = start + QUARTER_MS
    // Random numbers are drawn for every quarter, asleep or awake, so that an extra hour of sleep does not change the rest of the day.
    const mood = chance.next()
    const luck = chance.next()
    const error = device.between(0.97, 1.03)
    if (day.nights.some(night => start < night.end && end > night.start)) continue
    const workoutMinutes = day.workout ? overlapMinutes(day.workout, start, end) : 0
    const hour = Math.floor(calendar.minuteAt(day.plan.dateMs, start) / 60)
    const share = present(pattern[clamp(hour, 0, 23)], 'an hour') / 4000
    // Half of the quarters are quiet and a few are busy, because people walk in bouts.
    const bout = mood < 0.5 ? mood * 0.8 : mood < 0.85 ? 0.5 + (mood - 0.5) * 3 : 1.6 + (mood - 0.85) * 8
    const walked = day.plan.steps * share * bout * (1 - workoutMinutes / 15)
    const ran = workoutMinutes * kind.stepsAMinute
    const steps = Math.min(2600, Math.round((walked + ran) * error))
    const metres = steps * traits.strideM * (ran > walked ? 1.3 : 1)
    const kcal = steps * 0.00055 * traits.weightKg + workoutMinutes * kind.kcalAMinute * (ran > 0 ? 0.45 : 1)
    quarters.push({
      start,
      end,
      steps,
      decimetres: Math.round(metres * 10),
      tenthsKcal: Math.round(kcal * 10),
      floors: steps > 300 && luck < 0.25 ? 1 + Math.floor(luck * 12) : 0,
      workoutMinutes,
    })
  }
  return quarters
}

/** Returns the heart rate every five minutes from midnight to the next midnight, both asleep and awake. */
export function simulateHeartRate(wearer: Wearer, day: LocalDay, quarters: readonly Quarter[]): Beat[] {
  const { seed, userId, provider, traits, calendar } = wearer
  const chance = new Stream(seed, userId, provider, 'heart', formatDate(day.plan.dateMs))
  const readings: Beat[] = []
  let wander = 0
  let quarter = 0
  for (let at = nextMultiple(day.start, TICK_MS); at < day.end; at += TICK_MS) {
    wander = 0.6 * wander + noise(chance, 2.4)
    const night = day.nights.find(each => isWithin(each, at))
    if (night) {
      readings.push({ at, bpm: present(night.heartRate[tickIndex(night, at)], 'a heart rate') })
      continue
    }
    while ((quarters[quarter]?.end ?? Number.POSITIVE_INFINITY) <= at) quarter++
    const around = quarters[quarter]
    const steps = around && around.start <= at ? around.steps : 0
    const hour = clamp(calendar.minuteAt(day.plan.dateMs, at) / 60, 0, 23.99)
    const walking = Math.min(steps, 1600) * 0.021
    const base = day.plan.restingHr + 6 + hourly(hour) + walking + wander
    const bpm = base + (workoutPeak(traits, day) - base) * exertion(day, at)
    readings.push({ at, bpm: Math.round(clamp(bpm, 40, traits.maxHr)) })
  }
  return readings
}

function workoutPeak(traits: Traits, day: LocalDay): number {
  const effort = day.plan.workout?.effort ?? 0
  return day.plan.restingHr + (traits.maxHr - day.plan.restingHr) * effort + 4
}

/** Returns the exertion: 0 at rest and 1 in the middle of the workout, with ten minutes of warm-up and twenty-five of cool-down. */
function exertion(day: LocalDay, at: EpochMs): number {
  if (!day.workout) return 0
  const { start, end } = day.workout
  if (at < start) return 0
  if (at < end) return Math.min(1, 0.45 + (0.55 * (at - start)) / (10 * MINUTE_MS))
  return Math.max(0, 1 - (at - end) / (25 * MINUTE_MS)) * 0.7
}

function hourly(hour: number): number {
  const low = Math.floor(hour)
  const from = present(HEART[low], 'an hour')
  const to = present(HEART[(low + 1) % 24], 'an hour')
  return from + (to - from) * (hour - low)
}

function overlapMinutes(span: WorkoutSpan, start: EpochMs, end: EpochMs): number {
  return Math.max(0, Math.min(span.end, end) - Math.max(span.start, start)) / MINUTE_MS
}
