/** A synthetic person's constant traits, independent of provider and day. */
import { Stream } from '../../core/random.ts'
import { type LocalCalendar, rounded } from './calendar.ts'

export type Sport = 'running' | 'cycling'

export interface Traits {
  /** Beats per minute. */
  readonly restingHr: number
  readonly maxHr: number
  /** RMSSD in milliseconds, at night. */
  readonly hrv: number
  /** Breaths per minute, at night. */
  readonly breaths: number
  readonly stepsADay: number
  readonly strideM: number
  readonly weightKg: number
  readonly heightCm: number
  readonly fatPercent: number
  /** Energy burnt at rest per day. */
  readonly basalKcal: number
  /** Bedtime in minutes from midnight; negative before midnight. */
  readonly bedMinute: number
  readonly sleepMinutes: number
  /** Fraction of days with a workout. */
  readonly trainingShare: number
  readonly sport: Sport
  /** Fasting glucose in mmol/L; `glucoseRise` is the rise for 10 g of carbohydrate. */
  readonly glucose: number
  readonly glucoseRise: number
  readonly systolic: number
  readonly diastolic: number
}

/** A person at one provider, whose devices add their own noise, with one date's calendar. */
export interface Wearer {
  readonly seed: string
  readonly userId: string
  /** The provider's slug. */
  readonly provider: string
  readonly traits: Traits
  readonly calendar: LocalCalendar
}

/** Returns a person's traits. The same seed and user always result in the same person. */
export function drawTraits(seed: string, userId: string): Traits {
  const chance = new Stream(seed, userId, 'traits')
  const heightCm = chance.whole(157, 192)
  const bodyMassIndex = chance.between(20.5, 28.5)
  const weightKg = rounded((bodyMassIndex * heightCm * heightCm) / 10_000, 1)
  const systolic = chance.whole(112, 131)
  return {
    restingHr: chance.whole(51, 66),
    maxHr: chance.whole(176, 196),
    hrv: chance.whole(34, 78),
    breaths: rounded(chance.between(13.2, 16.8), 1),
    stepsADay: chance.whole(6200, 11_500),
    strideM: rounded(heightCm * 0.00415, 2),
    weightKg,
    heightCm,
    fatPercent: rounded(chance.between(16, 31), 1),
    basalKcal: Math.round(weightKg * 21.5 + chance.whole(20, 160)),
    bedMinute: chance.whole(-95, 15),
    sleepMinutes: chance.whole(415, 490),
    trainingShare: chance.between(0.3, 0.6),
    sport: chance.next() < 0.5 ? 'running' : 'cycling',
    glucose: rounded(chance.between(5.2, 6.6), 1),
    glucoseRise: chance.between(0.35, 0.7),
    systolic,
    diastolic: systolic - chance.whole(40, 48),
  }
}
