/** Google Health's mapping table for the docs, built from the tables that the code uses. */
import { mappingRows, rows, signsOf } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import { DAY_SUMS, HEART_SUMS, RESTING } from './activity.ts'
import { HEIGHT, HEIGHT_FIELD } from './body.ts'
import { COLLECTIONS } from './collections.ts'
import { bodyKey, type SeriesType } from './data-types.ts'
import { ECG_MAPPING } from './electrocardiogram.ts'
import { EXERCISE_TOTALS, ZONES } from './exercise.ts'
import { OVULATION_TEST, PERIOD } from './menstrual-cycle.ts'
import { NUTRITION_MAPPING } from './nutrition.ts'
import { SLEEP_STAGES } from './sleep.ts'

export const MAPPING: readonly MappingRow[] = [
  ...COLLECTIONS.flatMap(({ series }) => series.map((type, i) => seriesRow(type, i > 0 && type.shape === 'daily'))),
  { from: 'weight, bodyFat', to: 'body', rule: 'values of one instant are one summary' },
  ...DAY_SUMS.flatMap(({ type, rules }) => mappingRows(`${bodyKey(type)} (sums of a day)`, 'activity', rules)),
  ...mappingRows(`${bodyKey(HEART_SUMS.type)} (sums of a day)`, 'activity.heart_rate', HEART_SUMS.rules),
  ...mappingRows(bodyKey(RESTING.type), 'activity.heart_rate', RESTING.rules),
  { from: 'sleep', to: 'sleep, sleep_cycle', rule: 'lengths from the stages, otherwise from the summary; no score' },
  ...Object.entries(SLEEP_STAGES).map(([name, stage]) => ({
    from: `sleep.stages ${name}`,
    to: 'sleep_cycle.stage_type',
    rule: name === 'RESTLESS' ? `${stage}; neither asleep nor awake` : `${stage}`,
  })),
  { from: 'exercise.exerciseType', to: 'workouts.sport', rule: 'a name that the catalogue does not have is Other' },
  ...mappingRows('exercise.metricsSummary', 'workouts', EXERCISE_TOTALS),
  { from: 'exercise.metricsSummary.distanceMillimeters', to: 'workout_distance', rule: '÷ 1000' },
  ...ZONES.map(({ from, position }) => ({
    from: `exercise.metricsSummary.heartRateZoneDurations.${from}`,
    to: 'workouts.hr_zones',
    rule: `s; zone ${position + 1} of six`,
  })),
  ...rows(`
    heartRate.beatsPerMinute | workout_stream, workouts.max_hr | within an exercise; also its mean heart rate, if Google does not say it
    exercise.activeDuration | workouts.moving_time, workout_duration | s; workout_duration in min
  `),
  ...NUTRITION_MAPPING,
  ...ECG_MAPPING,
  ...mappingRows(HEIGHT, 'profile', [HEIGHT_FIELD]),
  { from: `${bodyKey(PERIOD)}.interval`, to: 'menstrual_cycle', rule: 'the next period ends a cycle' },
  { from: `${bodyKey(OVULATION_TEST)}.result`, to: 'menstrual_cycle.ovulation_test', rule: 'in lower case' },
]

function seriesRow(series: SeriesType, isFallback: boolean): MappingRow {
  const { name, value, minus, per, unit, resource, shape, type } = series
  const parts = [minus === undefined ? '' : `− ${minus}`, per === 1 ? '' : `${unit} ÷ ${per}`]
  if (shape === 'daily') parts.push(isFallback ? 'one value a day, for days without the above' : 'one value a day')
  if (type !== undefined) parts.push(`with type ${type}`)
  return {
    from: `${bodyKey(name)}.${value}`,
    to: resource,
    rule: parts.filter(part => part !== '').join('; '),
    signs: signsOf(series),
  }
}
