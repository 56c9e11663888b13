/** Oura's mapping table for the docs: the tables that the readers use, and the readers' other rules. */
import { NIGHT_TYPE } from '../../../catalogue/kinds.ts'
import { mappingRows, rows } from '../field-table.ts'
import type { MappingRow } from '../live-connector.ts'
import * as rules from './tables.ts'

export const OURA_MAPPING: readonly MappingRow[] = [
  ...mappingRows('daily_activity', 'activity', rules.ACTIVITY_FIELDS),
  ...mappingRows('daily_activity', null, rules.ACTIVITY_SAMPLES),
  {
    from: 'daily_activity.total_calories',
    to: 'calories_basal',
    rule: 'kcal; total_calories − active_calories, at least 0, one sample a day',
    signs: { covers: 'day_total' },
  },
  ...mappingRows('sleep', 'sleep', rules.SLEEP_FIELDS),
  ...Object.entries(rules.SLEEP_TYPES).map(([from, to]) => ({
    from: `sleep.type ${from}`,
    to: 'sleep.type',
    rule: from === 'late_nap' ? `${to}; the day is that of its end` : to,
  })),
  { from: 'sleep.type null', to: 'sleep.type', rule: 'long_sleep from three hours on, otherwise short_sleep' },
  { from: 'sleep.type deleted, rest', to: '', rule: 'left out, and what it brought before is removed' },
  ...rules.HYPNOGRAMS.map(({ field, seconds }, i) => ({
    from: `sleep.${field}`,
    to: 'sleep_cycle',
    rule: `${seconds} s a character: 1 deep, 2 light, 3 rem, 4 awake${i === 0 ? '' : '; if the one above is missing'}`,
  })),
  { from: 'sleep.hrv.items', to: 'hrv', rule: 'RMSSD in ms; null is a gap' },
  { from: 'sleep.heart_rate.items', to: 'heartrate', rule: 'without the scope heartrate; null is a gap' },
  {
    from: 'sleep.average_hrv',
    to: 'hrv',
    rule: 'one sample, at the end, with type night, if there are no items',
    signs: { types: [NIGHT_TYPE] },
  },
  ...mappingRows('sleep', null, rules.SLEEP_SAMPLES),
  ...mappingRows('sleep.readiness', 'sleep', rules.READINESS_FIELDS),
  ...mappingRows('sleep.readiness', null, rules.READINESS_SAMPLES),
  ...mappingRows('daily_readiness', 'sleep', rules.READINESS_FIELDS).map(row => ({
    ...row,
    rule: 'of a long sleep, if sleep.readiness is missing',
  })),
  ...mappingRows('daily_sleep', 'sleep', rules.SCORE_FIELDS).map(row => ({ ...row, rule: 'of a long sleep' })),
  ...mappingRows('daily_spo2', null, rules.SPO2_SAMPLES),
  ...mappingRows('vO2_max', null, rules.VO2_SAMPLES),
  ...mappingRows('heartrate', null, rules.HEARTRATE_SAMPLES),
  { from: 'workout.activity', to: 'workouts.sport', rule: 'a name that the catalogue does not have is Other' },
  ...mappingRows('workout', 'workouts', rules.WORKOUT_FIELDS),
  { from: 'workout.start_datetime, end_datetime', to: 'workout_duration', rule: 'end − start, in minutes' },
  ...mappingRows('workout', null, rules.WORKOUT_SAMPLES),
  ...rows(`
    heartrate.bpm | workout_stream | within a workout; also its mean and highest heart rate
    session.start_datetime, end_datetime | mindfulness_minutes | end − start, of the types ${rules.MINDFUL_TYPES.join(', ')}
    session.heart_rate.items | heartrate | without the scope heartrate; null is a gap
    enhanced_tag.tag_type_code, custom_name, comment | note | the name or the code in words, and the comment; the code is the type
  `),
  ...mappingRows('personal_info', 'profile', rules.PROFILE_FIELDS),
  { from: 'personal_info.biological_sex', to: 'profile.sex', rule: 'male or female' },
  ...mappingRows('personal_info', 'body', rules.BODY_FIELDS),
  ...mappingRows('personal_info', null, rules.BODY_SAMPLES),
]
