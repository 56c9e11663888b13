/** Extracts the data for a chart over time from a result: a first column of times, and up to six columns of numbers. */

import { isSumColumn, longestPause } from '../../../core/chart-rules.ts'
import { colorNumber } from '../../parts/chart/colors.ts'
import { bucketShape, type ChartSeries, markOf } from '../../parts/chart/series.ts'
import { DAY } from '../../parts/floating.ts'
import { bucketSeconds } from '../../parts/period.tsx'
import type { NamedColumns } from './query-model.ts'
import { cellTime, groupOf, type ResultTable } from './result-cell.tsx'
import { columnTexts } from './result-column.ts'

const MOST_SERIES = 6

/**
 * Returns a series for each column of numbers that is not a group key, or an empty list if the rows do not represent times, or if several rows
 * have the same time. `query` is the query as JSON.
 */
export function resultSeries(table: ResultTable, query: unknown, columns: NamedColumns): readonly ChartSeries[] {
  const [first, ...rest] = Object.entries(table)
  const times = first?.[1].map(cellTime) ?? []
  const group = groupOf(first?.[0] ?? '', query)
  const bucket = group?.kind === 'period' ? group : undefined
  const isRising = times.every((time, index) => index === 0 || time > (times[index - 1] ?? 0))
  if (times.length < 2 || times.some(Number.isNaN) || !isRising) return []
  const step = times.reduce(
    (least, time, index) => Math.min(least, time - (times[index - 1] ?? 0)),
    bucket ? bucketSeconds(bucket) : Number.POSITIVE_INFINITY,
  )
  return rest
    .filter(([name, cells]) => !name.startsWith('group_key.') && cells.some(cell => typeof cell === 'number'))
    .slice(0, MOST_SERIES)
    .map(([name, cells], index) => {
      const known = cells.flatMap((cell, row) => (typeof cell === 'number' ? [[times[row] ?? 0, cell] as const] : []))
      const at = Float64Array.from(known, ([time]) => time)
      const low = Float64Array.from(known, ([, value]) => value)
      const isSum = isSumColumn(name)
      const { title, unit } = columnTexts(name, query, columns)
      return {
        key: name,
        label: title,
        unit,
        color: colorNumber(index),
        at,
        until: isSum ? at.map(time => time + step) : at,
        low,
        high: low,
        ...(bucket
          ? bucketShape(isSum, bucket, false)
          : { mark: markOf(isSum), gap: longestPause(times, 'buckets', DAY) }),
      }
    })
}
