/** A form that calls an operation with the session of the page, and shows the answer as it came. */
import { useState } from 'preact/hooks'
import { send } from '../../api/call.ts'
import type { Problem } from '../../api/problem.ts'
import { useAction } from '../../api/use-call.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { Badge, Command, Json } from '../../parts/small.tsx'
import { ProblemNote } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'
import { type ApiDocument, type ApiOperation, exampleOf, type Parameter, typeText } from './document.ts'

interface TryItProps {
  readonly document: ApiDocument
  readonly operation: ApiOperation
}

interface Shown {
  readonly status: number
  readonly type: string
  readonly ms: number
  readonly bytes: number
  /** Parsed JSON or text; null: bytes that are not shown. */
  readonly body: unknown
}

/** Larger answers are not shown, because they would make the page slow. */
const MOST_SHOWN_BYTES = 500_000

export function TryIt({ document, operation }: TryItProps) {
  const { method, path, requestBody } = operation
  const parameters = (operation.parameters ?? []).filter(each => each.in !== 'header')
  const schema = requestBody?.content['application/json']?.schema
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [body, setBody] = useState(() => (schema ? JSON.stringify(exampleOf(document, schema), null, 2) : ''))
  const [shown, setShown] = useState<Shown | null>(null)
  const address = addressOf(path, parameters, values)
  const run = useAction(async () => {
    setShown(null)
    const began = performance.now()
    const options = schema && body.trim() !== '' ? { body, type: 'application/json' } : {}
    const answer = await send(method, address, options)
    setShown(await shownOf(answer, performance.now() - began))
  })
  if (requestBody && !schema) {
    return (
      <Card title="Try it">
        <p class="soft">
          This operation takes a file, which cannot be sent here. Use the page Import or Engine, or the command line.
        </p>
      </Card>
    )
  }
  const missing = parameters.filter(each => each.in === 'path' && !values[each.name])
  const isChange = method !== 'GET'
  return (
    <Card title="Try it">
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault()
          run.run()
        }}
      >
        {parameters.length > 0 && (
          <div class="filters">
            {parameters.map(parameter => (
              <TextField
                key={parameter.name}
                label={parameter.in === 'path' ? `${parameter.name} (required)` : parameter.name}
                value={values[parameter.name] ?? ''}
                onInput={value => setValues({ ...values, [parameter.name]: value })}
                placeholder={typeText(document, parameter.schema).slice(0, 60)}
              />
            ))}
          </div>
        )}
        {schema && <TextField label="Body" lines={8} isCode value={body} onInput={setBody} />}
        <div class="row">
          <Button type="submit" kind="primary" isBusy={run.isRunning} disabled={missing.length > 0}>
            {isChange ? `Send ${method}` : 'Send'}
          </Button>
          {isChange && <span class="soft">This can change real data.</span>}
        </div>
      </form>
      <Command
        words={['svc', 'api', method, address, ...(schema && body.trim() !== '' ? ['--input', 'body.json'] : [])]}
      />
      {run.problem && <RefusedNote problem={run.problem} />}
      {shown && <AnswerShown shown={shown} />}
    </Card>
  )
}

function RefusedNote({ problem }: { readonly problem: Problem }) {
  return (
    <>
      {problem.status > 0 && (
        <p class="row" role="status">
          <Badge tone="bad">{problem.status}</Badge> {problem.code}
        </p>
      )}
      <ProblemNote problem={problem} />
    </>
  )
}

function AnswerShown({ shown: { status, type, ms, bytes, body } }: { readonly shown: Shown }) {
  return (
    <>
      <p class="row" role="status">
        <Badge tone="good">{status}</Badge>
        <span class="soft">
          {count(Math.round(ms))} ms, {count(bytes)} bytes, {type || 'no body'}
        </span>
      </p>
      {body !== null && <Json value={body} label="Answer" />}
      {body === null && bytes > 0 && <p class="soft">The answer is not shown, because it is too large or not text.</p>}
    </>
  )
}

async function shownOf(answer: Response, ms: number): Promise<Shown> {
  const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  const bytes = await answer.arrayBuffer()
  const isText = /json|text|xml|csv/.test(type)
  const text = isText && bytes.byteLength <= MOST_SHOWN_BYTES ? new TextDecoder().decode(bytes) : null
  const body = text !== null && /json/.test(type) && !/ndjson/.test(type) ? JSON.parse(text) : text
  return { status: answer.status, type, ms, bytes: bytes.byteLength, body }
}

function addressOf(path: string, parameters: readonly Parameter[], values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (all, name: string) =>
    values[name] ? encodeURIComponent(values[name]) : all,
  )
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = values[name]
    if (place === 'query' && value) query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}
