/** Combines a TCX activity's laps into totals for the whole activity. */
import { ServiceError } from '../../../core/errors.ts'
import { type EpochMs, SECOND_MS } from '../../../core/time.ts'
import type { StatedTotals } from '../../shared/totals.ts'
import { readNumber } from './xml.ts'

/** Maximum number of laps. A day's ride has a few hundred laps; a hostile file must not exhaust memory. */
const MOST_LAPS = 10_000
/** Elements that are read from a lap. Other elements are ignored. */
const IN_LAP: ReadonlySet<string> = new Set([
  ...['TotalTimeSeconds', 'DistanceMeters', 'MaximumSpeed', 'Calories', 'AverageHeartRateBpm', 'MaximumHeartRateBpm'],
  ...['AvgWatts', 'MaxWatts', 'Steps'],
])

interface Lap {
  readonly start: EpochMs | undefined
  readonly values: Map<string, number>
}

/**
 * Collects laps: `open` starts one, `set` records one of its values by element name. Throws ServiceError `invalid_file` for more than
 * 10,000 laps.
 */
export class TcxLaps {
  private readonly laps: Lap[] = []

  get count(): number {
    return this.laps.length
  }

  open(start: EpochMs | undefined): void {
    if (this.laps.length === MOST_LAPS) {
      throw new ServiceError(
        'invalid_file',
        `The file contains an activity with more than ${MOST_LAPS} laps, which is the limit.`,
        {
          suggestions: ['Split the recording and import its parts.'],
        },
      )
    }
    this.laps.push({ start, values: new Map() })
  }

  set(name: string, text: string): void {
    const value = IN_LAP.has(name) ? readNumber(text) : undefined
    if (value !== undefined) this.laps.at(-1)?.values.set(name, value)
  }

  /** The latest lap end that the laps contain. */
  get end(): EpochMs | undefined {
    const ends = this.laps.flatMap(({ start, values }) =>
      start === undefined ? [] : [start + Math.round((values.get('TotalTimeSeconds') ?? 0) * SECOND_MS)],
    )
    return ends.length === 0 ? undefined : Math.max(...ends)
  }

  totals(): StatedTotals {
    const averageHr = this.average('AverageHeartRateBpm')
    return {
      moving_time: this.sum('TotalTimeSeconds'),
      distance: this.sum('DistanceMeters'),
      calories: this.sum('Calories'),
      average_hr: averageHr === 0 ? undefined : averageHr,
      max_hr: this.most('MaximumHeartRateBpm') || undefined,
      max_speed: this.most('MaximumSpeed') || undefined,
      average_watts: this.average('AvgWatts'),
      max_watts: this.most('MaxWatts'),
      steps: this.sum('Steps'),
    }
  }

  private all(name: string): number[] {
    return this.laps.flatMap(({ values }) => values.get(name) ?? [])
  }

  private sum(name: string): number | undefined {
    const values = this.all(name)
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
  }

  private most(name: string): number | undefined {
    const values = this.all(name)
    return values.length === 0 ? undefined : values.reduce((most, value) => Math.max(most, value))
  }

  /** Returns the average, weighted by lap duration; undefined unless every lap has the value. */
  private average(name: string): number | undefined {
    let [seconds, sum] = [0, 0]
    for (const { values } of this.laps) {
      const value = values.get(name)
      const length = values.get('TotalTimeSeconds')
      if (value === undefined || length === undefined) return undefined
      seconds += length
      sum += value * length
    }
    return seconds === 0 ? undefined : sum / seconds
  }
}
