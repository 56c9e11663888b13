/** An order's results, with their reference ranges and flags. */
import { useEffect } from 'preact/hooks'
import { formatTitle } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Card, Facts } from '../../parts/page.tsx'
import { Badge, Name } from '../../parts/small.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { flagTone } from './lab-words.ts'

export type Report = ResponseOf<'order.result'>
type Line = Report['results'][number]

const COLUMNS: readonly Column<Line>[] = [
  { title: 'Name', cell: line => line.name },
  { title: 'Result', cell: line => <Name>{line.result}</Name>, isNumber: true },
  { title: 'Unit', cell: line => <span class="nowrap">{line.unit ?? '–'}</span> },
  { title: 'Reference range', cell: line => formatRange(line) },
  { title: 'Flag', cell: line => <Badge tone={flagTone(line.interpretation)}>{formatTitle(resultFlag(line))}</Badge> },
  { title: 'LOINC', cell: line => <code class="nowrap">{line.loinc ?? '–'}</code> },
]

const NOTES: Column<Line> = { title: 'Notes', cell: line => line.notes ?? '' }

const MISSING: readonly Column<Report['missing_results'][number]>[] = [
  { title: 'Missing', cell: each => each.name },
  { title: 'Reason', cell: each => formatTitle(each.inferred_failure_type) },
  { title: 'Note', cell: each => each.note ?? '–' },
  { title: 'LOINC', cell: each => <code class="nowrap">{each.loinc ?? '–'}</code> },
]

interface ResultsProps {
  readonly orderId: string
  /** Whether the laboratory has reported. */
  readonly hasReport: boolean
  /** Last event of the order. The results are reloaded when it changes. */
  readonly version: number
}

export function Results({ orderId, hasReport, version }: ResultsProps) {
  const load = useLoad('order.result', hasReport ? { params: { order_id: orderId } } : null)
  useEffect(() => load.reload(), [version, load.reload])
  const report = load.problem ? undefined : load.data
  return (
    <Card
      title="Results"
      isFlush
      actions={
        report && (
          <Badge tone={flagTone(report.metadata.interpretation)}>{formatTitle(report.metadata.interpretation)}</Badge>
        )
      }
    >
      {load.isLoading && !report && <Skeleton lines={4} />}
      {!hasReport && <Empty title="No results yet">The laboratory reports when the order is completed.</Empty>}
      {load.problem && <ProblemNote problem={load.problem} onRetry={load.reload} />}
      {report && (
        <>
          <div class="above-list">
            <Facts
              rows={[
                ['Status', formatTitle(report.metadata.status)],
                ['Laboratory', report.metadata.laboratory],
                ['Collected', <Time key="collected" at={report.metadata.date_collected} />],
                ['Reported', <Time key="reported" at={report.metadata.date_reported} />],
                ['Specimen', report.metadata.specimen_number],
              ]}
            />
          </div>
          <ResultTable report={report} label="Table of results" />
        </>
      )}
    </Card>
  )
}

/** The results of a report, followed by the missing ones. */
export function ResultTable({ report, label }: { readonly report: Report; readonly label: string }) {
  const { results, missing_results: missing } = report
  return (
    <>
      <Table
        label={label}
        columns={results.some(line => line.notes) ? [...COLUMNS, NOTES] : COLUMNS}
        rows={results}
        rowKey={line => `${line.slug} ${line.loinc}`}
      />
      {missing.length > 0 && (
        <div class="labs-missing">
          <Table label="Missing results" columns={MISSING} rows={missing} rowKey={each => each.slug} />
        </div>
      )}
    </>
  )
}

function formatRange({ reference_range: text, min_range_value: min, max_range_value: max }: Line): string {
  if (text !== null) return text
  if (min !== null && max !== null) return `${min} to ${max}`
  if (min !== null) return `at least ${min}`
  return max === null ? '–' : `at most ${max}`
}

/** Returns the flag of a result, which is high or low instead of abnormal if this is known. */
function resultFlag({ interpretation, is_above_max_range: isHigh, is_below_min_range: isLow }: Line): string {
  const side = isHigh ? 'high' : isLow ? 'low' : null
  if (side === null || interpretation === 'normal') return interpretation
  return interpretation === 'critical' ? `critical, ${side}` : side
}
