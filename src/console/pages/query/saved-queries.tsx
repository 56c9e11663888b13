/** Continuous queries: stored queries whose results the service keeps up to date. */
import { BASE } from '../../api/base.ts'
import { call, type ResponseOf } from '../../api/call.ts'
import { type Load, useLoad } from '../../api/use-call.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type DialogProps, FormDialog, useDialog, useForm } from '../../parts/form.tsx'
import type { Change } from '../../parts/list/row-actions.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { useToast } from '../../parts/toasts.tsx'
import type { Batch, NamedColumns } from './query-model.ts'
import { Results } from './results.tsx'

export type Saved = ResponseOf<'continuous_query.get'>

/** Returns the body that runs a saved query. Its own days are those around the time when it was saved, so they are replaced. */
export function batchOf({ query, query_config: config }: Saved, timeframe: unknown): Batch {
  const { timeframe: _, ...one } = query
  return { timeframe, queries: [one], ...(config === null ? {} : { config }) } as Batch // the service checked it
}

/** Returns the text of a query in URLs and in the editor. */
export function formatBatch(batch: unknown): string {
  return JSON.stringify(batch, null, 2)
}

interface SavedQueriesProps {
  readonly load: Load<ResponseOf<'continuous_query.list'>>
  readonly userId: string | null
  readonly columns: NamedColumns
  /** The days of a query that is opened. */
  readonly timeframe: Batch['timeframe']
  readonly onOpen: (text: string) => void
}

export function SavedQueries({ load, userId, columns: known, timeframe, onOpen }: SavedQueriesProps) {
  const toast = useToast()
  const { open, dialog } = useDialog(load.reload)
  const show = (query: Saved): void =>
    open(({ onClose }) => userId && <ResultDialog {...{ query, userId, columns: known, onClose }} />)
  const rename = (query: Saved): void => open(props => <RenameDialog {...props} query={query} />)
  const textOf = (query: Saved): string => formatBatch(batchOf(query, query.query['timeframe'] ?? timeframe))
  // contains no user, so that everybody chooses their own
  const linkOf = (query: Saved): string =>
    `${location.origin}${BASE}/console/query?query=${encodeURIComponent(textOf(query))}`
  const copyLink = (query: Saved): void => {
    const done = () => toast({ text: `The link of ${query.title} was copied.` })
    navigator.clipboard.writeText(linkOf(query)).then(done, () => toast({ text: 'The browser did not allow copying.' }))
  }
  return (
    <>
      <ListCard
        title="Saved queries"
        load={load}
        lines={2}
        columns={COLUMNS}
        noun="saved queries"
        nameOf={({ title }) => title}
        rowActions={[
          { title: 'Open', open: query => onOpen(textOf(query)) },
          { title: 'Show the result', fits: () => userId !== null, open: show },
          { title: 'Copy the link', open: copyLink },
          { title: 'Rename', needs: 'continuous_query.rename', open: rename },
          DELETE,
        ]}
        readRows={({ continuous_queries }) => continuous_queries}
        rowKey={query => query.query_id}
        empty={
          <Empty title="No saved queries">
            Save a query to keep its result up to date for every user, and to get an event when a result changes.
          </Empty>
        }
      />
      {dialog}
    </>
  )
}

const DELETE: Change<Saved> = {
  title: 'Delete',
  needs: 'continuous_query.delete',
  done: 'deleted',
  act: ({ slug }) => call('continuous_query.delete', { params: { query_id_or_slug: slug } }),
  undo: ({ slug, title, query, query_config, scheduling_preferences }) => {
    // the service returned this query in the form that it accepts
    const body = { slug, title, query, query_config, scheduling_preferences } as never
    return call('continuous_query.create', { body })
  },
  isDanger: true,
}

const COLUMNS: readonly Column<Saved>[] = [
  { title: 'Title', sort: query => query.title, cell: query => query.title },
  { title: 'Slug', sort: query => query.slug, cell: query => <code>{query.slug}</code> },
  { title: 'Saved', sort: query => query.created_at, cell: query => <Ago at={query.created_at} /> },
]

interface ResultDialogProps {
  readonly query: Saved
  readonly userId: string
  readonly columns: NamedColumns
  readonly onClose: () => void
}

function ResultDialog({ query, userId, columns, onClose }: ResultDialogProps) {
  const params = { user_id: userId, query_id_or_slug: query.slug }
  const load = useLoad('aggregate.result_table', { params })
  return (
    <Dialog title={query.title} onClose={onClose} isWide>
      <Loaded load={load}>
        {({ table }) => <Results table={table} query={query.query} columns={columns} title="Stored result" />}
      </Loaded>
    </Dialog>
  )
}

function RenameDialog({ query, onClose, onDone }: DialogProps & { readonly query: Saved }) {
  const form = useForm({ title: query.title }, async body => {
    await call('continuous_query.rename', { params: { query_id_or_slug: query.slug }, body })
    onDone()
  })
  const fields = [{ name: 'title', label: 'Title', isRequired: true }] as const
  return <FormDialog title="Rename the query" submit="Rename" {...{ onClose, form, fields }} />
}

/** Saves the first query of a request body, with the body's timeframe and settings. */
export function SaveDialog({ batch, onClose, onDone }: DialogProps & { readonly batch: Batch }) {
  const form = useForm({ title: '', slug: '' }, async ({ title, slug }) => {
    const { timeframe, queries, config } = batch
    // the service checks the query, as it does when the query runs
    const query = { ...queries[0], timeframe } as never
    await call('continuous_query.create', { body: { title, slug: slug || toSlug(title), query, query_config: config } })
    onDone()
  })
  const { title } = form.values
  return (
    <FormDialog
      title="Save the query"
      submit="Save"
      isReady={title !== ''}
      onClose={onClose}
      form={form}
      fields={[
        { name: 'title', label: 'Title', isRequired: true },
        {
          name: 'slug',
          label: 'Slug',
          placeholder: toSlug(title),
          hint: 'Identifies the query in commands and URLs',
        },
      ]}
    />
  )
}

function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
