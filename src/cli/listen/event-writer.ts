/** Writes what is shown of events in the format that was asked for: lines for a person, JSON or csv for a program. */
import type { OutputFormat } from '../../output/render.ts'
import { cellOf } from '../../output/view.ts'
import { csvRecord } from '../../table/csv.ts'
import { eventLine, eventRecord, type Shown } from './event-line.ts'

interface WriterOptions {
  readonly format: OutputFormat
  readonly color: boolean
  /** The body of the webhook goes along. */
  readonly withPayload: boolean
}

/** The text of one event or attempt, its last line ended; the first csv line has the names before it. */
export function eventWriter({ format, color, withPayload }: WriterOptions): (shown: Shown, body: string) => string {
  if (format === 'table') {
    return (shown, body) => {
      const line = `${eventLine(shown, color)}\n`
      return withPayload && (shown.attempt?.number ?? 1) === 1 ? `${line}${indented(body)}\n` : line
    }
  }
  if (format === 'csv') {
    let isFirst = true
    return (shown, body) => {
      const record = { ...eventRecord(shown), ...(withPayload ? { payload: body } : {}) }
      const head = isFirst ? csvRecord(Object.keys(record)) : ''
      isFirst = false
      return head + csvRecord(Object.values(record).map(cellOf))
    }
  }
  // one document that never ends is a line an event: json and ndjson are the same here
  return (shown, body) => {
    const text = JSON.stringify(eventRecord(shown))
    return withPayload ? `${text.slice(0, -1)},"payload":${body}}\n` : `${text}\n`
  }
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2).replaceAll(/^/gm, '      ')
}
