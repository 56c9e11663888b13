/** The records of a person at the fake WHOOP provider, in WHOOP's own format. */

export interface WhoopCycle {
  readonly id: number
  readonly start: string
  readonly end?: string
  readonly [field: string]: unknown
}

export interface WhoopActivity {
  readonly id: string
  readonly start: string
  readonly end: string
  readonly [field: string]: unknown
}

export interface WhoopRecovery {
  readonly cycle_id: number
  readonly sleep_id: string
  readonly created_at: string
  readonly [field: string]: unknown
}

export interface WhoopPerson {
  readonly userId: number
  cycles: WhoopCycle[]
  sleeps: WhoopActivity[]
  recoveries: WhoopRecovery[]
  workouts: WhoopActivity[]
  body: Record<string, unknown>
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

export function emptyWhoopPerson(userId: number): WhoopPerson {
  return { userId, cycles: [], sleeps: [], recoveries: [], workouts: [], body: {} }
}

/** Returns the UUID for a number, the same each time. */
export function whoopUuid(kind: number, n: number): string {
  return `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}

/** Returns a person with a night and a cycle for each of this many days before `now`, and a workout every other day. UTC+02:00. */
export function whoopPerson(userId: number, now: number, days: number): WhoopPerson {
  const person = emptyWhoopPerson(userId)
  const today = Math.floor(now / DAY) * DAY
  for (let n = 0; n < days; n++) {
    // asleep from 21:30 UTC until 05:00 UTC
    const start = today - n * DAY - 2.5 * HOUR
    if (start + 8 * HOUR > now) continue
    addDay(person, start, n)
  }
  person.body = { height_meter: 1.79, weight_kilogram: 74.2, max_heart_rate: 190 }
  return person
}

function addDay(person: WhoopPerson, start: number, n: number): void {
  const at = (ms: number): string => new Date(ms).toISOString()
  const { userId } = person
  const cycleId = 90_000 - n
  const common = { user_id: userId, timezone_offset: '+02:00', score_state: 'SCORED', created_at: at(start + 8 * HOUR) }
  const stamped = { ...common, updated_at: at(start + 9 * HOUR) }
  const sleepId = whoopUuid(1, n)
  person.cycles.push({
    id: cycleId,
    ...stamped,
    start: at(start),
    ...(n === 0 ? {} : { end: at(start + DAY) }),
    score: { strain: 5.2, kilojoule: 8288.3 + n, average_heart_rate: 68, max_heart_rate: 141 },
  })
  person.sleeps.push({
    id: sleepId,
    cycle_id: cycleId,
    ...stamped,
    start: at(start),
    end: at(start + 7.5 * HOUR),
    nap: false,
    score: {
      stage_summary: {
        total_in_bed_time_milli: 27_000_000,
        total_awake_time_milli: 1_800_000,
        total_no_data_time_milli: 0,
        total_light_sleep_time_milli: 12_600_000,
        total_slow_wave_sleep_time_milli: 7_200_000,
        total_rem_sleep_time_milli: 5_400_000,
        sleep_cycle_count: 4,
        disturbance_count: 9,
      },
      sleep_needed: { baseline_milli: 27_395_716 },
      respiratory_rate: 16.1,
      sleep_performance_percentage: 93,
      sleep_consistency_percentage: 88,
      sleep_efficiency_percentage: 93.3,
    },
  })
  person.recoveries.push({
    cycle_id: cycleId,
    sleep_id: sleepId,
    ...stamped,
    score: {
      user_calibrating: false,
      recovery_score: 44,
      resting_heart_rate: 54 + (n % 5),
      hrv_rmssd_milli: 31.8 + n / 10,
      spo2_percentage: 95.7,
      skin_temp_celsius: 33.7,
    },
  })
  if (n % 2 === 1) return
  person.workouts.push({
    id: whoopUuid(2, n),
    ...stamped,
    start: at(start + 12 * HOUR),
    end: at(start + 13 * HOUR),
    sport_name: 'running',
    score: {
      strain: 8.2,
      average_heart_rate: 128,
      max_heart_rate: 166,
      kilojoule: 1569.3,
      percent_recorded: 100,
      distance_meter: 8200.5,
      altitude_gain_meter: 46.6,
      altitude_change_meter: -0.8,
      zone_durations: {
        zone_zero_milli: 60_000,
        zone_one_milli: 600_000,
        zone_two_milli: 1_200_000,
        zone_three_milli: 900_000,
        zone_four_milli: 600_000,
        zone_five_milli: 240_000,
      },
    },
  })
}
