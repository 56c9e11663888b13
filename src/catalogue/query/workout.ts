/** The workout table: one row per workout. */
import { WORKOUT_CALORIES } from '../column-kinds.ts'
import { column, kindColumn, localTime, MERGED_COLUMNS, SOURCE_COLUMNS, type SummaryTable } from './column.ts'

const ZONES = [1, 2, 3, 4, 5, 6] as const

export const WORKOUT: SummaryTable = {
  name: 'workout',
  meaning: 'Workouts',
  summary: 'workouts',
  index: { kind: 'at' },
  indexMeaning: 'Start of the workout, local time',
  columns: [
    localTime('session_start', 'Start of the workout, local time', 'time_start'),
    localTime('session_end', 'End of the workout, local time', 'time_end'),
    column('title', 'text', 'Title'),
    column('sport_name', 'text', 'Sport', 'sport.name'),
    column('sport_slug', 'text', 'Sport, as a slug', 'sport.slug'),
    column('duration_active_second', 'int', 'Seconds in motion', 'moving_time'),
    column('heart_rate_mean', 'int', 'Mean heart rate, bpm', 'average_hr'),
    column('heart_rate_minimum', 'float', 'Lowest heart rate, bpm, if the source reports it'),
    column('heart_rate_maximum', 'int', 'Highest heart rate, bpm', 'max_hr'),
    ...ZONES.map(zone =>
      column(`heart_rate_zone_${zone}`, 'int', `Seconds in heart rate zone ${zone} of 6`, `hr_zones.${zone - 1}`),
    ),
    column('distance_meter', 'float', 'Distance, metres', 'distance'),
    column('calories', 'float', 'Energy burnt, kcal'),
    kindColumn(WORKOUT_CALORIES),
    column('elevation_gain_meter', 'float', 'Metres climbed', 'total_elevation_gain'),
    column('elevation_maximum_meter', 'float', 'Highest altitude, metres', 'elev_high'),
    column('elevation_minimum_meter', 'float', 'Lowest altitude, metres', 'elev_low'),
    column('speed_mean', 'float', 'Mean speed, m/s', 'average_speed'),
    column('speed_maximum', 'float', 'Highest speed, m/s', 'max_speed'),
    {
      name: 'power_source',
      type: 'text',
      meaning: '"device" if a power meter measured the power, otherwise null',
      origin: { kind: 'told', path: ['device_watts'], word: 'device' },
    },
    column('power_mean', 'float', 'Mean power, W', 'average_watts'),
    column('power_maximum', 'float', 'Highest power, W', 'max_watts'),
    column('power_weighted_mean', 'float', 'Weighted mean power, W', 'weighted_average_watts'),
    column('steps', 'int', 'Steps taken'),
    column('map_polyline', 'text', 'Route as an encoded polyline', 'map.polyline'),
    column('map_summary_polyline', 'text', 'Route as an encoded polyline with fewer points', 'map.summary_polyline'),
    column('external_id', 'text', "Provider's id of the workout", 'provider_id'),
    column('time_zone', 'text', 'IANA time zone, if the source reports it'),
    ...MERGED_COLUMNS,
    ...SOURCE_COLUMNS,
  ],
  lists: [],
}
