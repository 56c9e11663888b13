/** Extracts the data for a chart over time from a result: a first column of times, and up to six columns of numbers. */

import { isSumColumn, longestPause } from '../../../core/chart-rules.ts'
import type { ResponseOf } from '../../api/call.ts'
import { colorNumber } from '../../parts/chart/colors.ts'
import type { ChartSeries } from '../../parts/chart/series.ts'
import { DAY } from '../../parts/floating.ts'

export type ResultTable = ResponseOf<'aggregate.query'>['results'][number]['table']

const MOST_SERIES = 6

/** Returns a series for each column of numbers; an empty list if the rows do not represent times, or if several rows have the same time. */
export function resultSeries(table: ResultTable): readonly ChartSeries[] {
  const [first, ...rest] = Object.entries(table)
  const times = first?.[1].map(cellTime) ?? []
  const isRising = times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))
  if (times.length < 2 || times.some(Number.isNaN) || !isRising) return []
  const step = times.reduce((least, time, index) => Math.min(least, time - (times[index - 1] ?? 0)))
  return rest
    .filter(([, cells]) => cells.some(cell => typeof cell === 'number'))
    .slice(0, MOST_SERIES)
    .map(([name, cells], index) => {
      const known = cells.flatMap((cell, row) => (typeof cell === 'number' ? [[times[row] ?? 0, cell] as const] : []))
      const at = Float64Array.from(known, ([time]) => time)
      const low = Float64Array.from(known, ([, value]) => value)
      const isSum = isSumColumn(name)
      return {
        key: name,
        label: name,
        unit: '',
        mark: isSum ? 'bars' : 'line',
        color: colorNumber(index),
        at,
        until: isSum ? at.map(time => time + step) : at,
        low,
        high: low,
        gap: longestPause(times, 'buckets', DAY),
      }
    })
}

/** Returns a local time in seconds. Local times in results have no offset, so they are read as if they were UTC. */
function cellTime(cell: ResultTable[string][number]): number {
  if (typeof cell !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(cell)) return Number.NaN
  return Date.parse(cell.length === 10 ? `${cell}T00:00:00Z` : `${cell.slice(0, 19)}Z`) / 1_000
}
