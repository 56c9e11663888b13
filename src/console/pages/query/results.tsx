/** The result of a query as a chart and as a table. */

import { useState } from 'preact/hooks'
import { resultHeading } from '../../../catalogue/wording.ts'
import { Card } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count, Pager, Table } from '../../parts/table.tsx'
import { ResultChart } from './result-chart.tsx'
import type { ResultTable } from './result-series.ts'

type Cell = ResultTable[string][number]
type Row = Readonly<Record<string, Cell>>

const ROWS_ON_A_PAGE = 100

interface ResultsProps {
  readonly table: ResultTable
  /** The query, as JSON, that the table answers. */
  readonly query: unknown
  readonly title: string
}

export function Results({ table, query, title }: ResultsProps) {
  const [offset, setOffset] = useState(0)
  const names = Object.keys(table)
  const length = table[names[0] ?? '']?.length ?? 0
  const rows = Array.from({ length: Math.min(ROWS_ON_A_PAGE, Math.max(0, length - offset)) }, (_, place) => {
    const index = offset + place
    return Object.fromEntries([['#', index], ...names.map(name => [name, table[name]?.[index] ?? null])]) as Row // cells of the table
  })
  return (
    <Card isFlush title={title}>
      {length === 0 ? (
        <Empty title="No rows">The user has no matching data in this period. Try a longer one.</Empty>
      ) : (
        <>
          <ResultChart table={table} label={title} />
          <Table label={title} columns={columnsOf(table, names, query)} rows={rows} keyOf={row => `${row['#']}`} />
          <Pager offset={offset} limit={ROWS_ON_A_PAGE} total={length} noun="rows" onGo={setOffset} />
        </>
      )}
    </Card>
  )
}

function columnsOf(table: ResultTable, names: readonly string[], query: unknown): readonly Column<Row>[] {
  return names.map(name => ({
    title: resultHeading(name, query),
    cell: row => cellText(row[name] ?? null),
    isNumber: table[name]?.some(cell => typeof cell === 'number') ?? false,
  }))
}

/** Maximum number of decimals in the table; files have all of them. */
const MOST_DECIMALS = 4

function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'number') return `${cell}`
  return Number.isInteger(cell) ? count(cell) : cell.toLocaleString('en-US', { maximumFractionDigits: MOST_DECIMALS })
}
