/** The imports of the team or of one user, newest first. */

import { useEffect } from 'preact/hooks'
import { readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Name } from '../../parts/name.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { countSkipped, ReportView, tallyRows } from './report-view.tsx'
import { UndoButton } from './undo.tsx'

type Import = ResponseOf<'import.list'>['imports'][number]

const ON_A_PAGE = 20
/** Maximum number of data kinds listed in a row. The others are only counted. */
const MOST_NAMED = 3

interface ImportListProps {
  /** Shows only this user's imports; null shows the imports of all users. */
  readonly userId: string | null
  /** The list is reloaded when this value changes. */
  readonly version: number
}

export function ImportList({ userId, version }: ImportListProps) {
  const { query, change } = useUrlState()
  const { cursor, readPages } = useCursorPages('imports')
  const load = useLoad('import.list', {
    query: { limit: ON_A_PAGE, user_id: userId ?? undefined, next_cursor: cursor },
  })
  useEffect(() => {
    if (version > 0) load.reload()
  }, [version, load.reload])
  const opened = load.data?.imports.find(each => each.import_id === query['open'])
  return (
    <>
      <ListCard
        title={userId === null ? 'Imports' : 'Imports of this user'}
        actions={
          userId !== null && (
            <Button isSmall onClick={() => change({ user: null, cursor: null }, true)}>
              Show all users
            </Button>
          )
        }
        label="List of imports"
        load={load}
        lines={5}
        columns={importColumns(userId === null, id => change({ open: id }, true), load.reload)}
        readRows={({ imports }) => imports}
        rowKey={each => each.import_id}
        readPages={(page, shown) => (page.next_cursor || cursor ? readPages(page, shown) : null)}
        empty={<Empty title="No imports yet">Choose a user and drop a file above. Every import can be undone.</Empty>}
      />
      {opened && (
        <Dialog title="Import" isWide onClose={() => change({ open: null })}>
          <ReportView report={opened} />
          <Command words={['svc', 'import', 'list', '--user', opened.user_id]} />
        </Dialog>
      )}
    </>
  )
}

function importColumns(
  isOfAll: boolean,
  open: (importId: string) => void,
  onUndone: () => void,
): readonly Column<Import>[] {
  const user: Column<Import> = {
    title: 'User',
    cell: each => (
      <a href={`/console/users/${each.user_id}`}>
        <Name>{each.client_user_id}</Name>
      </a>
    ),
  }
  return [
    { title: 'Time', cell: each => <Time at={each.at} /> },
    ...(isOfAll ? [user] : []),
    { title: 'Format', cell: each => <code class="nowrap">{each.format}</code> },
    { title: 'Records', cell: each => count(each.records), isNumber: true },
    { title: 'Skipped', cell: each => count(countSkipped(each)), isNumber: true },
    { title: 'Data', cell: each => importNames(each) },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: each => (
        <div class="import-actions">
          <Button
            kind="quiet"
            isSmall
            label={`Details of the import ${each.import_id}`}
            onClick={() => open(each.import_id)}
          >
            Details
          </Button>
          {each.undone_at === null ? (
            <UndoButton importId={each.import_id} onUndone={onUndone} />
          ) : (
            <Badge>undone</Badge>
          )}
        </div>
      ),
    },
  ]
}

function importNames(each: Import): string {
  const names = tallyRows(each).map(row => readableName(row.what))
  const shown = names.slice(0, MOST_NAMED).join(', ')
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown || '–'
}
