/**
 * A decoder that is strict about integers, like those of typed clients. Its list was written from the interface's specification and shares
 * nothing with the schemas of src.
 */

type Row = Readonly<Record<string, unknown>>

/** The integers of each kind of summary; a list contains integers only. */
export const INTEGERS: Readonly<Record<string, readonly string[]>> = {
  sleep: [
    'timezone_offset',
    'duration',
    'total',
    'awake',
    'light',
    'rem',
    'deep',
    'score',
    'recovery_readiness_score',
    'hr_lowest',
    'hr_average',
    'hr_resting',
    'latency',
  ],
  sleep_cycle: ['stage_start_offset_second', 'stage_end_offset_second', 'stage_type'],
  activity: ['steps', 'floors_climbed', 'timezone_offset', 'wheelchair_push'],
  workouts: ['timezone_offset', 'average_hr', 'max_hr', 'hr_zones', 'moving_time', 'steps'],
  profile: ['height'],
  electrocardiogram: ['heart_rate_mean', 'voltage_sample_count'],
  body: [],
  meal: ['priority_id', 'source_id'],
  menstrual_cycle: [],
}

/** Collects the results of decoding: the number of integers in each field, and every value that is not an integer. */
export class StrictDecoder {
  readonly seen = new Map<string, number>()
  readonly wrong: string[] = []

  summary(kind: string, document: Row): void {
    for (const field of INTEGERS[kind] ?? []) this.integers(`${kind}.${field}`, document[field])
  }

  /** The samples of a page or an event. */
  samples(resource: string, data: readonly Row[]): void {
    if (resource !== 'heart_rate_alert') return
    for (const { value } of data) this.integers('heart_rate_alert.value', value)
  }

  stream({ heartrate }: Row): void {
    this.integers('stream.heartrate', heartrate)
  }

  integers(name: string, value: unknown): void {
    if (value === null || value === undefined) return
    if (Array.isArray(value)) {
      for (const each of value) this.integers(name, each)
      return
    }
    this.seen.set(name, (this.seen.get(name) ?? 0) + 1)
    if (!Number.isSafeInteger(value)) this.wrong.push(`${name} ${String(value)}`)
  }
}
