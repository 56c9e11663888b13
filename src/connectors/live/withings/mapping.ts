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
  ...mappingRows('getsummary', null, [tables.BREATHING]),
  ...mappingRows('sleep get', null, tables.SLEEP_SERIES),
  { from: 'sleep get.rmssd', to: 'sleep.average_hrv', rule: 'mean of the readings, ms' },
  ...Object.entries(tables.STATES).map(([state, { name }]) => ({
    from: `sleep get state ${state}`,
    to: 'sleep_cycle',
    rule: name,
  })),
  { from: 'sleep get, a gap', to: 'sleep_cycle', rule: 'awake, out of bed' },
  { from: 'heart list.timestamp', to: 'electrocardiogram', rule: 'its start' },
  { from: 'heart list.heart_rate', to: 'electrocardiogram.heart_rate_mean', rule: 'bpm' },
  {
    from: 'heart list.ecg.afib',
    to: 'electrocardiogram.classification, electrocardiogram.inconclusive_cause',
    rule: 'negative: sinus_rhythm; positive: atrial_fibrillation; anything else: inconclusive',
  },
  { from: 'heart get.sampling_frequency', to: 'electrocardiogram.sampling_frequency_hz', rule: '' },
  { from: 'heart get.signal', to: 'electrocardiogram_voltage', rule: 'μV to mV; type lead_1; ÷ 1000' },
  ...mappingRows('getworkouts.data', 'workouts', tables.WORKOUT_FIELDS),
  ...mappingRows('getworkouts.data', null, tables.WORKOUT_SAMPLES),
  {
    from: `getworkouts.data.distance, ${tables.LENGTHS.count}, ${tables.LENGTHS.metres}`,
    to: 'workouts.distance, workout_distance',
    rule: 'm; of a swim, the lengths × the length of the pool',
  },
  { from: 'getworkouts.category', to: 'workouts.sport', rule: 'sport of the catalogue, otherwise Other' },
  {
    from: 'getworkouts.attrib, model',
    to: 'the source',
    rule: 'entered by hand, or recorded by another app: the source type is app',
  },
  ...mappingRows('getintradayactivity', 'workout_stream', [tables.WORKOUT_HEART]),
  {
    from: 'getworkouts.startdate, enddate, data.pause_duration',
    to: 'workout_duration',
    rule: 'end − start − pause, in minutes',
  },
]
