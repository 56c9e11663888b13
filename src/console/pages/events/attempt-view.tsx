/** One delivery attempt of an event. It shows the outcome and, when opened, the request and the response. */
import type { ResponseOf } from '../../api/call.ts'
import { Badge, Json } from '../../parts/small.tsx'
import { count } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

export type Attempt = ResponseOf<'event.attempts'>['attempts'][number]

export function AttemptView({ attempt }: { readonly attempt: Attempt }) {
  const { number, attempted_at, duration_ms, status, error, request_headers } = attempt
  return (
    <details class="attempt">
      <summary>
        <span class="attempt-line">
          <strong>Attempt {number}</strong>
          <Outcome status={status} error={error} />
          <Time at={attempted_at} withSeconds />
          <span class="soft">{count(duration_ms)} ms</span>
        </span>
      </summary>
      {error !== null && status !== null && <p class="soft">{error}</p>}
      {request_headers === null ? (
        <p class="soft">Nothing was sent, or the request and the response are no longer stored.</p>
      ) : (
        <Exchange attempt={attempt} headers={request_headers} />
      )}
    </details>
  )
}

interface ExchangeProps {
  readonly attempt: Attempt
  readonly headers: Readonly<Record<string, string>>
}

function Exchange({ attempt, headers }: ExchangeProps) {
  const { number, response_headers, response_body, response_truncated } = attempt
  return (
    <div class="columns">
      <div class="stack">
        <h3>Request</h3>
        <Json value={headerLines(headers)} label={`Request headers of attempt ${number}`} />
      </div>
      <div class="stack">
        <h3>Response</h3>
        {response_headers === null ? (
          <p class="soft">There was none.</p>
        ) : (
          <Json value={headerLines(response_headers)} label={`Response headers of attempt ${number}`} />
        )}
        {response_body !== null && response_body !== '' && (
          <Json value={response_body} label={`Response body of attempt ${number}`} />
        )}
        {response_truncated && <p class="soft">Only the beginning of the body is stored.</p>}
      </div>
    </div>
  )
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function Outcome({ status, error }: Pick<Attempt, 'status' | 'error'>) {
  if (status !== null) return <Badge tone={status < 300 ? 'good' : 'bad'}>{status}</Badge>
  return <Badge tone="bad">{error ?? 'no response'}</Badge>
}
