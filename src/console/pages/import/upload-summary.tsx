/** What each of several files stored, in one table. */
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge } from '../../parts/small.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { countSkipped, tallyRows } from './report-view.tsx'
import type { Upload, UploadReport, UploadState } from './uploads.ts'

const TONES = { waiting: 'accent', sending: 'accent', done: 'good', failed: 'bad', stopped: 'warn' } as const

const COLUMNS: readonly Column<Upload>[] = [
  { title: 'File', cell: each => <Name>{each.file.name}</Name> },
  { title: 'Result', cell: ({ state }) => <Badge tone={TONES[state.name]}>{resultWord(state)}</Badge> },
  counted('Records', report => report.records),
  counted('New', report => tallyRows(report).reduce((sum, row) => sum + row.created, 0)),
  counted('Changed', report => tallyRows(report).reduce((sum, row) => sum + row.changed, 0)),
  counted('Skipped', countSkipped),
]

export function UploadSummary({ uploads }: { readonly uploads: readonly Upload[] }) {
  return (
    <Card title={`${uploads.length} files`} isFlush>
      <Table label="What each file stored" columns={COLUMNS} rows={uploads} rowKey={each => `${each.id}`} />
    </Card>
  )
}

function resultWord(state: UploadState): string {
  if (state.name === 'failed') return 'refused'
  return state.name === 'done' ? (state.report.dry_run ? 'checked' : 'stored') : state.name
}

function counted(title: string, read: (report: UploadReport) => number): Column<Upload> {
  return { title, isNumber: true, cell: ({ state }) => (state.name === 'done' ? count(read(state.report)) : '–') }
}
