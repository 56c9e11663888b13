/** The mapping of Withings for the docs: the tables that the readers use, and what they do besides. */
import { mappingRows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import * as tables from './tables.ts'

export const WITHINGS_MAPPING: readonly MappingRow[] = [
  ...tables.MEASURES.map(({ type, to, rule }) => ({ from: `measure type ${type}`, to, rule })),
  {
    from: `measure types ${tables.SYSTOLIC} and ${tables.DIASTOLIC}`,
    to: 'blood_pressure',
    rule: 'mmHg; both of one group',
  },
  ...tables.BODY.map(({ type, to, isShare }) => ({
    from: `measure type ${type}`,
    to: `body.${to}`,
    rule: isShare ? '÷ weight, %' : '',
  })),
  { from: `measure type ${tables.HEIGHT}`, to: 'profile.height', rule: 'm to cm, the newest' },
  {
    from: `measuregrps.attrib ${tables.AMBIGUOUS_PERSON}`,
    to: '',
    rule: 'left out: it could be of another person',
  },
  {
    from: `measuregrps.attrib ${[...tables.BY_HAND].join(', ')}`,
    to: 'the source',
    rule: 'entered by hand: the source type is app',
  },
  ...mappingRows('getactivity', 'activity', tables.ACTIVITY_FIELDS),
  ...mappingRows('getactivity', 'activity.heart_rate', tables.ACTIVITY_HEART),
  {
    from: 'getactivity.totalcalories',
    to: 'calories_basal',
    rule: 'kcal; totalcalories − calories, at least 0, one sample a day',
  },
  ...mappingRows('getintradayactivity', null, tables.INTRADAY),
  ...mappingRows('getsummary', 'sleep', tables.SLEEP_FIELDS),
  ...mappingRows('sleep get', null, tables.SLEEP_SERIES),
  ...Object.entries(tables.STATES).map(([state, { name }]) => ({
    from: `sleep get state ${state}`,
    to: 'sleep_cycle',
    rule: name,
  })),
  { from: 'sleep get, a gap', to: 'sleep_cycle', rule: 'awake, out of bed' },
  ...mappingRows('getworkouts.data', 'workouts', tables.WORKOUT_FIELDS),
  ...mappingRows('getworkouts.data', null, tables.WORKOUT_SAMPLES),
  ...mappingRows('getintradayactivity', 'workout_stream', [tables.WORKOUT_HEART]),
  {
    from: 'getworkouts.startdate, enddate, data.pause_duration',
    to: 'workout_duration',
    rule: 'end − start − pause, in minutes',
  },
]
