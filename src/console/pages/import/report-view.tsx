/** The records that an import stored, and the records that it skipped, with the reasons. */
import { importName, readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { Facts } from '../../parts/page.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import type { UploadReport } from './uploads.ts'

type Listed = ResponseOf<'import.list'>['imports'][number]
type Tally = Pick<Listed, 'records' | 'stored' | 'summaries' | 'streams' | 'skipped' | 'format'>

interface Row {
  readonly what: string
  readonly days: string
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'What', cell: row => readableName(row.what) },
  { title: 'New', cell: row => count(row.created), isNumber: true },
  { title: 'Changed', cell: row => count(row.changed), isNumber: true },
  { title: 'Unchanged', cell: row => count(row.unchanged), isNumber: true },
  { title: 'Days', cell: row => row.days },
]

const NOTICES: readonly Column<NonNullable<UploadReport['notices']>[number]>[] = [
  { title: 'How records were read', cell: each => each.text },
  { title: 'Records', cell: each => count(each.count), isNumber: true },
]

const SKIPPED: readonly Column<Tally['skipped'][number]>[] = [
  { title: 'Skipped because', cell: each => each.reason },
  { title: 'Records', cell: each => count(each.count), isNumber: true },
  { title: 'First positions', cell: each => each.places.join(', ') },
]

/** Returns the counts of samples by resource, then summaries by kind, then workout streams. */
export function tallyRows(tally: Tally & Pick<Partial<UploadReport>, 'days'>): readonly Row[] {
  const daysOf = (name: string): string => {
    const range = tally.days?.[name]
    return range === undefined ? '' : `${range.first} to ${range.last}`
  }
  const ofSummary = (what: string, counts: Tally['streams'], days = ''): Row => ({
    what,
    days,
    created: counts.created,
    changed: counts.updated,
    unchanged: counts.unchanged,
  })
  return [
    ...Object.entries(tally.stored).map(([what, { samples, replaced, unchanged }]) => ({
      what: `${what} samples`,
      days: daysOf(what),
      created: samples - replaced - unchanged,
      changed: replaced,
      unchanged,
    })),
    ...Object.entries(tally.summaries).map(([what, counts]) => ofSummary(`${what} summaries`, counts, daysOf(what))),
    ofSummary('workout streams', tally.streams),
  ].filter(row => row.created + row.changed + row.unchanged > 0)
}

/** Returns the number of skipped records. */
export const countSkipped = (tally: Tally): number => tally.skipped.reduce((sum, each) => sum + each.count, 0)

export function ReportView({ report }: { readonly report: Tally & Partial<Omit<UploadReport, 'file'>> }) {
  const rows = tallyRows(report)
  return (
    <>
      {report.dry_run && <p class="note">This was a check: nothing was stored.</p>}
      {report.partial && <p class="note note-warn">Only a part of the file was read. {report.partial.message}</p>}
      <Facts
        rows={[
          ['Format', importName(report.format)],
          ['Records', count(report.records)],
          ['Skipped', count(countSkipped(report))],
          ['Dates', describeDateOrder(report)],
          ['Time', report.seconds === undefined ? null : `${report.seconds} s`],
          ['import_id', report.import_id && <code>{report.import_id}</code>],
        ]}
      />
      {rows.length > 0 ? (
        <Table label="What was imported" columns={COLUMNS} rows={rows} rowKey={row => row.what} />
      ) : (
        <p class="soft">The file has no record that can be stored.</p>
      )}
      {report.skipped.length > 0 && (
        <Table label="What was skipped" columns={SKIPPED} rows={report.skipped} rowKey={each => each.reason} />
      )}
      {report.notices !== undefined && report.notices.length > 0 && (
        <Table label="How records were read" columns={NOTICES} rows={report.notices} rowKey={each => each.text} />
      )}
    </>
  )
}

function describeDateOrder({ date_order: found }: Pick<Partial<UploadReport>, 'date_order'>): string | null {
  if (!found) return null
  const order = found.order === 'dmy' ? 'Day first' : 'Month first'
  return found.basis === 'given' ? `${order}, as chosen` : `${order}, as shown by ${found.place ?? 'the file'}`
}
