/** A person's activities on a day and in the night before it. They differ from day to day, but are the same in every run. */

const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

export type Stage = 'light' | 'deep' | 'rem' | 'awake'

export interface NightPart {
  readonly stage: Stage
  /** Epoch milliseconds. */
  readonly start: number
  readonly end: number
}

export interface VariedDay {
  /** `2026-11-20` */
  readonly date: string
  readonly steps: number
  readonly distanceMeters: number
  readonly activeKcal: number
  readonly weightKg: number
  readonly night: {
    readonly start: number
    readonly end: number
    /** In order, each a multiple of five minutes. */
    readonly parts: readonly NightPart[]
    readonly seconds: Readonly<Record<Stage, number>>
    readonly lowestBpm: number
    readonly averageBpm: number
    readonly hrvMs: number
    /** 0 to 100 */
    readonly score: number
    readonly readiness: number
  }
}

/** Returns the day that contains an instant, UTC. */
export function variedDay(at: number): VariedDay {
  const number = Math.floor(at / DAY_MS)
  const midnight = number * DAY_MS
  const between = (what: number, low: number, high: number): number =>
    Math.round(low + chance(number * 31 + what) * (high - low))
  // 1970-01-01 was a Thursday
  const isWeekend = (number + 4) % 7 === 0 || (number + 4) % 7 === 6
  const steps = between(1, 3_500, 11_000) + (isWeekend ? between(2, 1_000, 7_000) : 0)
  const parts = nightParts(midnight + between(3, -14, isWeekend ? 14 : 4) * 5 * MINUTE_MS, between)
  const seconds = { light: 0, deep: 0, rem: 0, awake: 0 }
  for (const { stage, start, end } of parts) seconds[stage] += (end - start) / 1_000
  const averageBpm = between(4, 50, 62)
  return {
    date: new Date(midnight).toISOString().slice(0, 10),
    steps,
    distanceMeters: Math.round(steps * 0.74),
    activeKcal: Math.round(steps * 0.042) + between(5, 20, 180),
    // half a kilogram around a slow trend
    weightKg: Math.round((71 + Math.sin(number / 20) + between(6, -5, 5) / 10) * 10) / 10,
    night: {
      start: parts[0]?.start ?? midnight,
      end: parts.at(-1)?.end ?? midnight,
      parts,
      seconds,
      lowestBpm: averageBpm - between(7, 4, 9),
      averageBpm,
      hrvMs: between(8, 32, 78),
      score: between(9, 58, 94),
      readiness: between(10, 52, 96),
    },
  }
}

/** Returns four or five cycles: less deep sleep and more REM sleep in each. */
function nightParts(start: number, between: (what: number, low: number, high: number) => number): NightPart[] {
  const parts: NightPart[] = []
  let at = start
  const add = (stage: Stage, fives: number): void => {
    if (fives <= 0) return
    parts.push({ stage, start: at, end: at + fives * 5 * MINUTE_MS })
    at += fives * 5 * MINUTE_MS
  }
  const cycles = between(11, 4, 5)
  for (let i = 0; i < cycles; i++) {
    add('light', between(20 + i, 5, 9))
    add('deep', between(30 + i, 5, 8) - 2 * i)
    add('light', between(40 + i, 2, 4))
    add('rem', between(50 + i, 1, 3) + i)
    add('awake', between(60 + i, 0, i === 2 ? 3 : 1))
  }
  return parts
}

/** A number from 0 to 1 that depends only on the arguments. */
function chance(seed: number): number {
  let mixed = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
}
