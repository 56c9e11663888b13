/** Builds the summaries of every synthetic day, with the fields listed in docs/summaries.md. */
import { present } from '../../core/present.ts'
import type { SummaryRecord } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, SECOND_MS } from '../../core/time.ts'
import {
  activitySummary,
  bodySummary,
  type SummaryOrigin,
  sleepCycle,
  sleepSummary,
  sleepType,
} from '../shared/summaries.ts'
import { clamp, type LocalCalendar, rounded } from './calendar.ts'
import type { Beat, LocalDay, Quarter } from './movement.ts'
import { type Night, type Stage, secondsIn } from './night.ts'
import type { Traits } from './traits.ts'

/** The inputs for all of a day's summaries. */
export interface SummaryContext {
  readonly userId: string
  readonly provider: string
  readonly sourceType: string
  readonly traits: Traits
  readonly day: LocalDay
  readonly calendar: LocalCalendar
  readonly now: EpochMs
  /** The fields that the provider supplies. A summary has no other fields. */
  readonly supported: ReadonlySet<string>
}

/** Returns the shared fields of the day's summaries at a time. `suffix` distinguishes several summaries on the same day. */
export function summaryOrigin(context: SummaryContext, at: EpochMs, ...suffix: readonly string[]): SummaryOrigin {
  const { userId, provider, sourceType, calendar } = context
  const date = formatDate(context.day.plan.dateMs)
  return { userId, provider, sourceType, recordId: [date, ...suffix], date, offset: calendar.offsetAt(at) }
}

/** Returns a finished night's sleep and sleep cycle. */
export function summarizeSleep(context: SummaryContext, night: Night): SummaryRecord[] {
  const { calendar, traits } = context
  const duration = (night.end - night.start) / SECOND_MS
  const [deep, light, rem, awake] = ([1, 2, 3, 4] as const).map((stage: Stage) => secondsIn(night, stage)) as [
    number,
    number,
    number,
    number,
  ]
  const total = deep + light + rem
  const efficiency = rounded((total / duration) * 100, 1)
  const heart = mean(night.heartRate)
  const hrv = rounded(mean(night.hrv), 1)
  const waking = context.day.plan.restingHr + 18
  const worn = context.sourceType === 'watch' || context.sourceType === 'ring'
  const origin = summaryOrigin(context, night.end)
  const sleep = sleepSummary(origin, night, {
    type: sleepType(total * SECOND_MS),
    total,
    awake,
    light,
    rem,
    deep,
    score: sleepScore(total, efficiency, deep + rem),
    recovery_readiness_score: Math.round(clamp(60 + ((hrv - traits.hrv) / traits.hrv) * 90, 5, 99)),
    hr_lowest: Math.min(...night.heartRate),
    hr_average: Math.round(heart),
    hr_resting: Math.round(context.day.plan.restingHr),
    efficiency,
    latency: present(night.segments[0], 'the first stage').endSecond,
    temperature_delta: worn ? night.temperatureDelta : null,
    skin_temperature: worn ? rounded(34.4 + night.temperatureDelta, 2) : null,
    hr_dip: rounded(((waking - heart) / waking) * 100, 1),
    average_hrv: hrv,
    respiratory_rate: rounded(mean(night.breaths), 1),
  })
  const spans = night.segments.map(({ stage, startSecond, endSecond }) => ({
    stage,
    start: night.start + startSecond * SECOND_MS,
    end: night.start + endSecond * SECOND_MS,
  }))
  return [sleep, sleepCycle(origin, night, spans, calendar.timeZone)]
}

/** Returns the day's activity so far. Its steps, distance and energy are the sums of the completed quarters. */
export function summarizeActivity(
  context: SummaryContext,
  quarters: readonly Quarter[],
  heart: readonly Beat[],
): SummaryRecord {
  const { day, calendar, traits } = context
  const minutes = { low: 0, medium: 0, high: 0 }
  let [steps, decimetres, tenths, floors] = [0, 0, 0, 0]
  for (const quarter of quarters) {
    steps += quarter.steps
    decimetres += quarter.decimetres
    tenths += quarter.tenthsKcal
    floors += quarter.floors
    if (quarter.workoutMinutes > 0) minutes.high += Math.round(quarter.workoutMinutes)
    else if (quarter.steps >= 420) minutes.medium += 15
    else if (quarter.steps >= 60) minutes.low += 15
  }
  const walking = walkingBeats(quarters, heart)
  const beats = heart.map(each => each.bpm)
  const share = (Math.min(context.now, day.end) - day.start) / (day.end - day.start)
  return activitySummary(summaryOrigin(context, day.start), {
    calories_total: rounded(tenths / 10 + traits.basalKcal * share, 1),
    calories_active: tenths / 10,
    steps,
    daily_movement: decimetres / 10,
    distance: decimetres / 10,
    ...minutes,
    floors_climbed: context.supported.has('floors_climbed') ? floors : null,
    time_zone: calendar.timeZone,
    heart_rate: {
      avg_bpm: beats.length === 0 ? null : rounded(mean(beats), 1),
      min_bpm: beats.length === 0 ? null : Math.min(...beats),
      max_bpm: beats.length === 0 ? null : Math.max(...beats),
      resting_bpm: Math.round(day.plan.restingHr),
      avg_walking_bpm: walking.length === 0 ? null : rounded(mean(walking), 1),
    },
  })
}

/** Returns the readings in quarters in which the person walked. Both lists must be ascending. */
function walkingBeats(quarters: readonly Quarter[], heart: readonly Beat[]): number[] {
  const beats: number[] = []
  let next = 0
  for (const { at, bpm } of heart) {
    while ((quarters[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++
    const quarter = quarters[next]
    if (quarter && quarter.start <= at && quarter.steps >= 300 && quarter.workoutMinutes === 0) beats.push(bpm)
  }
  return beats
}

/** Returns one morning's body measurements. */
export function summarizeBody(context: SummaryContext, at: EpochMs, weight: number, fat: number): SummaryRecord {
  const metres = context.traits.heightCm / 100
  const composed = context.sourceType === 'scale'
  return bodySummary(summaryOrigin(context, at), at, {
    weight,
    fat: composed ? fat : null,
    water_percentage: composed ? rounded((100 - fat) * 0.73, 1) : null,
    muscle_mass_percentage: composed ? rounded((100 - fat) * 0.94, 1) : null,
    visceral_fat_index: composed ? rounded(fat * 0.3, 0) : null,
    bone_mass_percentage: composed ? 4.1 : null,
    body_mass_index: rounded(weight / (metres * metres), 1),
    lean_body_mass_kilogram: composed ? rounded((weight * (100 - fat)) / 100, 1) : null,
  })
}

/** Returns the arithmetic mean; NaN for an empty list. */
export function mean(values: readonly number[]): number {
  let sum = 0
  for (const each of values) sum += each
  return sum / values.length
}

/**
 * Scores a night. Half of the score is for a duration of up to eight hours, three tenths are for efficiency, and a fifth is for deep and
 * REM sleep.
 */
function sleepScore(totalSecond: number, efficiency: number, restorativeSecond: number): number {
  const length = Math.min(1, totalSecond / (DAY_MS / 3 / SECOND_MS))
  const depth = Math.min(1, restorativeSecond / (0.42 * totalSecond))
  return Math.round(clamp(50 * length + 0.3 * efficiency + 20 * depth, 1, 100))
}
