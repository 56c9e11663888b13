/** Numbers of the FIT messages that the importer reads. */

export const FILE_ID = 0
export const SPORT = 12
export const SESSION = 18
export const LAP = 19
export const RECORD = 20
export const TIMER_EVENT = 21
export const ACTIVITY = 34
export const MONITORING = 55
export const LENGTH = 101
export const MONITORING_INFO = 103
export const FIELD_DESCRIPTION = 206
export const TIME_IN_ZONE = 216
export const SLEEP_DATA_INFO = 273
export const SLEEP_LEVEL = 275
export const SLEEP_ASSESSMENT = 346

/** Messages with health data for which the service has no resource. Each message is a record that is skipped for this reason. */
export const NOT_IMPORTED: ReadonlyMap<number, string> = new Map([
  [78, 'intervals between heartbeats are not imported'],
  [132, 'heart rates stored by a chest strap are not imported'],
  [211, 'resting heart rates are not imported'],
  [290, 'intervals between heartbeats are not imported'],
  [304, 'readings of a high-speed log are not imported'],
  [305, 'readings of a high-speed log are not imported'],
  [306, 'readings of a high-speed log are not imported'],
  [307, 'readings of a high-speed log are not imported'],
  [308, 'readings of a high-speed log are not imported'],
  [372, 'intervals between heartbeats are not imported'],
])
