/** Imports of the team or of one user, newest first. */

import { useEffect } from 'preact/hooks'
import { words } from '../../../catalogue/wording.ts'
import type { Answer } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, Command, Time } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, CursorPager, count, Table } from '../../parts/table.tsx'
import { useAddress } from '../../shell/address.ts'
import { useCursorPages } from '../../shell/cursor-pages.ts'
import { ReportView, rowsOf, skippedOf } from './report-view.tsx'
import { UndoButton } from './undo.tsx'

type Import = Answer<'import.list'>['imports'][number]

const ON_A_PAGE = 20
/** Kinds of data that are named in a row; the others are counted. */
const MOST_NAMED = 3

interface ImportListProps {
  /** Only imports of this user; null: of all. */
  readonly userId: string | null
  /** Loads again when it changes. */
  readonly version: number
}

export function ImportList({ userId, version }: ImportListProps) {
  const { query, change } = useAddress()
  const { cursor, pager } = useCursorPages()
  const load = useLoad('import.list', {
    query: {
      limit: ON_A_PAGE,
      ...(userId === null ? {} : { user_id: userId }),
      ...(cursor ? { next_cursor: cursor } : {}),
    },
  })
  useEffect(() => {
    if (version > 0) load.reload()
  }, [version, load.reload])
  const opened = load.data?.imports.find(each => each.import_id === query['open'])
  return (
    <Card
      title={userId === null ? 'Imports' : 'Imports of this user'}
      isFlush
      actions={
        userId !== null && (
          <Button isSmall onClick={() => change({ user: null, cursor: null }, true)}>
            Show all users
          </Button>
        )
      }
    >
      <Loaded load={load} lines={5}>
        {({ imports, next_cursor: next }) =>
          imports.length === 0 ? (
            <Empty title="No imports yet">Choose a user and drop a file above. Every import can be undone.</Empty>
          ) : (
            <>
              <Table
                label="List of imports"
                columns={columnsOf(userId === null, id => change({ open: id }, true), load.reload)}
                rows={imports}
                keyOf={each => each.import_id}
              />
              {(next || cursor) && <CursorPager noun="imports" shown={imports.length} next={next} {...pager} />}
            </>
          )
        }
      </Loaded>
      {opened && (
        <Dialog title="Import" isWide onClose={() => change({ open: null })}>
          <ReportView report={opened} />
          <Command words={['svc', 'import', 'list', '--user', opened.user_id]} />
        </Dialog>
      )}
    </Card>
  )
}

function columnsOf(
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
    { title: 'Skipped', cell: each => count(skippedOf(each)), isNumber: true },
    { title: 'Data', cell: each => namesOf(each) },
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

function namesOf(each: Import): string {
  const names = rowsOf(each).map(row => words(row.what))
  const shown = names.slice(0, MOST_NAMED).join(', ')
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown || '–'
}
