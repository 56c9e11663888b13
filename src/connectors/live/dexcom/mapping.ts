/** Dexcom's mapping table for the docs, built from the tables that the code uses. */
import { rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import { FINGERSTICK, INSULIN_TYPES, INTENSITIES, NOTES, UNITS, UNKNOWN_INSULIN } from './events.ts'
import { GLUCOSE_UNITS } from './records.ts'

const GLUCOSE_RULE = Object.entries(GLUCOSE_UNITS)
  .map(([unit, divisor]) => (divisor === 1 ? `${unit} unchanged` : `${unit} ÷ ${divisor}`))
  .join('; ')

export const MAPPING: readonly MappingRow[] = [
  ...rows(`
    egvs.value | glucose | ${GLUCOSE_RULE}; source automatic; a status low or high, or a value beyond the range, by the setting out_of_range
    calibrations.value | glucose | ${GLUCOSE_RULE}; source ${FINGERSTICK}
    events bloodGlucose | glucose | ${GLUCOSE_RULE}; source ${FINGERSTICK}
  `),
  { from: 'events carbs', to: 'carbohydrates', rule: UNITS['carbs'] ?? '' },
  ...Object.entries(INSULIN_TYPES).map(([from, to]) => ({
    from: `events insulin ${from}`,
    to: 'insulin_injection',
    rule: `${UNITS['insulin']}; type ${to}`,
  })),
  ...rows(`
    events insulin without a subtype | insulin_injection | ${UNITS['insulin']}; type ${UNKNOWN_INSULIN}
    events ${[...NOTES].join(', ')} | note | the text
  `),
  ...Object.entries(INTENSITIES).map(([from, to]) => ({
    from: `events exercise ${from}`,
    to: 'workouts, workout_duration',
    rule: `${UNITS['exercise']}; the duration only; intensity ${to}`,
  })),
]
