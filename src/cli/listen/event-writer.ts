/** Writes events in the requested format: lines for a person, JSON or csv for a program. */
import type { OutputFormat } from '../../output/render.ts'
import { toCell } from '../../table/cells.ts'
import { csvRecord } from '../../table/csv.ts'
import { eventLine, eventRecord, type ShownEvent } from './event-line.ts'

interface WriterOptions {
  readonly format: OutputFormat
  readonly color: boolean
  /** Whether to include the webhook body. */
  readonly withPayload: boolean
  /** Returns the text to print instead of a JSON record. */
  readonly select?: ((record: object) => string) | undefined
}

/** Returns the text of one event or attempt, with a final line feed. In csv, the column names come before the first row. */
export function eventWriter({
  format,
  color,
  withPayload,
  select,
}: WriterOptions): (shown: ShownEvent, body: string) => string {
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
      return head + csvRecord(Object.values(record).map(toCell))
    }
  }
  if (select) {
    return (shown, body) => select({ ...eventRecord(shown), ...(withPayload ? { payload: JSON.parse(body) } : {}) })
  }
  // An endless document is written line by line, so json and ndjson are the same here.
  return (shown, body) => {
    const text = JSON.stringify(eventRecord(shown))
    return withPayload ? `${text.slice(0, -1)},"payload":${body}}\n` : `${text}\n`
  }
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2).replaceAll(/^/gm, '      ')
}
