/** Reduces thousands of samples to the columns of a picture, without losing visible details or bridging gaps. */
import { type ChartPoints, longestPause } from '../core/chart-rules.ts'
import { present } from '../core/present.ts'
import { DAY_MS, type EpochMs } from '../core/time.ts'
import type { ChartSeries } from './chart.ts'

/** A picture's columns across a time range. */
export interface TimeColumns {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly count: number
}

/** A line's samples in one column: the line enters at the first value, covers min to max, and leaves at the last value. */
export interface LineColumn {
  readonly column: number
  readonly first: number
  min: number
  max: number
  last: number
}

/** Returns the column of a time; times outside the range map to the edge columns. */
export function columnAt({ from, to, count }: TimeColumns, at: EpochMs): number {
  const share = to > from ? (at - from) / (to - from) : 0
  return Math.min(count - 1, Math.max(0, Math.floor(share * count)))
}

/** Returns the line of a series, in pieces between its gaps. A sample with a duration is a horizontal segment. */
export function traceLine(
  { n, start, end, value }: ChartSeries,
  points: ChartPoints,
  columns: TimeColumns,
): readonly (readonly LineColumn[])[] {
  // samples in adjacent columns appear connected anyway
  const gap = Math.max(longestPause(start, points, DAY_MS), (1.5 * (columns.to - columns.from)) / columns.count)
  const pieces: LineColumn[][] = []
  let piece: LineColumn[] = []
  for (let i = 0; i < n; i++) {
    const at = present(start[i], 'a start')
    const level = present(value[i], 'a value')
    if (i === 0 || at - lastedUntil(i - 1) > gap) {
      piece = []
      pieces.push(piece)
    }
    draw(piece, columnAt(columns, at), level)
    const until = lastedUntil(i)
    if (until > at) draw(piece, columnAt(columns, until), level)
  }
  return pieces

  /** Returns the end of a sample. If samples overlap, each sample ends where the next one begins. */
  function lastedUntil(i: number): number {
    const next = i + 1 < n ? (start[i + 1] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
    return Math.min(present(end[i], 'an end'), next)
  }
}

function draw(piece: LineColumn[], column: number, value: number): void {
  const current = piece.at(-1)
  if (current?.column !== column) {
    piece.push({ column, first: value, min: value, max: value, last: value })
    return
  }
  current.min = Math.min(current.min, value)
  current.max = Math.max(current.max, value)
  current.last = value
}

/** A picture's bars: each column's highest value, and its lowest value below zero; NaN for a column without samples. */
export interface Bars {
  readonly high: Float64Array
  readonly low: Float64Array
}

/** Returns each column's largest sample instead of the sum, because a bar shows a measured value whatever the picture's width. */
export function traceBars({ n, start, end, value }: ChartSeries, columns: TimeColumns): Bars {
  const high = new Float64Array(columns.count).fill(Number.NaN)
  const low = new Float64Array(columns.count).fill(Number.NaN)
  for (let i = 0; i < n; i++) {
    const at = present(start[i], 'a start')
    const size = present(value[i], 'a value')
    const side = size < 0 ? low : high
    const first = columnAt(columns, at)
    // the end is exclusive
    const last = Math.max(first, columnAt(columns, Math.max(at, present(end[i], 'an end') - 1)))
    for (let column = first; column <= last; column++) {
      const there = side[column] ?? Number.NaN
      if (Number.isNaN(there) || Math.abs(size) > Math.abs(there)) side[column] = size
    }
  }
  return { high, low }
}
