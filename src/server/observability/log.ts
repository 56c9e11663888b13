/** What a running server says about itself: a line a request, in text or JSON, without keys, ids or values of users (design 10). */

export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** The route's template: a path itself holds ids, and a query may hold a token. */
  readonly route: string
  /** Null: the caller closed the connection before the answer was out. */
  readonly status: number | null
  /** The error code of a refusal. */
  readonly code: string | undefined
  readonly ms: number
  /** Of the client. */
  readonly address: string
}

export interface ServerLog {
  request(line: RequestLine): void
  /** A bug of ours: kinds and places, no messages. */
  failure(requestId: string, report: readonly string[]): void
  /** Anything else, in words. */
  note(words: string): void
}

/** Writes whole lines (in text a failure takes several at once). `now` is real time. */
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
