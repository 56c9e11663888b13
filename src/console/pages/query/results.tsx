/** The result of a query as a chart and as a table. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ChartSeries } from '../../parts/chart/series.ts'
import { Card } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { useMeasuredZone } from '../../parts/time-zone.tsx'
import { useWhy, WhyButton } from '../data/why/why-button.tsx'
import type { Question } from '../data/why/why-dialog.tsx'
import type { NamedColumns } from './query-model.ts'
import { type Cell, cellTime, groupOf, knownFrom, ResultCell, type ResultTable } from './result-cell.tsx'
import { ResultChart } from './result-chart.tsx'
import { columnTexts } from './result-column.ts'
import { resultSeries } from './result-series.ts'
import { type AskWhy, askWhy } from './result-why.ts'
import { type QueryWarning, Warnings } from './warnings.tsx'

type Row = Readonly<Record<string, Cell>>

const ROWS_ON_A_PAGE = 100

/** How a result is shown. A result without a chart is always a table. */
export type Shown = 'both' | 'chart' | 'table'

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
