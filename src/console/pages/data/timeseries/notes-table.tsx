/** A table of text values, which have no position on a scale and therefore no chart. */
import { momentText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { Card } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { Empty } from '../../../parts/states.tsx'
import type { Samples } from './use-samples.ts'

const PER_PAGE = 25

export function NotesTable({ samples, view }: { readonly samples: Samples; readonly view: View }) {
  const all = samples.level === 'samples' ? samples.notes : []
  const notes = all.filter(({ at }) => at >= view.from && at < view.to)
  if (notes.length === 0) return <Empty title="No notes in this period">Choose a longer period.</Empty>
  return (
    <Card title="Notes" isFlush>
      <PagedTable
        label="List of notes"
        columns={[
          { title: 'Time', cell: ({ at }) => momentText(at) },
          { title: 'Source', cell: ({ source }) => source },
          { title: 'Text', cell: ({ text }) => text },
        ]}
        rows={notes}
        rowKey={({ at, source, text }) => `${at} ${source} ${text}`}
        perPage={PER_PAGE}
        noun="notes"
      />
    </Card>
  )
}
