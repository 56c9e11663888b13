/** The measurements that a synthetic person takes: blood pressure twice a day, and weight and an electrocardiogram in the morning. */

import { Stream } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import { formatDate } from '../../core/time.ts'
import { rounded } from './calendar.ts'
import type { LocalDay } from './movement.ts'
import type { Wearer } from './traits.ts'

export interface CheckUp {
  /** Blood pressure in mmHg, in the morning and in the evening. */
  readonly pressures: readonly { readonly start: EpochMs; readonly value: number; readonly second: number }[]
  /** When weight and the electrocardiogram are measured. */
  readonly morning: EpochMs
  readonly weightKg: number
  readonly fatPercent: number
  /** Heart rate during the electrocardiogram. */
  readonly bpm: number
}

/** Returns one day's readings at one provider. */
export function simulateCheckUp(wearer: Wearer, day: LocalDay): CheckUp {
  const { seed, userId, provider, traits, calendar } = wearer
  const { dateMs, wakeMinute, weightKg, restingHr } = day.plan
  const chance = new Stream(seed, userId, provider, 'measure', formatDate(dateMs))
  const morning = calendar.instantAt(dateMs, wakeMinute + 12)
  const evening = calendar.instantAt(dateMs, 20 * 60 + 45)
  // drawn in this order since the first version; another order would change everyone's data
  const pressures = [morning, evening].map(start => {
    const value = Math.round(traits.systolic + chance.normal(0, 4))
    return { start, value, second: Math.round(traits.diastolic + chance.normal(0, 3)) }
  })
  const fatPercent = rounded(traits.fatPercent + chance.normal(0, 0.25), 1)
  const bpm = Math.round(restingHr + chance.between(6, 14))
  return { pressures, morning, weightKg: rounded(weightKg, 1), fatPercent, bpm }
}
