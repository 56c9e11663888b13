/** Withings' mapping table for the docs: the tables that the readers use, and the readers' other rules. */
import { mappingRows, rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import * as tables from './tables.ts'

export const WITHINGS_MAPPING: readonly MappingRow[] = [
  ...tables.MEASURES.map(({ type, to, rule, marked }) => ({
    from: `measure type ${type}`,
    to,
    rule,
    signs: marked === undefined ? {} : { types: [marked] },
  })),
  ...rows(`
    measure types ${tables.SYSTOLIC} and ${tables.DIASTOLIC} | blood_pressure | mmHg; both of one group
  `),
  ...tables.BODY.map(({ type, to, isShare }) => ({
    from: `measure type ${type}`,
    to: `body.${to}`,
    rule: isShare ? '÷ weight, %' : '',
  })),
  ...rows(`
    measure type ${tables.HEIGHT} | profile.height | m to cm, the newest
    measuregrps.attrib ${tables.AMBIGUOUS_PERSON} |  | omitted: it could be of another person
    measuregrps.attrib ${[...tables.BY_HAND].join(', ')} | the source | entered by hand: the source type is app
  `),
  ...mappingRows('getactivity', 'activity', tables.ACTIVITY_FIELDS),
  ...mappingRows('getactivity', 'activity.heart_rate', tables.ACTIVITY_HEART),
  {
    from: 'getactivity.totalcalories',
    to: 'calories_basal',
    rule: 'kcal; totalcalories − calories, at least 0, one sample a day',
    signs: { covers: 'day_total' },
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
  ...rows(`
    sleep get, a gap | sleep_cycle | awake, out of bed
    heart list.timestamp | electrocardiogram | its start
    heart list.heart_rate | electrocardiogram.heart_rate_mean | bpm
    heart list.ecg.afib | electrocardiogram.classification, electrocardiogram.inconclusive_cause | negative: sinus_rhythm; positive: atrial_fibrillation; anything else: inconclusive
    heart get.sampling_frequency | electrocardiogram.sampling_frequency_hz
    heart get.signal | electrocardiogram_voltage | μV to mV; type lead_1; ÷ 1000
  `),
  ...mappingRows('getworkouts.data', 'workouts', tables.WORKOUT_FIELDS),
  ...mappingRows('getworkouts.data', null, tables.WORKOUT_SAMPLES),
  ...rows(`
    getworkouts.data.distance, ${tables.LENGTHS.count}, ${tables.LENGTHS.metres} | workouts.distance, workout_distance | m; of a swim, the lengths × the length of the pool
    getworkouts.category | workouts.sport | sport of the catalogue, otherwise Other
    getworkouts.attrib, model | the source | entered by hand, or recorded by another app: the source type is app
  `),
  ...mappingRows('getintradayactivity', 'workout_stream', [tables.WORKOUT_HEART]),
  ...rows(`
    getworkouts.startdate, enddate, data.pause_duration | workout_duration | end − start − pause, in minutes
  `),
]
