/** The nights or workouts in a time range: one in full, and a list for choosing another one. */
import type { ComponentChildren } from 'preact'
import { formatTitle } from '../../../catalogue/wording.ts'
import type { View } from '../../parts/chart/series.ts'
import { Card } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ContentProps } from './data-state.ts'
import { type AnySummary, useSummaries } from './summaries/summaries.ts'
import { SummaryCommand } from './summaries/summary-view.tsx'

export interface ItemViewProps extends ContentProps {
  readonly userId: string
  readonly view: View
}

interface ItemListProps<T> extends ItemViewProps {
  readonly kind: 'sleep' | 'workouts'
  /** Name of the listed items: "nights". */
  readonly noun: string
  /** Text of the link that opens an item, in the column "Night" or "Workout". */
  readonly link: { readonly title: string; readonly textOf: (item: T) => string }
  readonly columns: readonly Column<T>[]
  /** The item that is shown in full. */
  readonly children: (item: T) => ComponentChildren
}

const PER_PAGE = 14

export function ItemList<T extends AnySummary>(props: ItemListProps<T>) {
  const { userId, view, state, onChange, kind, noun, link, columns, children } = props
  const load = useSummaries<T>(userId, kind, view)
  return (
    <>
      <Loaded load={load} lines={10}>
        {items => {
          const shown = items.find(({ id }) => id === state.item) ?? items[0]
          if (!shown) {
            return (
              <Card title={formatTitle(noun)}>
                <Empty title={`No ${noun} in this period`}>Choose a longer period.</Empty>
              </Card>
            )
          }
          const choose = (item: T): void => {
            onChange({ item: item.id })
            window.scrollTo({ top: 0 })
          }
          const name: Column<T> = {
            title: link.title,
            cell: item => (
              <button
                type="button"
                class="data-item"
                aria-current={item === shown ? 'true' : undefined}
                onClick={() => choose(item)}
              >
                {link.textOf(item)}
              </button>
            ),
          }
          return (
            <>
              {children(shown)}
              <Card title={formatTitle(noun)} isFlush>
                <PagedTable
                  label={`List of ${noun}`}
                  columns={[name, ...columns]}
                  rows={items}
                  rowKey={({ id }) => id}
                  perPage={PER_PAGE}
                  noun={noun}
                />
              </Card>
            </>
          )
        }}
      </Loaded>
      <SummaryCommand userId={userId} kind={kind} view={view} />
    </>
  )
}
