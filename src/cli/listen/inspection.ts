/** Event details that `i` shows: the user, the time, and every attempt with its request and response. */
import { printable } from '../../output/printable.ts'
import { clockTime, duration } from './event-line.ts'
import type { Attempt, HeardEvent } from './heard-event.ts'

const MOST_BODY_LINES = 80
const MOST_RESPONSE_LINES = 12
const LABEL_WIDTH = 10

/** `payload` is the webhook body; undefined if it could not be read. */
export function inspection({ number, event, attempts }: HeardEvent, payload: unknown): string {
  const last = attempts.at(-1)
  return [
    `#${number}  ${event.event_type}`,
    row('event_id', event.event_id),
    row('user', `${printable(event.client_user_id)} (${event.user_id})`),
    row('happened', `${event.at}, sequence ${event.sequence}`),
    ...attempts.map((each, i) => row(i === 0 ? 'attempts' : '', attemptText(each))),
    ...(last
      ? Object.entries(last.headers).map(([name, value], i) => row(i === 0 ? 'sent' : '', `${name}: ${value}`))
      : []),
    ...(last?.responseText ? block('response', last.responseText, MOST_RESPONSE_LINES, 'not shown') : []),
    ...(payload === undefined
      ? []
      : block('body', JSON.stringify(payload, null, 2), MOST_BODY_LINES, `see svc event get ${event.event_id}`)),
    '',
  ].join('\n')
}

function attemptText({ number, at, status, error, ms }: Attempt): string {
  return `${number}  ${clockTime(at)}  ${status ?? 'no response'}  ${duration(ms)}${error === null ? '' : `  ${error}`}`
}

function row(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`
}

/** Returns the lines of an untrusted text. If lines are omitted, the last line is their number. */
function block(label: string, text: string, most: number, more: string): string[] {
  const lines = text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map(printable)
  const shown = lines.length > most ? [...lines.slice(0, most), `… ${lines.length - most} more lines (${more})`] : lines
  return shown.map((line, i) => row(i === 0 ? label : '', line))
}
