/**
 * Writes samples, summaries and workout streams as lines of JSON, one item per line. A user's export consists of these lines, which
 * `parseItem` (parser.ts) reads back without loss.
 *
 * - sample: `{"resource":"heartrate","provider":"manual","source_type":"watch","timestamp":"2026-11-20T08:30:00Z",
 *   "timezone_offset":3600,"value":61,"unit":"bpm"}`; an interval has `start` and `end` instead of `timestamp`, blood_pressure
 *   has `systolic` and `diastolic` instead of `value`; the value of a note is its text, and its `tags` are a list. If the sample has
 *   them, `type`, `app_id`, `device_id`, `workout_id`, `sport`, `sensor_location` … follow: the text columns of src/core/sample.ts.
 * - summary: `{"summary":"workouts","id":…,"provider":…,"source_type":…,"at":…,"date":"2026-11-20","document":{…}}`
 * - stream: `{"stream":"<workout id>","provider":…,"source_type":…,"at":…,"time_ms":[…],"heartrate":[61,null,…]}`
 *
 * Times are instants (`Z`). `timezone_offset`, in seconds east of UTC, is omitted if the local time is unknown.
 */
import { resourceNamed, type TimeseriesResource } from '../../../catalogue/resources.ts'
import { present } from '../../../core/present.ts'
import {
  NO_OFFSET,
  type SampleColumns,
  type SeriesKey,
  type SummaryRecord,
  startAt,
  TEXT_COLUMNS,
  type TextColumn,
} from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'

/** Number of lines built at once: a few milliseconds of work. */
const ROWS_AT_ONCE = 1_024

/** Yields the lines of a slice's samples, several at a time, each with its line break. */
export function* sampleLines(series: SeriesKey, packed: SampleColumns): Generator<string> {
  // read once, because a scan's columns are rebuilt on every access
  const { n, start, end, value, second, offset, text } = packed
  const columns: SampleColumns = { n, start, end, value, second, offset, text }
  const resource = resourceNamed(series.resource)
  const [head, unit] = [seriesHead(series), `,"unit":${JSON.stringify(resource?.unit ?? null)}`]
  const type = series.type === null ? '' : `,"type":${JSON.stringify(series.type)}`
  const texts = [...columns.text.keys()]
    .filter(name => name !== 'content' && !(name === 'type' && series.type !== null))
    .sort((a, b) => TEXT_COLUMNS.indexOf(a) - TEXT_COLUMNS.indexOf(b))
    .map(name => textCells(columns, name, `,"${name}":`))
  const contents = textCells(columns, 'content', ',"value":')
  for (let row = 0; row < n; ) {
    const until = Math.min(n, row + ROWS_AT_ONCE)
    let lines = ''
    for (; row < until; row++) {
      lines += head + formatTimes(resource, columns, row) + valueCells(resource, columns, row, contents) + unit + type
      for (const cells of texts) lines += cells(row)
      lines += '}\n'
    }
    yield lines
  }
}

export function summaryLine(summary: SummaryRecord): string {
  const head = `{"summary":${JSON.stringify(summary.kind)},"id":${JSON.stringify(summary.id)}`
  const ids = optional('app_id', summary.appId) + optional('device_id', summary.deviceId)
  const time = `,"at":"${instant(summary.at)}","date":"${summary.date}"${formatOffset(summary.offset)}`
  return `${head}${source(summary)}${ids}${time},"document":${JSON.stringify(summary.document)}}\n`
}

export function streamLine(stream: StreamRecord): string {
  const head = `{"stream":${JSON.stringify(stream.workoutId)}${source(stream)}`
  const time = `,"at":"${instant(stream.at)}"${formatOffset(stream.offset)}`
  const about = `,"provider_id":${JSON.stringify(stream.providerId)},"sport":${JSON.stringify(stream.sport)}`
  const columns = [...stream.columns].map(([name, values]) => `,"${name}":${numbers(values)}`)
  return `${head}${time}${about},"time_ms":${numbers(stream.time)}${columns.join('')}}\n`
}

function seriesHead(series: SeriesKey): string {
  return `{"resource":${JSON.stringify(series.resource)}${source(series)}`
}

function source(of: { readonly provider: string; readonly sourceType: string }): string {
  return `,"provider":${JSON.stringify(of.provider)},"source_type":${JSON.stringify(of.sourceType)}`
}

function formatTimes(resource: TimeseriesResource | undefined, columns: SampleColumns, row: number): string {
  const start = startAt(columns, row)
  const end = columns.end?.[row] ?? start
  const offset = columns.offset?.[row] ?? NO_OFFSET
  const ends = end === start ? '' : `,"end":"${instant(end)}"`
  const from = resource?.kind === 'interval' || ends !== '' ? 'start' : 'timestamp'
  return `,"${from}":"${instant(start)}"${ends}${formatOffset(offset === NO_OFFSET ? null : offset)}`
}

function valueCells(
  resource: TimeseriesResource | undefined,
  columns: SampleColumns,
  row: number,
  contents: (row: number) => string,
): string {
  const value = present(columns.value[row], 'a value')
  switch (resource?.shape) {
    case 'blood_pressure':
      return `,"systolic":${number(value)},"diastolic":${number(columns.second?.[row] ?? Number.NaN)}`
    case 'text':
      // a note may have only tags
      return contents(row) || ',"value":null'
    default:
      return `,"value":${number(value)}`
  }
}

/** Returns a function that returns a text column's part of a row's line. It escapes every word in the column's dictionary only once. */
function textCells(columns: SampleColumns, name: TextColumn, key: string): (row: number) => string {
  const column = columns.text.get(name)
  if (column === undefined) return () => ''
  const cells = ['', ...column.values.map(word => key + (name === 'tags' ? tagList(word) : JSON.stringify(word)))]
  return row => cells[column.codes[row] ?? 0] ?? ''
}

/** Returns the tags as a JSON list, which is also the form in which they are stored. */
function tagList(text: string): string {
  try {
    const tags: unknown = JSON.parse(text)
    if (Array.isArray(tags)) return JSON.stringify(tags)
  } catch {
    // the value is not a list, so it is a single tag
  }
  return JSON.stringify([text])
}

function optional(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${JSON.stringify(value)}`
}

function formatOffset(offset: number | null): string {
  return offset === null ? '' : `,"timezone_offset":${offset}`
}

function instant(ms: EpochMs): string {
  const text = new Date(ms).toISOString()
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text
}

function numbers(values: Float64Array): string {
  return `[${Array.from(values, number).join(',')}]`
}

/** Writes a number. Keeps the sign of -0, which JSON supports but JSON.stringify would drop. Numbers that are not finite become null. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  return Object.is(value, -0) ? '-0' : String(value)
}
