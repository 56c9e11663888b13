/** Continuous queries: stored queries whose results the service keeps up to date. */
import { useState } from 'preact/hooks'
import { call, type ResponseOf } from '../../api/call.ts'
import { type Load, useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FormDialog, useForm } from '../../parts/form.tsx'
import { ListCard } from '../../parts/paged-table.tsx'
import { Time } from '../../parts/small.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import type { Column } from '../../parts/table.tsx'
import { useToast } from '../../parts/toasts.tsx'
import type { Batch } from './query-model.ts'
import { Results } from './results.tsx'

type Saved = ResponseOf<'continuous_query.get'>

interface SavedQueriesProps {
  readonly load: Load<ResponseOf<'continuous_query.list'>>
  readonly userId: string | null
  readonly onOpen: (query: Saved) => void
}

export function SavedQueries({ load, userId, onOpen }: SavedQueriesProps) {
  const toast = useToast()
  const [shown, setShown] = useState<Saved | null>(null)
  const remove = useAction(async ({ slug, title, query, query_config, scheduling_preferences }: Saved) => {
    await call('continuous_query.delete', { params: { query_id_or_slug: slug } })
    load.reload()
    toast({
      text: `${title} was deleted.`,
      undo: () => {
        // the service returned this query in the form that it accepts
        const body = { slug, title, query, query_config, scheduling_preferences } as never
        call('continuous_query.create', { body }).then(load.reload, load.reload)
      },
    })
  })
  const columns: readonly Column<Saved>[] = [
    { title: 'Title', cell: query => query.title },
    { title: 'Slug', cell: query => <code>{query.slug}</code> },
    { title: 'Saved', cell: query => <Time at={query.created_at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: query => (
        <span class="row">
          <Button isSmall onClick={() => onOpen(query)} label={`Open ${query.title}`}>
            Open
          </Button>
          <Button
            isSmall
            disabled={userId === null}
            onClick={() => setShown(query)}
            label={`Show the result of ${query.title}`}
          >
            Result
          </Button>
          <Button
            isSmall
            kind="danger"
            isBusy={remove.isRunning}
            onClick={() => remove.run(query)}
            label={`Delete ${query.title}`}
          >
            Delete
          </Button>
        </span>
      ),
    },
  ]
  return (
    <>
      <ListCard
        title="Saved queries"
        load={load}
        lines={2}
        columns={columns}
        readRows={({ continuous_queries }) => continuous_queries}
        rowKey={query => query.query_id}
        empty={
          <Empty title="No saved queries">
            Save a query to keep its result up to date for every user, and to get an event when a result changes.
          </Empty>
        }
        problem={remove.problem}
      />
      {shown && userId && <ResultDialog query={shown} userId={userId} onClose={() => setShown(null)} />}
    </>
  )
}

interface ResultDialogProps {
  readonly query: Saved
  readonly userId: string
  readonly onClose: () => void
}

function ResultDialog({ query, userId, onClose }: ResultDialogProps) {
  const params = { user_id: userId, query_id_or_slug: query.slug }
  const load = useLoad('aggregate.result_table', { params })
  return (
    <Dialog title={query.title} onClose={onClose} isWide>
      <Loaded load={load}>{({ table }) => <Results table={table} query={query.query} title="Stored result" />}</Loaded>
    </Dialog>
  )
}

interface SaveDialogProps {
  readonly batch: Batch
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Saves the first query of a request body, with the body's timeframe and settings. */
export function SaveDialog({ batch, onClose, onSaved }: SaveDialogProps) {
  const form = useForm({ title: '', slug: '' }, async ({ title, slug }) => {
    const { timeframe, queries, config } = batch
    // the service checks the query, as it does when the query runs
    const query = { ...queries[0], timeframe } as never
    await call('continuous_query.create', { body: { title, slug: slug || toSlug(title), query, query_config: config } })
    onSaved()
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
