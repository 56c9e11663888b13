/**
 * The data types for which a team has source priorities, and the tables of aggregate queries that use them. See
 * docs/interface/aggregates.md#aggregates-7.
 */

/** The data types of `/v2/team/source/priorities`. */
export const PRIORITY_DATA_TYPES = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const
export type PriorityDataType = (typeof PRIORITY_DATA_TYPES)[number]

/** The data type whose priorities a table uses. Tables that are not listed use none. */
export const DATA_TYPE_OF_TABLE: Readonly<Record<string, PriorityDataType>> = {
  workout: 'workouts',
  activity: 'activity',
  sleep: 'sleep',
  derived_readiness: 'sleep',
  body: 'body',
  timeseries: 'timeseries',
}
