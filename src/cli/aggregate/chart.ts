/** Draws one chart for each numeric column of a result table, against the first time column. */
import { isSumColumn } from '../../core/chart-rules.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Chart, ChartBuilder } from '../../output/chart.ts'
import { columnTypes } from '../../table/columns.ts'
import { toColumns } from '../../table/json.ts'
import type { ColumnType, ResultTable } from '../../table/table.ts'
import type { Aliases } from './renamed.ts'

/** Names of the columns that tell rows apart: group keys, and the kinds that `--mixed-kinds split` adds. */
const KEY = /^(group_key\.\d+|\w+\.kind)$/

/**
 * Returns a chart for each column; each combination of the other group keys is a series. Whether values are amounts depends on the
 * service's column names; `aliases` sets the chart titles. Throws ServiceError `usage` if there is no time column, or nothing to draw.
 */
export function tableCharts(table: ResultTable, aliases?: Aliases): readonly Chart[] {
  const types = columnTypes(table)
  const time = types.find(({ kind }) => kind === 'time' || kind === 'date')
  if (!time) {
    throw new ServiceError('usage', 'A chart needs a column of times, and the result has none.', {
      suggestions: ['Group by a bucket such as --group-by 1d, or select an index such as sleep.index.'],
    })
  }
  const numbers = types.filter(type => isNumber(type) && !KEY.test(type.name))
  if (numbers.length === 0) {
    throw new ServiceError('usage', 'The result has no column of numbers, so there is nothing to draw.', {
      suggestions: ['Use another --output: table, json, ndjson, csv, arrow or parquet.'],
    })
  }
  const columns = toColumns(table)
  const times = (columns[time.name] ?? []).map(cell =>
    typeof cell === 'string' ? Date.parse(`${cell}${utc(cell)}`) : null,
  )
  const step = leastStep(times)
  const keys = types.filter(({ name }) => KEY.test(name) && name !== time.name).map(({ name }) => columns[name] ?? [])
  const seriesOf = (row: number): string => keys.map(cells => String(cells[row] ?? 'null')).join(' · ')
  return numbers.flatMap((type): Chart[] => {
    const { name } = type
    const title = aliases?.[types.indexOf(type)] ?? name
    const isAmount = isSumColumn(name)
    const builder = new ChartBuilder()
    for (const [row, cell] of (columns[name] ?? []).entries()) {
      const at = times[row]
      if (typeof cell !== 'number' || at === null || at === undefined) continue
      builder.add(seriesOf(row) || title, at, isAmount ? at + step : at, cell)
    }
    const chart = builder.build({
      title,
      unit: '',
      mark: isAmount ? 'bars' : 'line',
      isFloating: true,
      points: 'buckets',
    })
    return chart.series.length === 0 ? [] : [chart]
  })
}

function isNumber({ kind }: ColumnType): boolean {
  return kind === 'float' || kind.startsWith('int')
}

/** Draws a floating time as if it were UTC. */
function utc(text: string): string {
  return text.length === 10 ? 'T00:00:00Z' : 'Z'
}

/** Returns the bar width: the smallest difference between two times. */
function leastStep(times: readonly (number | null)[]): number {
  const sorted = [...new Set(times.filter(time => time !== null))].sort((a, b) => a - b)
  let least = Number.POSITIVE_INFINITY
  let before = Number.NEGATIVE_INFINITY
  for (const time of sorted) {
    least = Math.min(least, time - before)
    before = time
  }
  return Number.isFinite(least) ? least : 0
}
