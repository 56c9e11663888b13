/** The page for aggregate queries: a builder with the JSON of the same query below it, beside the result or its explanation. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { fieldsOf } from '../../api/body.ts'
import { call, callRaw, type ResponseOf } from '../../api/call.ts'
import { useChosenUser } from '../../api/chosen-user.ts'
import { Problem } from '../../api/problem.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { saveFile } from '../../parts/files.ts'
import { useDialog } from '../../parts/form.tsx'
import { Card, Page, TopicTabs } from '../../parts/page.tsx'
import { Command } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { useToday } from '../../parts/time-zone.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { IS_MAC } from '../../shell/menu/menu-button.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { Builder } from './builder.tsx'
import type { Editor } from './editor.ts'
import { OutcomeView, type QueryOutcome } from './outcome-view.tsx'
import { type Batch, buildBatch, firstModel, namedColumns, readModel, type Words } from './query-model.ts'
import { formatBatch, SaveDialog, SavedQueries } from './saved-queries.tsx'
import { readWarnings } from './warnings.tsx'

export default function QueryPage() {
  const load = useLoad('aggregate.columns', {})
  const today = useToday()
  // keeps the editor and its text while the day of another user is loading
  const known = useRef(today)
  known.current = today ?? known.current
  return (
    <Page
      title="Query"
      about="Statistics over a user's data. If several sources measured the same thing, each group uses the best source, unless the query merges sources."
    >
      <TopicTabs topic="/console/query" current="/console/query" />
      <Loaded load={load} lines={10}>
        {words =>
          known.current === null ? (
            <Skeleton lines={10} />
          ) : (
            <QueryEditor words={words} today={known.current} isReady={today !== null} />
          )
        }
      </Loaded>
    </Page>
  )
}

interface QueryEditorProps {
  readonly words: Words
  readonly today: string
  /** Whether `today` is the chosen user's day; false while it is still the previous user's. */
  readonly isReady: boolean
}

