/** The result of a query as a chart and as a table. */

import { resultHeading } from '../../../catalogue/wording.ts'
import { Card } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { ResultChart } from './result-chart.tsx'
import type { ResultTable } from './result-series.ts'
import { type QueryWarning, Warnings } from './warnings.tsx'

type Cell = ResultTable[string][number]
type Row = Readonly<Record<string, Cell>>

const ROWS_ON_A_PAGE = 100

interface ResultsProps {
  readonly table: ResultTable
  /** The query that produced the table, as JSON. */
  readonly query: unknown
  readonly title: string
  readonly warnings?: readonly QueryWarning[]
}

export function Results({ table, query, title, warnings = [] }: ResultsProps) {
  const names = Object.keys(table)
  const length = table[names[0] ?? '']?.length ?? 0
  const rowAt = (index: number) =>
    Object.fromEntries([['#', index], ...names.map(name => [name, table[name]?.[index] ?? null])]) as Row // cells of the table
  const slice = (from: number, to: number) =>
    Array.from({ length: Math.min(to, length) - from }, (_, offset) => rowAt(from + offset))
  return (
    <Card isFlush title={title}>
      <Warnings warnings={warnings} />
      {length === 0 ? (
        <Empty title="No rows">The user has no matching data in this period. Try a longer one.</Empty>
      ) : (
        <>
          <ResultChart table={table} label={title} />
          <PagedTable
            label={title}
            columns={resultColumns(table, names, query)}
            rows={{ length, slice }}
            rowKey={row => `${row['#']}`}
            perPage={ROWS_ON_A_PAGE}
            noun="rows"
          />
        </>
      )}
    </Card>
  )
}

function resultColumns(table: ResultTable, names: readonly string[], query: unknown): readonly Column<Row>[] {
  return names.map(name => ({
    title: resultHeading(name, query),
    cell: row => cellText(row[name] ?? null),
    isNumber: table[name]?.some(cell => typeof cell === 'number') ?? false,
  }))
}

/** Maximum number of decimals in the table. Files contain all decimals. */
const MOST_DECIMALS = 4

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'number') return `${cell}`
  return Number.isInteger(cell) ? count(cell) : cell.toLocaleString('en-US', { maximumFractionDigits: MOST_DECIMALS })
}
