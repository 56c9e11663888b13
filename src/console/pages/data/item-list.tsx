/** The nights or workouts in a time range: one in full, and a list for choosing another one. */
import type { ComponentChildren } from 'preact'
import { formatTitle, readableName } from '../../../catalogue/wording.ts'
import { Card } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ItemViewProps } from './data-state.ts'
import { type Session, type SessionKind, sessionSources, useSessions } from './sessions.ts'
import type { AnySummary } from './summaries/summaries.ts'
import { SummaryCommand } from './summaries/summary-view.tsx'

interface ItemListProps<T extends AnySummary> extends ItemViewProps {
  readonly of: SessionKind<T>
  /** Name of the listed items: "nights". */
  readonly noun: string
  /** Items with a list of their own, below the others: "naps". */
  readonly apart?: { readonly noun: string; readonly title: string; readonly has: (session: Session<T>) => boolean }
  /** Text of the link that opens an item, in the column "Night" or "Workout". */
  readonly link: { readonly title: string; readonly textOf: (item: T) => string }
  readonly columns: readonly ItemColumn<T>[]
  /** The item that is shown in full. `onOpen` opens a stored session. */
  readonly children: (session: Session<T>, onOpen: (id: string) => void) => ComponentChildren
}

/** A column of the items themselves. */
type ItemColumn<T> = Pick<Column<T>, 'title' | 'cell' | 'isNumber'>

const PER_PAGE = 14

const hasRole = ({ merged }: Session<unknown>): boolean => merged !== null && merged.role !== null
const ROLE = { title: 'Role', cell: ({ merged }: Session<unknown>) => readableName(merged?.role ?? '') }

export function ItemList<T extends AnySummary>(props: ItemListProps<T>) {
  const { userId, view, zone, state, onChange, of, noun, apart, link, columns, children } = props
  const load = useSessions<T>(of, { userId, view, zone, isMerged: state.isMerged })
  return (
    <>
      <Loaded load={load} lines={10}>
        {sessions => {
          const isApart = (session: Session<T>) => apart?.has(session) ?? false
          const main = sessions.filter(session => !isApart(session))
          const shown = sessions.find(({ item }) => item.id === state.item) ?? main[0] ?? sessions[0]
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
          const nameColumn = (title: string): Column<Session<T>> => ({
            title,
            cell: session => (
              <button
                type="button"
                class="data-item"
                aria-current={session === shown ? 'true' : undefined}
                onClick={() => choose(session.item)}
              >
                {link.textOf(session.item)}
              </button>
            ),
          })
          const others = columns.map(column => ({ ...column, cell: ({ item }: Session<T>) => column.cell(item) }))
          const isMerged = shown.merged !== null
          const source = { title: isMerged ? 'Sources' : 'Source', cell: sessionSources }
          const lists = [
            { of: noun, title: link.title, rows: main },
            { of: apart?.noun ?? '', title: apart?.title ?? '', rows: sessions.filter(isApart) },
          ].filter(({ rows }) => rows.length > 0)
          return (
            <>
              {children(shown, item => onChange({ item, isMerged: false }))}
              {lists.map(({ of, title, rows }) => (
                <Card key={of} title={`${formatTitle(of)}${isMerged ? '' : ', as stored by each source'}`} isFlush>
                  <PagedTable
                    label={`List of ${of}`}
                    columns={[nameColumn(title), source, ...(rows.some(hasRole) ? [ROLE] : []), ...others]}
                    rows={rows}
                    rowKey={({ item }) => item.id}
                    perPage={PER_PAGE}
                    noun={of}
                  />
                </Card>
              ))}
            </>
          )
        }}
      </Loaded>
      <SummaryCommand userId={userId} kind={of.kind} view={view} />
    </>
  )
}
