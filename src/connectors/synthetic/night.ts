/** A synthetic person's night: the sleep stages, and a device's measurements every five minutes. */
import { present } from '../../core/present.ts'
import { Stream } from '../../core/random.ts'
import { type EpochMs, formatDate, MINUTE_MS } from '../../core/time.ts'
import { clamp, nextMultiple, noise, rounded } from './calendar.ts'
import type { DayPlan } from './plan.ts'
import type { Wearer } from './traits.ts'

/** A sleep stage: 1 deep, 2 light, 3 REM, 4 awake. */
export type Stage = 1 | 2 | 3 | 4
const DEEP = 1
const LIGHT = 2
const REM = 3
const AWAKE = 4

export interface StageSegment {
  readonly stage: Stage
  /** Seconds from the start of the session; the end is exclusive. */
  readonly startSecond: number
  readonly endSecond: number
}

export interface Night {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly segments: readonly StageSegment[]
  /** The instant of the first reading. The other readings follow every `TICK_MS` within the session. */
  readonly firstTick: EpochMs
  readonly heartRate: readonly number[]
  readonly hrv: readonly number[]
  readonly breaths: readonly number[]
  readonly oxygen: readonly number[]
  /** Difference from the person's baseline in degrees Celsius. */
  readonly temperatureDelta: number
}

export const TICK_MS = 5 * MINUTE_MS

const HEART_BY_STAGE = [0, -3, 0, 4, 9] as const
const HRV_BY_STAGE = [0, 1.15, 1, 0.86, 0.76] as const
const BREATHS_BY_STAGE = [0, -0.5, 0, 0.7, 0.9] as const

/** Returns the night that ends on the plan's date. The stages depend only on the person; the readings include the provider's noise. */
export function simulateNight(wearer: Wearer, plan: DayPlan): Night {
  const { seed, userId, provider, traits, calendar } = wearer
  const date = formatDate(plan.dateMs)
  const start = calendar.instantAt(plan.dateMs, plan.bedMinute)
  const end = calendar.instantAt(plan.dateMs, plan.wakeMinute)
  const segments = drawStages(new Stream(seed, userId, 'night', date), Math.round((end - start) / MINUTE_MS))
  const chance = new Stream(seed, userId, provider, 'night', date)
  const firstTick = nextMultiple(start, TICK_MS)
  const heartRate: number[] = []
  const hrv: number[] = []
  const breaths: number[] = []
  const oxygen: number[] = []
  const form = clamp(chance.normal(1, 0.1), 0.75, 1.3)
  let wander = 0
  let segment = 0
  for (let at = firstTick; at < end; at += TICK_MS) {
    const second = (at - start) / 1000
    while (segment < segments.length - 1 && second >= present(segments[segment], 'a stage').endSecond) segment++
    const { stage } = present(segments[segment], 'a stage')
    const done = (at - start) / (end - start)
    const settling = 7 * (1 - done) * (1 - done)
    wander = 0.7 * wander + noise(chance, 1)
    heartRate.push(Math.round(plan.restingHr + HEART_BY_STAGE[stage] + settling + wander))
    hrv.push(Math.round(traits.hrv * form * HRV_BY_STAGE[stage] * (0.85 + 0.25 * done) * chance.between(0.88, 1.12)))
    breaths.push(rounded(traits.breaths + BREATHS_BY_STAGE[stage] + noise(chance, 0.25), 1))
    oxygen.push(clamp(Math.round(96.6 + noise(chance, 0.9)), 92, 100))
  }
  const temperatureDelta = rounded(clamp(chance.normal(0, 0.18), -0.8, 0.9), 2)
  return { start, end, segments, firstTick, heartRate, hrv, breaths, oxygen, temperatureDelta }
}

/** Returns whether an instant is within the night. */
export function isWithin(night: Night, at: EpochMs): boolean {
  return at >= night.start && at < night.end
}

/** Returns the index of the reading at an instant, which must be a multiple of `TICK_MS` within the night. */
export function tickIndex(night: Night, at: EpochMs): number {
  return (at - night.firstTick) / TICK_MS
}

/** Returns the seconds spent in a stage. */
export function secondsIn(night: Night, stage: Stage): number {
  let total = 0
  for (const each of night.segments) if (each.stage === stage) total += each.endSecond - each.startSecond
  return total
}

/** Returns the stages: falling asleep, then cycles of about 90 minutes with progressively less deep and more REM sleep, then waking up. */
function drawStages(chance: Stream, totalMinutes: number): StageSegment[] {
  const segments: StageSegment[] = []
  const waking = chance.whole(1, 6)
  const lastMinute = totalMinutes - waking
  let at = 0
  const add = (stage: Stage, minutes: number): void => {
    const until = Math.min(lastMinute, at + Math.max(0, Math.round(minutes)))
    if (until > at) segments.push({ stage, startSecond: at * 60, endSecond: until * 60 })
    at = until
  }
  add(AWAKE, chance.whole(4, 20))
  for (let cycle = 0; at < lastMinute; cycle++) {
    add(LIGHT, chance.between(14, 24))
    add(DEEP, Math.max(0, 38 - 9 * cycle + chance.normal(0, 4)))
    // Two segments of light sleep are never adjacent: in a cycle without deep sleep, a short arousal separates them.
    if (segments.at(-1)?.stage === LIGHT) add(AWAKE, 1)
    add(LIGHT, chance.between(10, 18))
    add(REM, 9 + 6 * cycle + Math.abs(chance.normal(0, 4)))
    if (chance.next() < 0.4) add(AWAKE, chance.whole(1, 5))
  }
  segments.push({ stage: AWAKE, startSecond: lastMinute * 60, endSecond: totalMinutes * 60 })
  return mergeNeighbours(segments)
}

function mergeNeighbours(segments: readonly StageSegment[]): StageSegment[] {
  const merged: StageSegment[] = []
  for (const each of segments) {
    const last = merged.at(-1)
    if (last && last.stage === each.stage) merged[merged.length - 1] = { ...last, endSecond: each.endSecond }
    else merged.push(each)
  }
  return merged
}
