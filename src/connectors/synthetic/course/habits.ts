/** A synthetic person's habits: when they get up, how much they move, and how their weekends differ. */
import { Stream } from '../../../core/random.ts'
import { clamp } from '../calendar.ts'
import type { Traits } from '../traits.ts'

/** A person's habits, in words that `svc engine seed` shows. */
export interface Habits {
  readonly riser: 'early' | 'usual' | 'late'
  readonly activity: 'sporty' | 'usual' | 'sedentary'
  readonly weekend: 'quiet' | 'late_nights' | 'outdoors'
}

const RISERS = ['early', 'usual', 'late'] as const
const ACTIVITIES = ['sporty', 'usual', 'sedentary'] as const
const WEEKENDS = ['quiet', 'late_nights', 'outdoors'] as const

/** Minutes by which a habit makes bedtime earlier (negative) or later. */
const BED_SHIFT = { early: -55, usual: 0, late: 65 } as const

/** Returns a person's habits, derived from seed and user. */
export function drawHabits(seed: string, userId: string): Habits {
  const chance = new Stream(seed, userId, 'habits')
  return {
    riser: chance.pick(RISERS),
    activity: chance.pick(ACTIVITIES),
    weekend: chance.pick(WEEKENDS),
  }
}

/** Returns a person's traits, adapted to these habits. */
export function withHabits(traits: Traits, { riser, activity }: Habits): Traits {
  const slept = { ...traits, bedMinute: clamp(traits.bedMinute + BED_SHIFT[riser], -150, 80) }
  switch (activity) {
    case 'sporty':
      return {
        ...slept,
        restingHr: traits.restingHr - 5,
        hrv: traits.hrv + 12,
        stepsADay: traits.stepsADay + 2_000,
        trainingShare: clamp(traits.trainingShare + 0.25, 0, 0.85),
      }
    case 'sedentary':
      return {
        ...slept,
        restingHr: traits.restingHr + 5,
        stepsADay: Math.round(traits.stepsADay * 0.65),
        trainingShare: traits.trainingShare * 0.2,
      }
    case 'usual':
      return slept
  }
}
