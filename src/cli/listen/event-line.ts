/** Formats one line for each attempt, for the terminal or pipe that `svc listen` writes to. */
import stringWidth from 'string-width'
import { isAccepted } from '../../delivery/sender.ts'
import { printable } from '../../output/printable.ts'
import type { HeardEvent, MadeAttempt } from './heard-event.ts'

const GREEN = 32
const RED = 31
const YELLOW = 33
const DIM = 2

// Together, with the gaps between them, these widths stay below the 80 columns of a common terminal.
const NUMBER_WIDTH = 3
const TYPE_WIDTH = 35
const USER_WIDTH = 10
const MOST_USER_WIDTH = 24
const STATUS_WIDTH = 4
const TOOK_WIDTH = 7

/** An event with its attempt, or an event that is only shown and has no attempt. */
export type ShownEvent = MadeAttempt | { readonly heard: HeardEvent; readonly attempt: null; readonly againMs: null }

/** Returns ` 12  14:03:22  daily.data.steps.created  ada  200  12 ms`, followed by remarks, without a line feed. */
export function eventLine(shown: ShownEvent, color: boolean): string {
  const { heard, attempt } = shown
  const paint = (code: number, text: string): string => (color ? `\x1b[${code}m${text}\x1b[0m` : text)
  const { event } = heard
  const at = attempt ? attempt.at : Date.parse(event.at)
  const cells = [
    paint(DIM, String(heard.number).padStart(NUMBER_WIDTH)),
    attempt ? clockTime(at) : dayAndTime(at),
    event.event_type.padEnd(TYPE_WIDTH),
    padded(cut(printable(event.client_user_id), MOST_USER_WIDTH), USER_WIDTH),
  ]
  if (shown.attempt) {
    const { attempt } = shown
    const status = (attempt.status === null ? 'fail' : String(attempt.status)).padStart(STATUS_WIDTH)
    cells.push(paint(attemptColor(shown), status), duration(attempt.ms).padStart(TOOK_WIDTH), note(shown))
  }
  return cells.join('  ').trimEnd()
}

/** Members of an event record. The second list applies only if events are forwarded. */
const EVENT_FIELDS = ['event_id', 'event_type', 'at', 'sequence', 'user_id', 'client_user_id'] as const
const ATTEMPT_FIELDS = ['attempt', 'sent_at', 'status', 'error', 'ms', 'state', 'retry_in_ms'] as const

/** Returns a record with every member that `eventRecord` can return. */
export function exampleRecord(withPayload: boolean): Readonly<Record<string, null>> {
  const names = [...EVENT_FIELDS, ...ATTEMPT_FIELDS, ...(withPayload ? ['payload'] : [])]
  return Object.fromEntries(names.map(name => [name, null]))
}

/** Returns the same data as an object, for machine-readable output. */
export function eventRecord({ heard, attempt, againMs }: ShownEvent): Readonly<Record<string, unknown>> {
  const { event_id, event_type, at, sequence, user_id, client_user_id } = heard.event
  return {
    event_id,
    event_type,
    at,
    sequence,
    user_id,
    client_user_id,
    ...(attempt === null
      ? {}
      : {
          attempt: attempt.number,
          sent_at: new Date(attempt.at - attempt.ms).toISOString(),
          status: attempt.status,
          error: attempt.error,
          ms: attempt.ms,
          state: heard.state,
          retry_in_ms: againMs === null ? null : Math.round(againMs),
        }),
  }
}

function attemptColor({ attempt, againMs }: MadeAttempt): number {
  if (isAccepted(attempt)) return GREEN
  return againMs === null ? RED : YELLOW
}

function note({ heard, attempt, againMs }: MadeAttempt): string {
  const parts = attempt.number === 1 ? [] : [`attempt ${attempt.number}`]
  if (attempt.error !== null) parts.push(attempt.error)
  const { status } = attempt
  if (status !== null && status >= 300 && status <= 399) parts.push('redirects are not followed')
  if (againMs !== null) parts.push(`next attempt in ${Math.ceil(againMs / 1_000)} s`)
  else if (status === 410) parts.push('given up: a real endpoint would now be disabled')
  else if (heard.state === 'given_up') parts.push('given up')
  return parts.join('; ')
}

/** Returns a duration as text: `12 ms`, `1.5 s`, `2 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`
}

/** Returns the time of day in the reader's time zone. */
export function clockTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(part => String(part).padStart(2, '0')).join(':')
}

function dayAndTime(at: number): string {
  const date = new Date(at)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0'))
  return `${day.join('-')} ${clockTime(at)}`
}

function cut(text: string, width: number): string {
  return [...text].length > width ? `${[...text].slice(0, width - 1).join('')}…` : text
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}
