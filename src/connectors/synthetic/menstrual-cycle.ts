/** A synthetic person's menstrual cycles, with daily entries. */
import { Stream } from '../../core/random.ts'
import { DAY_MS, type EpochMs, formatDate } from '../../core/time.ts'
import { noise, rounded } from './calendar.ts'

/** A cycle up to today. */
export interface MenstrualCycle {
  /** Midnight UTC of the date on which bleeding started. */
  readonly dateMs: EpochMs
  readonly document: Readonly<Record<string, unknown>>
}

/** Number of days from ovulation to the next bleeding, which varies little between people. */
const LUTEAL_DAYS = 14
const FLOW = ['medium', 'heavy', 'medium', 'light', 'light', 'light'] as const
const MUCUS = ['sticky', 'creamy', 'watery', 'egg_white'] as const

/**
 * Returns every cycle that overlaps [first, today], in ascending order. Dates are midnight UTC. A completed cycle is always the same. The
 * current one ends today.
 */
export function menstrualCycles(seed: string, userId: string, first: EpochMs, today: EpochMs): MenstrualCycle[] {
  const chance = new Stream(seed, userId, 'menstrual_cycle')
  const length = chance.whole(26, 31)
  const bleedingDays = chance.whole(4, 6)
  const phase = chance.whole(0, length - 1)
  const startOf = (index: number): EpochMs =>
    (phase + index * length + new Stream(seed, userId, 'menstrual_cycle', index).whole(-1, 1)) * DAY_MS
  const cycles: MenstrualCycle[] = []
  for (let index = Math.floor(first / DAY_MS / length) - 2; startOf(index) <= today; index++) {
    const [dateMs, next] = [startOf(index), startOf(index + 1)]
    if (next <= first) continue
    const notes = new Stream(seed, userId, 'menstrual_cycle', index, 'notes')
    cycles.push({ dateMs, document: cycleDocument(notes, { dateMs, next, bleedingDays, today }) })
  }
  return cycles
}

interface Course {
  readonly dateMs: EpochMs
  /** Midnight UTC of the date on which the next cycle starts. */
  readonly next: EpochMs
  readonly bleedingDays: number
  readonly today: EpochMs
}

function cycleDocument(
  notes: Stream,
  { dateMs, next, bleedingDays, today }: Course,
): Readonly<Record<string, unknown>> {
  const days = (next - dateMs) / DAY_MS
  const ovulation = days - LUTEAL_DAYS
  const known = (day: number): boolean => dateMs + day * DAY_MS <= today
  const on = (day: number): string => formatDate(dateMs + day * DAY_MS)
  /** Returns non-empty entries for the requested days that are not in the future. */
  const noted = (wanted: readonly number[], note: (day: number, i: number) => object): object[] =>
    wanted.flatMap((day, i) => {
      const entry = note(day, i)
      return known(day) ? [{ date: on(day), ...entry }] : []
    })
  const every = Array.from({ length: days }, (_, day) => day)
  const temperatures = every.map(day => rounded(36.4 + (day > ovulation ? 0.35 : 0) + noise(notes, 0.06), 2))
  const spots = notes.next() < 0.2
  const tested = notes.next() < 0.4
  const intimate = [notes.whole(7, 11), notes.whole(13, 18), notes.whole(20, 23)]
  const protectedOn = intimate.map(() => notes.next() < 0.6)
  return {
    period_start: on(0),
    period_end: known(bleedingDays) ? on(bleedingDays - 1) : null,
    cycle_end: next <= today ? on(days - 1) : null,
    is_predicted: false,
    menstrual_flow: noted(every.slice(0, bleedingDays), day => ({ flow: FLOW[day] })),
    cervical_mucus: noted([ovulation - 5, ovulation - 3, ovulation - 1, ovulation], (_, i) => ({ quality: MUCUS[i] })),
    intermenstrual_bleeding: noted(spots ? [ovulation] : [], () => ({})),
    contraceptive: [],
    detected_deviations: [],
    ovulation_test: noted([ovulation - 2, ovulation - 1], day => ({
      test_result: day === ovulation - 1 ? 'luteinizing_hormone_surge' : 'negative',
    })),
    home_pregnancy_test: [],
    home_progesterone_test: noted(tested ? [ovulation + 7] : [], () => ({ test_result: 'positive' })),
    sexual_activity: noted(intimate, (_, i) => ({ protection_used: protectedOn[i] })),
    basal_body_temperature: noted(every, day => ({ value: temperatures[day] })),
  }
}
