/**
 * An activity's points in columns, as read from a FIT, TCX or GPX file. Reads by index are unchecked (`as number`), because the loops are
 * hot and stay in range.
 */

import { ServiceError } from '../../core/errors.ts'
import { getOrInsert } from '../../core/maps.ts'
import { STREAM_COLUMNS, type StreamColumn, type StreamPoints } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'

/** A point's possible values: the columns of a stream, and values that only become samples. */
export type PointColumn = StreamColumn | 'respiratory_rate'
const POINT_COLUMNS: readonly PointColumn[] = [...STREAM_COLUMNS, 'respiratory_rate']

/** One point's values, in the units of `StreamPoints`. Missing values are absent or undefined. */
export type PointValues = { readonly [column in PointColumn]?: number | undefined }

/**
 * Maximum number of points, enough for about three weeks at one point per second. No activity is longer, and a hostile file must not
 * exhaust memory.
 */
const MAX_POINTS = 2_000_000

/** The points in file order. The columns grow as points are added. Throws ServiceError `invalid_file` for more than 2,000,000 points. */
export class ActivityPoints {
  n = 0
  private times = new Float64Array(1024)
  private readonly columns = new Map<PointColumn, Float64Array>()

  /** Adds a point. Values that are not finite are omitted. */
  add(time: EpochMs, values: PointValues): void {
    const i = this.next(time)
    for (const name of POINT_COLUMNS) {
      const value = values[name]
      if (value !== undefined && Number.isFinite(value)) this.columnFor(name)[i] = value
    }
  }

  /** Adds a copy of point `i` of `from`, with its own time. */
  copy(from: ActivityPoints, i: number, time: EpochMs): void {
    const to = this.next(time)
    for (const [name, column] of from.columns) {
      const value = column[i] as number
      if (!Number.isNaN(value)) this.columnFor(name)[to] = value
    }
  }

  /** Multiplies every value in a column by `factor`. */
  scale(name: PointColumn, factor: number): void {
    const column = this.column(name)
    if (column !== undefined) for (let i = 0; i < column.length; i++) column[i] = (column[i] as number) * factor
  }

  get time(): Float64Array {
    return this.times.subarray(0, this.n)
  }

  /** Returns a column's values, with NaN for points without one; undefined if no point has a value. */
  column(name: PointColumn): Float64Array | undefined {
    return this.columns.get(name)?.subarray(0, this.n)
  }

  /** Returns the points as a workout's stream. */
  stream(): StreamPoints {
    const columns = new Map<StreamColumn, Float64Array>()
    for (const name of STREAM_COLUMNS) {
      const column = this.column(name)
      if (column !== undefined) columns.set(name, column)
    }
    return { n: this.n, time: this.time, columns }
  }

  /** Sets a whole column, which is computed from other columns. */
  set(name: PointColumn, values: Float64Array): void {
    const column = new Float64Array(this.times.length).fill(Number.NaN)
    column.set(values.subarray(0, this.n))
    this.columns.set(name, column)
  }

  /** Sorts the points by time. Points with the same time stay in file order. */
  sort(): void {
    const { time, n } = this
    if (isAscending(time)) return
    const order = Uint32Array.from({ length: n }, (_, i) => i)
    order.sort((a, b) => (time[a] as number) - (time[b] as number) || a - b)
    const sorted = (from: Float64Array): Float64Array => Float64Array.from(order, i => from[i] as number)
    for (const [name, column] of this.columns) this.columns.set(name, sorted(column))
    this.times = Float64Array.from(sorted(time))
  }

  private next(time: EpochMs): number {
    if (this.n === MAX_POINTS) throw tooLong()
    if (this.n === this.times.length) this.grow()
    this.times[this.n] = time
    return this.n++
  }

  private columnFor(name: PointColumn): Float64Array {
    return getOrInsert(this.columns, name, () => new Float64Array(this.times.length).fill(Number.NaN))
  }

  private grow(): void {
    const wider = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(from.length * 2).fill(Number.NaN)
      to.set(from)
      return to
    }
    this.times = wider(this.times)
    for (const [name, column] of this.columns) this.columns.set(name, wider(column))
  }
}

function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if ((times[i] as number) < (times[i - 1] as number)) return false
  return true
}

function tooLong(): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file contains an activity with more than ${MAX_POINTS} points, which is the limit.`,
    {
      suggestions: ['Split the recording and import its parts.'],
    },
  )
}
