/** The log of a running server: one line per request, in text or JSON, without keys, user IDs or user data. See docs/security.md. */

export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** The route's template, because the path itself contains IDs, and the query may contain a token. */
  readonly route: string
  /** Null if the caller closed the connection before the response was sent. */
  readonly status: number | null
  /** The error code, if the request was refused. */
  readonly code: string | undefined
  readonly ms: number
  /** The client's address. */
  readonly address: string
}

export interface ServerLog {
  request(line: RequestLine): void
  /** Logs an internal error: error types and code positions, without messages. */
  failure(requestId: string, report: readonly string[]): void
  /** Logs any other line, as text. */
  note(words: string): void
}

/** Returns a log that writes whole lines. In text format, a failure is one write of several lines. `now` returns real time. */
export function serverLog(format: LogFormat, write: (line: string) => void, now: () => number): ServerLog {
  return format === 'json' ? jsonLog(write, now) : textLog(write)
}

function textLog(write: (line: string) => void): ServerLog {
  return {
    request({ requestId, method, route, status, code, ms, address }) {
      const words = [method, route, status === null ? 'closed by the caller' : `${status}`, code]
      write(`${words.filter(Boolean).join(' ')} ${ms.toFixed(1)} ms ${requestId} ${address}`)
    },
    failure: (requestId, report) => write([`failed ${requestId}`, ...report].join('\n')),
    note: words => write(words),
  }
}

function jsonLog(write: (line: string) => void, now: () => number): ServerLog {
  const put = (level: 'info' | 'error', event: string, fields: object): void =>
    write(JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields }))
  return {
    request({ requestId, method, route, status, code, ms, address }) {
      const rounded = Math.round(ms * 10) / 10
      const fields = { request_id: requestId, method, route, status, code, ms: rounded, client_address: address }
      put(status !== null && status >= 500 ? 'error' : 'info', 'request', fields)
    },
    failure: (requestId, report) =>
      put('error', 'failed', { request_id: requestId, report: report.map(line => line.trim()) }),
    note: words => put('info', 'note', { message: words }),
  }
}
