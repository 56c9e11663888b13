/** The imports of the team or of one user, newest first. */
import { useEffect } from 'preact/hooks'
import { importName, readableName } from '../../../catalogue/wording.ts'
import type { ResponseOf } from '../../api/call.ts'
import { useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Badge, Command, Name } from '../../parts/small.tsx'
import { Empty } from '../../parts/states.tsx'
import { type Column, count } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCursorPages } from '../../shell/list-pages.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { countSkipped, ReportView, tallyRows } from './report-view.tsx'
import { UNDO } from './undo.tsx'

type Import = ResponseOf<'import.list'>['imports'][number]

const ON_A_PAGE = 20
/** Maximum number of data kinds listed in a row. The others are only counted. */
const MOST_NAMED = 3

interface ImportListProps {
  /** Shows only this user's imports; null shows the imports of all users. */
  readonly userId: string | null
  /** Name of this user; undefined until it is loaded. */
  readonly name: string | undefined
  /** The list is reloaded when this value changes. */
  readonly version: number
}

export function ImportList({ userId, name = 'this user', version }: ImportListProps) {
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
        title={userId === null ? 'Imports' : `Imports of ${name}`}
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
        columns={userId === null ? [...COLUMNS.slice(0, 1), USER, ...COLUMNS.slice(1)] : COLUMNS}
        noun="imports"
        nameOf={nameOf}
        rowActions={[{ title: 'Details', open: each => change({ open: each.import_id }, true) }, UNDO]}
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

const USER: Column<Import> = {
  title: 'User',
  cell: each => (
    <a href={`/console/users/${each.user_id}`}>
      <Name>{each.client_user_id}</Name>
    </a>
  ),
}

const COLUMNS: readonly Column<Import>[] = [
  { title: 'Time', cell: each => <Ago at={each.at} /> },
  {
    title: 'Format',
    cell: each => (
      <span class="nowrap">
        {importName(each.format)} {each.undone_at !== null && <Badge>undone</Badge>}
      </span>
    ),
  },
  { title: 'Records', cell: each => count(each.records), isNumber: true },
  { title: 'Skipped', cell: each => count(countSkipped(each)), isNumber: true },
  { title: 'Data', cell: each => importNames(each) },
]

const nameOf = ({ format, client_user_id: user }: Import): string => `the ${importName(format)} import of ${user}`

function importNames(each: Import): string {
  const names = tallyRows(each).map(row => readableName(row.what))
  const shown = names.slice(0, MOST_NAMED).join(', ')
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown || '–'
}
