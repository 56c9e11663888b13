/** The result of a query as a chart, if its rows represent times, and as a table. */
import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { isSumColumn, longestPause } from '../../../core/chart-rules.ts'
import { colorNumber } from '../../parts/chart/colors.ts'
import { summarizeValues, summaryText } from '../../parts/chart/readout.ts'
import { bucketShape, type ChartSeries, markOf, type View } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { DAY } from '../../parts/floating.ts'
import { Card } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { bucketSeconds, ONE_DAY } from '../../parts/period.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { useMeasuredZone } from '../../parts/time-zone.tsx'
import { useWhy, WhyButton } from '../data/why/why-button.tsx'
import type { Question } from '../data/why/why-dialog.tsx'
import type { NamedColumns } from './query-model.ts'
import { type Cell, cellTime, groupOf, knownFrom, ResultCell, type ResultTable } from './result-cell.tsx'
import { type AskWhy, askWhy, columnTexts } from './result-column.ts'
import { type QueryWarning, Warnings } from './warnings.tsx'

type Row = Readonly<Record<string, Cell>>

const ROWS_ON_A_PAGE = 100

/** How a result is shown. A result without a chart is always a table. */
type Shown = 'both' | 'chart' | 'table'

interface ResultsProps {
  readonly table: ResultTable
  /** The query that produced the table, as JSON. */
  readonly query: unknown
  readonly columns: NamedColumns
  readonly title: string
  readonly shown?: Shown
  readonly actions?: ComponentChildren
  readonly warnings?: readonly QueryWarning[]
  /** The user of the result, for where its numbers come from; absent if the query has settings of its own. */
  readonly userId?: string | undefined
}

export function Results(props: ResultsProps) {
  const { table, query, columns, title, shown = 'both', actions, warnings = [], userId = '' } = props
  const series = useMemo(() => resultSeries(table, query, columns), [table, query, columns])
  const ask = userId === '' ? null : askWhy(query, columns)
  const why = useWhy(userId)
  const names = Object.keys(table)
  const length = table[names[0] ?? '']?.length ?? 0
  const rowAt = (index: number) =>
    Object.fromEntries([['#', index], ...names.map(name => [name, table[name]?.[index] ?? null])]) as Row // cells of the table
  const slice = (from: number, to: number) =>
    Array.from({ length: Math.min(to, length) - from }, (_, offset) => rowAt(from + offset))
  const hasChart = series.length > 0 && shown !== 'table'
  // a table has the units in its headings
  const units = shown === 'chart' ? new Set(series.map(({ unit }) => unit)) : []
  return (
    <Card key={useMeasuredZone()} isFlush title={[title, ...units].filter(Boolean).join(', ')} actions={actions}>
      <Warnings warnings={warnings} />
      {length === 0 && <Empty title="No rows">The user has no matching data in this period. Try a longer one.</Empty>}
      {hasChart && (
        <ResultChart
          series={series}
          label={title}
          onPick={
            ask === null
              ? undefined
              : at => why.open(at.flatMap((i, n) => (i < 0 ? [] : (questionAt(ask, table, series[n], i) ?? []))))
          }
        />
      )}
      {why.dialog}
      {userId !== '' && length > 0 && (
        <p class="soft data-note">
          {ask === null
            ? 'Only numbers of a day, a week, a month or a year can be explained, in a query that groups by nothing else.'
            : 'Click a point of the chart, or “Why?” in the table, to see where a number comes from.'}
        </p>
      )}
      {length > 0 && !(hasChart && shown === 'chart') && (
        <PagedTable
          label={title}
          columns={resultColumns(props, ask)}
          rows={{ length, slice }}
          rowKey={row => `${row['#']}`}
          perPage={ROWS_ON_A_PAGE}
          noun="rows"
        />
      )}
    </Card>
  )
}

/** Returns the question for a point of a series. */
function questionAt(ask: AskWhy, table: ResultTable, series: ChartSeries | undefined, i: number): Question | null {
  const [times = []] = Object.values(table)
  const row = times.findIndex(each => cellTime(each) === series?.at[i])
  return ask(series?.key ?? '', times[row] ?? null, series?.low[i] ?? null)
}

function resultColumns(
  { table, query, columns, userId = '' }: ResultsProps,
  ask: AskWhy | null,
): readonly Column<Row>[] {
  const [first = ''] = Object.keys(table)
  return Object.entries(table).map(([name, cells]) => {
    const group = groupOf(name, query)
    const known = knownFrom(cells)
    const { title, unit } = columnTexts(name, query, columns)
    return {
      title: [title, unit].filter(Boolean).join(', '),
      cell: row => {
        const question = ask?.(name, row[first] ?? null, row[name] ?? null)
        return (
          <>
            <ResultCell cell={row[name] ?? null} {...{ group, known }} />
            {question && <WhyButton {...{ userId, question }} />}
          </>
        )
      },
      isNumber: group === null && cells.some(cell => typeof cell === 'number'),
    }
  })
}

/** Margin at both ends, as a fraction of the time range, so that the first and last points are not cut off. */
const MARGIN = 0.02

interface ResultChartProps {
  /** At least one. */
  readonly series: readonly ChartSeries[]
  readonly label: string
  readonly onPick?: ((indexes: readonly number[]) => void) | undefined
}

/** A chart of a result whose rows represent times. */
function ResultChart({ series, label, onPick }: ResultChartProps) {
  const whole = useMemo(() => wholeView(series), [series])
  const [view, setView] = useState<View | null>(null)
  const shown = view ?? whole
  return (
    <div class="result-chart">
      <TimeChart
        label={label}
        texts={series.map(each =>
          summaryText(each.label, each.unit, summarizeValues(each, shown), each.bucket ?? ONE_DAY),
        )}
        series={series}
        view={shown}
        onPick={onPick}
        onView={setView}
        {...(view === null ? {} : { onReset: () => setView(null) })}
        height={260}
      />
    </div>
  )
}

function wholeView(series: readonly ChartSeries[]): View {
  const from = Math.min(...series.map(({ at }) => at[0] ?? Number.POSITIVE_INFINITY))
  const to = Math.max(...series.map(({ until }) => until.at(-1) ?? Number.NEGATIVE_INFINITY))
  const room = (to - from) * MARGIN
  return { from: from - room, to: to + room }
}

const MOST_SERIES = 6

/**
 * Returns a series for each column of numbers that is not a group key, or an empty list if the rows do not represent times, or if several rows
 * have the same time. `query` is the query as JSON.
 */
function resultSeries(table: ResultTable, query: unknown, columns: NamedColumns): readonly ChartSeries[] {
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
