/** The mapping table of Google Health for the docs, from the tables that the code maps with. */
import type { MappingRow } from '../live-connector.ts'
import { DAY_SUMS, RESTING } from './activity.ts'
import { HEIGHT } from './body.ts'
import { COLLECTIONS } from './collections.ts'
import { bodyKey, type SeriesType } from './data-types.ts'
import { EXERCISE_TOTALS } from './exercise.ts'
import { OVULATION_TEST, PERIOD } from './menstrual-cycle.ts'
import { SLEEP_STAGES } from './sleep.ts'

const STAGE_WORDS: Readonly<Record<number, string>> = {
  [-1]: 'asleep, without a stage (-1)',
  1: 'deep (1)',
  2: 'light (2)',
  3: 'rem (3)',
  4: 'awake (4)',
}

export const MAPPING: readonly MappingRow[] = [
  ...COLLECTIONS.flatMap(({ series }) => series.map((type, i) => seriesRow(type, i > 0 && type.shape === 'daily'))),
  ...DAY_SUMS.map(({ type, from, to, divisor }) => ({
    from: `${bodyKey(type)}.${from} (daily sums)`,
    to: `activity ${to}`,
    rule: divided(divisor),
  })),
  { from: `${bodyKey(RESTING.type)}.${RESTING.from}`, to: `activity ${RESTING.to}`, rule: '' },
  { from: 'sleep', to: 'sleep, sleep_cycle', rule: 'durations from the stages, otherwise from the summary; no score' },
  ...Object.entries(SLEEP_STAGES).map(([name, stage]) => ({
    from: `sleep.stages ${name}`,
    to: 'sleep, sleep_cycle',
    rule: STAGE_WORDS[stage] ?? '',
  })),
  { from: 'exercise', to: 'workouts', rule: 'sport by exerciseType' },
  {
    from: 'exercise.activeDuration',
    to: 'workouts moving_time, workout_duration',
    rule: 's; workout_duration ÷ 60 (min)',
  },
  ...EXERCISE_TOTALS.map(({ from, to, divisor }) => ({
    from: `exercise.metricsSummary.${from}`,
    to: to === 'distance' ? 'workouts distance, workout_distance' : `workouts ${to}`,
    rule: divided(divisor),
  })),
  { from: `${bodyKey('weight')}, ${bodyKey('body-fat')}`, to: 'body', rule: 'values of one instant are one summary' },
  { from: `${HEIGHT.name}.${HEIGHT.value}`, to: 'profile height', rule: 'mm ÷ 10 (cm), the newest' },
  { from: `${bodyKey(PERIOD)}.interval`, to: 'menstrual_cycle', rule: 'the next period ends a cycle' },
  { from: `${bodyKey(OVULATION_TEST)}.result`, to: 'menstrual_cycle ovulation_test', rule: 'in lower case' },
]

function seriesRow(
  { name, value, minus, divisor, unit, resource, shape }: SeriesType,
  isFallback: boolean,
): MappingRow {
  const parts = [minus === undefined ? '' : `− ${minus}`, divisor === 1 ? '' : `${unit} ÷ ${divisor}`]
  if (shape === 'daily') parts.push(isFallback ? 'one value a day, for days without the above' : 'one value a day')
  return { from: `${bodyKey(name)}.${value}`, to: resource, rule: parts.filter(part => part !== '').join('; ') }
}

function divided(divisor: number): string {
  return divisor === 1 ? '' : `÷ ${divisor}`
}