function QueryEditor({ words, today, isReady }: QueryEditorProps) {
  const { query, change } = useUrlState()
  const columns = useMemo(() => namedColumns(words), [words])
  const user = useChosenUser()
  const first = useMemo(() => formatBatch(buildBatch(firstModel(today), columns)), [today, columns])
  const [text, setText] = useState(query['query'] ?? first)
  const [version, setVersion] = useState(0)
  const replaceText = (next: string): void => {
    setText(next)
    setVersion(before => before + 1)
  }
  const [outcome, setOutcome] = useState<QueryOutcome | null>(null)
  // a query that the user has not changed ends with the selected user's current day
  const started = useRef(first)
  useEffect(() => {
    if (text === started.current && text !== first) replaceText(first)
    started.current = first
  }, [first])
  const saved = useLoad('continuous_query.list', {})
  const { open, dialog } = useDialog(saved.reload)
  const parsed = useMemo(() => parse(text), [text])
  const model = useMemo(() => (parsed === null ? null : readModel(parsed, columns)), [parsed, columns])
  const [isJsonOpen, setIsJsonOpen] = useState(model === null)
  // the URL follows the text, but the text does not follow the URL
  useEffect(() => {
    const timer = setTimeout(() => change({ query: text }), URL_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const input = () => ({ params: { user_id: user ?? '' }, body: valid(text) })
  const run = useAction(async () => {
    const { params, body } = input()
    const raw = await callRaw('aggregate.query', { params, body })
    const { results } = (await raw.json()) as ResponseOf<'aggregate.query'> // as `call` does
    setOutcome({ kind: 'answer', userId: params.user_id, body, response: { results, warnings: readWarnings(raw) } })
  })
  const explain = useAction(async () => {
    const { params, body } = input()
    setOutcome({
      kind: 'explanation',
      body,
      explanation: await call('aggregate.explain', { params, body: { query: body } }),
    })
  })
  const download = useAction(async (format: 'csv' | 'parquet') => {
    const response = await callRaw('aggregate.download', { ...input(), query: { format } }, { accept: '*/*' })
    saveFile(`query.${format}`, await response.blob())
  })
  const canRun = user !== null && isReady && parsed !== null
  const isRunning = run.isRunning || explain.isRunning
  useEffect(() => {
    const runOnKey = (event: KeyboardEvent): void => {
      const isForQuery = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
      if (!isForQuery || !canRun || document.querySelector('dialog[open]')) return
      event.preventDefault()
      run.run()
    }
    document.addEventListener('keydown', runOnKey)
    return () => document.removeEventListener('keydown', runOnKey)
  }, [canRun])
  return (
    <div class="query">
      <div class="query-bar row">
        <Button kind="primary" isBusy={isRunning} disabled={!canRun} onClick={run.run}>
          Run
        </Button>
        <Button isBusy={isRunning} disabled={!canRun} onClick={explain.run}>
          Explain
        </Button>
        <Button
          disabled={parsed === null}
          why={
            isMerged(parsed) ? 'A query that merges sources cannot be saved. Copy the URL of this page instead.' : null
          }
          needs="continuous_query.create"
          onClick={() => open(props => <SaveDialog {...props} batch={valid(text)} />)}
        >
          Save
        </Button>
        <span class={user === null ? 'soft' : 'soft query-keys'}>
          {user === null ? 'Choose a user to run the query.' : <kbd>{IS_MAC ? '⌘ Enter' : 'Ctrl Enter'}</kbd>}
        </span>
      </div>
      <div class="query-parts">
        <div class="stack">
          <UserPicker userId={user} onPick={picked => change({ user: picked.user_id })} />
          <Card title="Builder">
            {model === null ? (
              <Empty
                title={parsed === null ? 'The JSON is not complete' : 'The builder cannot show this query'}
                action={<Button onClick={() => replaceText(first)}>Start a new query</Button>}
              >
                {parsed === null
                  ? 'Correct the JSON, and the builder shows the query again.'
                  : 'It has parts that only JSON can express, such as several queries or subqueries. You can still run it.'}
              </Empty>
            ) : (
              <Builder
                model={model}
                words={words}
                columns={columns}
                onChange={next => replaceText(formatBatch(buildBatch(next, columns)))}
              />
            )}
          </Card>
          <details open={isJsonOpen} onToggle={event => setIsJsonOpen(event.currentTarget.open)}>
            <summary>JSON</summary>
            {isJsonOpen && <JsonEditor text={text} version={version} words={words} onChange={setText} />}
          </details>
        </div>
        <div class="stack">
          <ProblemNote problem={run.problem ?? explain.problem ?? download.problem} />
          {isRunning ? (
            <Skeleton lines={6} />
          ) : (
            <OutcomeView
              outcome={outcome}
              columns={columns}
              isDownloading={download.isRunning}
              onDownload={download.run}
            />
          )}
          <Command words={['svc', 'aggregate', 'query', user ?? 'USER', 'query.json']} />
        </div>
      </div>
      <SavedQueries
        load={saved}
        userId={user}
        columns={columns}
        timeframe={{ type: 'relative', anchor: today, past: { unit: 'day', value: 30 } }}
        onOpen={replaceText}
      />
      {dialog}
    </div>
  )
}

/** Delay after typing before the text is written to the URL. */
const URL_PAUSE_MS = 500

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Returns whether the query that would be saved merges sources. The service keeps results by bucket, which a merge cannot compute alone. */
function isMerged(batch: unknown): boolean {
  const { queries } = fieldsOf(batch)
  return Array.isArray(queries) && fieldsOf(queries[0])['merge'] === true
}

/** Parses the request body. Throws Problem if it is not JSON; the service checks the rest. */
function valid(text: string): Batch {
  const parsed = parse(text)
  if (parsed === null) throw new Problem(422, 'invalid_request', 'The query is not valid JSON.')
  return parsed as Batch // the service reports the problem
}

interface JsonEditorProps {
  readonly text: string
  /**
   * Changes when the text is changed outside the editor. Text that the editor itself reported is not sent back, because the editor may have
   * newer text by then.
   */
  readonly version: number
  readonly words: Words
  readonly onChange: (text: string) => void
}

/** The editor for a query's JSON. Its code is loaded when it is first shown. */
function JsonEditor({ text, version, words, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const latest = useRef({ text, onChange })
  latest.current = { text, onChange }
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    let isGone = false
    import('./editor.ts').then(({ openEditor }) => {
      if (isGone || host.current === null) return
      editor.current = openEditor({
        host: host.current,
        text: latest.current.text,
        words,
        onChange: changed => latest.current.onChange(changed),
      })
      setIsOpen(true)
    })
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [words])
  useEffect(() => editor.current?.setText(latest.current.text), [version])
  return (
    <div class="json-editor">
      {!isOpen && <Skeleton lines={8} />}
      <div ref={host} />
    </div>
  )
}
