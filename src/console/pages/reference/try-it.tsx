/** A form that calls an operation with the page's session, and shows the request as code and the unchanged response. */
import { useState } from 'preact/hooks'
import type { ApiOperation } from '../../api/api-document.ts'
import { BASE } from '../../api/base.ts'
import { Problem, sendRequest } from '../../api/call.ts'
import { type Session, useSession } from '../../api/session.ts'
import { FormView, useForm } from '../../parts/form.tsx'
import { Card, Tabs } from '../../parts/page.tsx'
import { Badge, CopyButton, Json } from '../../parts/small.tsx'
import { type Column, count, Table } from '../../parts/table.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { type OperationProps, typeText } from './document.ts'
import { remedyFor } from './errors-view.tsx'
import { shortExample } from './examples.ts'
import { Method } from './method.tsx'
import { bodySchema, buildSentRequest, requestUrl, unsendable, type Values } from './request.ts'
import { type SentRequest, SNIPPETS } from './snippets.ts'

type ShownResponse = Awaited<ReturnType<typeof readResponse>>

/** Name of the body field; no parameter has this name. */
const BODY = 'request body'

/** Maximum size of a response to show. Larger responses would make the page slow. */
const MOST_SHOWN_BYTES = 500_000

export function TryIt({ document, operation }: OperationProps) {
  const { method, path, operationId } = operation
  const session = useSession()
  const parameters = (operation.parameters ?? []).filter(each => each.in !== 'header')
  const schema = bodySchema(operation)
  const [shown, setShown] = useState<ShownResponse | null>(null)
  const first = (): Values => {
    const example = schema && shortExample(document, schema)
    return { [BODY]: typeof example === 'object' ? JSON.stringify(example, null, 2) : '' }
  }
  const form = useForm(first, async () => {
    setShown(null)
    const began = performance.now()
    const sent = sendRequest(method, url, body === '' ? {} : { body, type: 'application/json' })
    const status = await sent.then(
      each => each.status,
      (error: unknown) => (error instanceof Problem ? error.status : 0),
    )
    const ms = performance.now() - began
    keepRequest(session, { operationId, method, path: requestUrl(path, [], values), status, ms })
    setShown(await readResponse(await sent, ms))
  })
  const { values, problem } = form
  const body = (values[BODY] ?? '').trim()
  const url = requestUrl(path, parameters, values)
  const reason = unsendable(operation)
  const isChange = method !== 'GET'
  return (
    <Card title="Try it">
      {reason === null ? (
        <FormView
          form={form}
          submit={isChange ? `Send ${method}` : 'Send'}
          kind="primary"
          isReady={parameters.every(each => each.in !== 'path' || values[each.name])}
          fields={[
            parameters.length > 0 && {
              class: 'filters',
              fields: parameters.map(({ name, in: location, schema: type }) => ({
                name,
                label: location === 'path' ? `${name} (required)` : name,
                placeholder: typeText(document, type).slice(0, 60),
              })),
            },
            schema !== undefined && { name: BODY, label: 'Body', lines: 8, isCode: true },
          ]}
          foot={
            <>
              <p class="soft">
                {isChange ? 'This can change real data. ' : ''}The request has the rights of your session.
              </p>
              {problem !== null && problem.status > 0 && (
                <p class="row" role="status">
                  <Badge tone="bad">{problem.status}</Badge> <code>{problem.code}</code>
                  <span>{remedyFor(problem.code)}</span>
                </p>
              )}
            </>
          }
        />
      ) : (
        <p class="soft">{reason}</p>
      )}
      {shown && <ResponseCard shown={shown} />}
      <SnippetView operationId={operationId} request={buildSentRequest(document, operation, url, body)} />
      <RecentRequests />
    </Card>
  )
}

function ResponseCard({ shown: { status, type, ms, bytes, body } }: { readonly shown: ShownResponse }) {
  return (
    <>
      <p class="row" role="status">
        <Badge tone="good">{status}</Badge>
        <span class="soft">
          {count(Math.round(ms))} ms, {count(bytes)} bytes, {type || 'no body'}
        </span>
      </p>
      {body !== null && <Json value={body} label="Response" />}
      {body === null && bytes > 0 && (
        <p class="soft">The response is not shown, because it is too large or not text.</p>
      )}
    </>
  )
}

/** Reads a response. The body is parsed JSON or text; null for bytes, which are not shown. */
async function readResponse(response: Response, ms: number) {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const bytes = await response.arrayBuffer()
  const isText = /json|text|xml|csv/.test(type)
  const text = isText && bytes.byteLength <= MOST_SHOWN_BYTES ? new TextDecoder().decode(bytes) : null
  const body: unknown = text !== null && /json/.test(type) && !/ndjson/.test(type) ? JSON.parse(text) : text
  return { status: response.status, type, ms, bytes: bytes.byteLength, body }
}

interface TriedRequest extends Pick<ApiOperation, 'operationId' | 'method' | 'path'> {
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  readonly ms: number
}

/** Newest first. They end with their session. */
const tried = new WeakMap<Session, readonly TriedRequest[]>()
const MOST_KEPT = 10

function keepRequest(session: Session, request: TriedRequest): void {
  tried.set(session, [request, ...(tried.get(session) ?? [])].slice(0, MOST_KEPT))
}

const COLUMNS: readonly Column<TriedRequest>[] = [
  { title: 'Method', cell: ({ method }) => <Method>{method}</Method> },
  { title: 'Path', cell: each => <a href={`/console/reference/${each.operationId}`}>{each.path}</a> },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{status || 'no response'}</Badge>
    ),
  },
  { title: 'Duration', cell: ({ ms }) => `${count(Math.round(ms))} ms`, isNumber: true },
]

/** The requests that were tried in this session. They are kept in memory only, without queries and bodies. */
function RecentRequests() {
  const rows = tried.get(useSession()) ?? []
  if (rows.length === 0) return null
  return (
    <>
      <h3>Recent requests</h3>
      <Table label="Recent requests" columns={COLUMNS} rows={rows} rowKey={each => `${rows.indexOf(each)}`} />
    </>
  )
}

/** A request as code, in one language at a time. The URL keeps the language. */
function SnippetView({ operationId, request }: { readonly operationId: string; readonly request: SentRequest }) {
  const { query } = useUrlState()
  const tabs = Object.entries(SNIPPETS).map(([code, snippet]) => ({
    ...snippet,
    href: `/console/reference/${operationId}?${new URLSearchParams({ ...query, code })}`,
    isShown: code === query['code'],
  }))
  const shown = tabs.find(each => each.isShown) ?? tabs[0]
  if (shown === undefined) return null
  const text = shown.write(request, `${location.origin}${BASE}`)
  return (
    <div class="stack">
      <div class="row">
        <Tabs label="This request as code" tabs={tabs} current={shown.href} />
        <CopyButton text={text} label={`Copy as ${shown.title}`} />
      </div>
      <Json value={text} label={`The request as ${shown.title}`} />
    </div>
  )
}
