/** The page for aggregate queries. It shows a builder and the JSON of the same query side by side, the result, and its explanation. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { call, callRaw, type ResponseOf } from '../../api/call.ts'
import { Problem } from '../../api/problem.ts'
import { useAction, useLoad } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Command } from '../../parts/small.tsx'
import { Empty, Loaded, ProblemNote, Skeleton } from '../../parts/states.tsx'
import { useToday } from '../../parts/today.ts'
import { UserPicker } from '../../parts/user-picker.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { Builder } from './builder.tsx'
import { ExplainView } from './explain-view.tsx'
import { JsonEditor } from './json-editor.tsx'
import { type Batch, buildBatch, firstModel, namedColumns, readModel, type Words } from './query-model.ts'
import { Results } from './results.tsx'
import { SaveDialog, SavedQueries } from './saved-queries.tsx'
import { type QueryWarning, readWarnings } from './warnings.tsx'

export default function QueryPage() {
  const load = useLoad('aggregate.columns', {})
  return (
    <Page
      title="Query"
      about="Statistics over a user's data. If several sources measured the same thing, each group uses the best source, unless the query merges sources."
    >
      <Loaded load={load} lines={10}>
        {words => <QueryEditor words={words} />}
      </Loaded>
    </Page>
  )
}

interface Answer {
  readonly results: ResponseOf<'aggregate.query'>['results']
  readonly warnings: readonly QueryWarning[]
}

type QueryOutcome =
  | { readonly kind: 'answer'; readonly body: Batch; readonly response: Answer }
  | { readonly kind: 'explanation'; readonly explanation: ResponseOf<'aggregate.explain'> }

function QueryEditor({ words }: { readonly words: Words }) {
  const { query, change } = useUrlState()
  const columns = useMemo(() => namedColumns(words), [words])
  const user = query['user'] ?? null
  const today = useToday(user)
  const first = useMemo(() => formatBatch(buildBatch(firstModel(today), columns)), [today, columns])
  const [text, setText] = useState(query['query'] ?? first)
  const [version, setVersion] = useState(0)
  const replaceText = (next: string): void => {
    setText(next)
    setVersion(before => before + 1)
  }
  const [outcome, setOutcome] = useState<QueryOutcome | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  // a query that the user has not changed ends with the selected user's current day
  const started = useRef(first)
  useEffect(() => {
    if (text === started.current && text !== first) replaceText(first)
    started.current = first
  }, [first])
  const saved = useLoad('continuous_query.list', {})
  const parsed = useMemo(() => parse(text), [text])
  const model = useMemo(() => (parsed === null ? null : readModel(parsed, columns)), [parsed, columns])
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
    setOutcome({ kind: 'answer', body, response: { results, warnings: readWarnings(raw) } })
  })
  const explain = useAction(async () => {
    const { params, body } = input()
    setOutcome({ kind: 'explanation', explanation: await call('aggregate.explain', { params, body: { query: body } }) })
  })
  const download = useAction(async (format: 'csv' | 'parquet') => {
    const response = await callRaw('aggregate.download', { ...input(), query: { format } }, { accept: '*/*' })
    saveFile(`query.${format}`, await response.blob())
  })
  const canRun = user !== null && parsed !== null
  const isRunning = run.isRunning || explain.isRunning
  return (
    <>
      <div class="filters">
        <UserPicker userId={user} onPick={picked => change({ user: picked.user_id })} />
      </div>
      <div class="query-editor">
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
        <Card title="JSON">
          <JsonEditor text={text} version={version} words={words} onChange={setText} />
        </Card>
      </div>
      <div class="row">
        <Button kind="primary" isBusy={isRunning} disabled={!canRun} onClick={run.run}>
          Run
        </Button>
        <Button isBusy={isRunning} disabled={!canRun} onClick={explain.run}>
          Explain
        </Button>
        <Button disabled={parsed === null} onClick={() => setIsSaving(true)}>
          Save
        </Button>
        <Button isBusy={download.isRunning} disabled={!canRun} onClick={() => download.run('csv')}>
          Download CSV
        </Button>
        <Button isBusy={download.isRunning} disabled={!canRun} onClick={() => download.run('parquet')}>
          Download Parquet
        </Button>
        {user === null && <span class="soft">Choose a user to run the query.</span>}
      </div>
      <ProblemNote problem={run.problem ?? explain.problem ?? download.problem} />
      {isRunning && <Skeleton lines={6} />}
      {!isRunning && outcome?.kind === 'answer' && <QueryResults body={outcome.body} response={outcome.response} />}
      {!isRunning && outcome?.kind === 'explanation' && <ExplainView explanation={outcome.explanation} />}
      <Command words={['svc', 'aggregate', 'query', user ?? 'USER', 'query.json']} />
      <SavedQueries
        load={saved}
        userId={user}
        onOpen={({ query: { timeframe, ...one }, query_config }) =>
          replaceText(
            formatBatch({
              timeframe: timeframe ?? { type: 'relative', anchor: today, past: { unit: 'day', value: 30 } },
              queries: [one],
              ...(query_config === null ? {} : { config: query_config }),
            }),
          )
        }
      />
      {isSaving && (
        <SaveDialog
          batch={valid(text)}
          onClose={() => setIsSaving(false)}
          onSaved={() => {
            setIsSaving(false)
            saved.reload()
          }}
        />
      )}
    </>
  )
}

interface QueryResultsProps {
  /** The request that produced the shown result. */
  readonly body: Batch
  readonly response: Answer
}

function QueryResults({ body, response: { results, warnings } }: QueryResultsProps) {
  return (
    <>
      {results.map(({ table }, index) => (
        <Results
          key={index}
          table={table}
          warnings={warnings.filter(({ query }) => query === index)}
          query={body.queries[index]}
          title={results.length === 1 ? 'Result' : `Result of query ${index + 1}`}
        />
      ))}
    </>
  )
}

/** Delay after typing before the text is written to the URL. */
const URL_PAUSE_MS = 500

function formatBatch(batch: unknown): string {
  return JSON.stringify(batch, null, 2)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Parses the request body. Throws Problem if it is not JSON; the service checks the rest. */
function valid(text: string): Batch {
  const parsed = parse(text)
  if (parsed === null) throw new Problem(422, 'invalid_request', 'The query is not valid JSON.')
  return parsed as Batch // the service reports the problem
}
