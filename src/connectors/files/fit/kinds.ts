/** The messages of the FIT profile that the importer looks at, by their numbers. */

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

/** Messages that hold health data which have no place in the service: each is a record that is skipped, under this name. */
export const NOT_IMPORTED: ReadonlyMap<number, string> = new Map([
  [78, 'times between heart beats are not imported'],
  [132, 'heart rates from the memory of a strap are not imported'],
  [211, 'resting heart rates are not imported'],
  [275, 'sleep levels are not imported'],
  [290, 'times between heart beats are not imported'],
  [304, 'readings of a high-speed log are not imported'],
  [305, 'readings of a high-speed log are not imported'],
  [306, 'readings of a high-speed log are not imported'],
  [307, 'readings of a high-speed log are not imported'],
  [308, 'readings of a high-speed log are not imported'],
  [372, 'times between heart beats are not imported'],
])
