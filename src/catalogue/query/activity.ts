/** The activity table: one row per day. */
import { ACTIVITY_CALORIES } from '../column-kinds.ts'
import { column, kindColumn, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

export const ACTIVITY: SummaryTable = {
  name: 'activity',
  meaning: 'Days of activity',
  summary: 'activity',
  index: { kind: 'date' },
  indexMeaning: 'Midnight of the calendar date',
  columns: [
    { name: 'date', type: 'date', meaning: 'Calendar date', origin: { kind: 'record', field: 'date' } },
    column('calories_total', 'float', 'Energy burnt, kcal'),
    kindColumn(ACTIVITY_CALORIES),
    column('calories_active', 'float', 'Energy burnt by activity, kcal'),
    column('steps', 'int', 'Steps taken'),
    column('distance_meter', 'float', 'Distance, metres', 'distance'),
    column('floors_climbed', 'int', 'Floors climbed'),
    {
      name: 'duration_active_second',
      type: 'int',
      meaning: 'Seconds of low, medium and high intensity combined',
      origin: { kind: 'sum', paths: [['low'], ['medium'], ['high']], factor: 60 },
    },
    column('intensity_sedentary_second', 'int', 'Seconds without activity, if the source reports it'),
    column('intensity_low_second', 'int', 'Seconds of low intensity', 'low', 60),
    column('intensity_medium_second', 'int', 'Seconds of medium intensity', 'medium', 60),
    column('intensity_high_second', 'int', 'Seconds of high intensity', 'high', 60),
    column('heart_rate_mean', 'float', 'Mean heart rate, bpm', 'heart_rate.avg_bpm'),
    column('heart_rate_minimum', 'float', 'Lowest heart rate, bpm', 'heart_rate.min_bpm'),
    column('heart_rate_maximum', 'float', 'Highest heart rate, bpm', 'heart_rate.max_bpm'),
    column('heart_rate_resting', 'float', 'Resting heart rate, bpm', 'heart_rate.resting_bpm'),
    column('heart_rate_mean_walking', 'float', 'Mean heart rate while walking, bpm', 'heart_rate.avg_walking_bpm'),
    column('wheelchair_use', 'bool', 'Whether a wheelchair was used'),
    column('wheelchair_push', 'int', 'Wheelchair pushes'),
    column('time_zone', 'text', 'IANA time zone'),
    column('time_zone_offset', 'int', 'Seconds east of UTC', 'timezone_offset'),
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
