/** A form that calls an operation with the page's session, and shows the unchanged response. */
import { useState } from 'preact/hooks'
import type { ApiDocument, ApiOperation, Parameter } from '../../api/api-document.ts'
import { sendRequest } from '../../api/call.ts'
import { FormView, useForm } from '../../parts/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, Command, Json } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'
import { makeExample, typeText } from './document.ts'

interface TryItProps {
  readonly document: ApiDocument
  readonly operation: ApiOperation
}

interface ShownResponse {
  readonly status: number
  readonly type: string
  readonly ms: number
  readonly bytes: number
  /** Parsed JSON or text; null for bytes, which are not shown. */
  readonly body: unknown
}

/** Name of the body field; no parameter has this name. */
const BODY = 'request body'

type Values = Readonly<Record<string, string>>

/** Maximum size of a response to show. Larger responses would make the page slow. */
const MOST_SHOWN_BYTES = 500_000

export function TryIt({ document, operation }: TryItProps) {
  const { method, path, requestBody } = operation
  const parameters = (operation.parameters ?? []).filter(each => each.in !== 'header')
  const schema = requestBody?.content['application/json']?.schema
  const [shown, setShown] = useState<ShownResponse | null>(null)
  const first = (): Values => ({ [BODY]: schema ? JSON.stringify(makeExample(document, schema), null, 2) : '' })
  const form = useForm(first, async () => {
    setShown(null)
    const began = performance.now()
    const response = await sendRequest(method, url, hasBody ? { body, type: 'application/json' } : {})
    setShown(await readResponse(response, performance.now() - began))
  })
  const { values, problem } = form
  const body = values[BODY] ?? ''
  const hasBody = body.trim() !== ''
  const url = requestUrl(path, parameters, values)
  if (requestBody && !schema) {
    return (
      <Card title="Try it">
        <p class="soft">
          This operation takes a file, which cannot be sent here. Use the Import or Engine page, or the command line.
        </p>
      </Card>
    )
  }
  const isChange = method !== 'GET'
  return (
    <Card title="Try it">
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
            {isChange && <p class="soft">This can change real data.</p>}
            {problem !== null && problem.status > 0 && (
              <p class="row" role="status">
                <Badge tone="bad">{problem.status}</Badge> {problem.code}
              </p>
            )}
          </>
        }
      />
      <Command words={['svc', 'api', method, url]} flags={{ '--input': hasBody && 'body.json' }} />
      {shown && <ResponseCard shown={shown} />}
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

async function readResponse(response: Response, ms: number): Promise<ShownResponse> {
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const bytes = await response.arrayBuffer()
  const isText = /json|text|xml|csv/.test(type)
  const text = isText && bytes.byteLength <= MOST_SHOWN_BYTES ? new TextDecoder().decode(bytes) : null
  const body = text !== null && /json/.test(type) && !/ndjson/.test(type) ? JSON.parse(text) : text
  return { status: response.status, type, ms, bytes: bytes.byteLength, body }
}

function requestUrl(path: string, parameters: readonly Parameter[], values: Values): string {
  const filled = path.replace(/\{(\w+)\}/g, (all, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : all,
  )
  const query = new URLSearchParams()
  for (const { name, in: location } of parameters) {
    const value = values[name]
    if (location === 'query' && value) query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}
