/** Checks rows that contain a document or a blob: summaries, streams, events, deliveries and imports. */
import type { UserId } from '../../../core/ids.ts'
import { SUMMARY_KINDS } from '../../../core/sample.ts'
import { parseDate } from '../../../core/time.ts'
import { decodeStream } from '../../chunk/stream-codec.ts'
import { DELIVERY_STATES } from '../../tables/events.ts'
import type { ColumnDetails } from '../../tables/table.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { one, query, type Steps, together } from '../steps.ts'
import { decodedBlob } from './chunk.ts'
import { definePages, isThere, pagesWith, type RowIn } from './pages.ts'
import { defineTraversal, findProblems } from './traversal.ts'

export async function* checkDocuments(db: Database): AsyncIterable<StoreProblem> {
  yield* findProblems(db, SUMMARIES)
  yield* findProblems(db, STREAMS)
  yield* findProblems(db, EVENTS)
  yield* findProblems(db, DELIVERIES)
  yield* findProblems(db, IMPORTS)
  yield* findProblems(db, REPLACED)
  yield* checkCounters(db)
}

const SUMMARIES = defineTraversal({
  what: 'summary',
  table: 'summary',
  key: ['user_id', 'kind', 'id'],
  columns: { user_id: 'text', kind: 'text', id: 'text', date: 'text', document: 'text' },
  nameOf: row => `${row.kind} summary ${row.id}`,
  faults: row => [
    ...(SUMMARY_KINDS.some(kind => kind === row.kind) ? [] : ['there is no such kind']),
    ...(isDocument(row.document) ? [] : ['its document cannot be read']),
    ...(parseDate(row.date) === undefined ? ['its date is invalid'] : []),
  ],
})

const STREAMS = defineTraversal({
  what: 'stream',
  table: 'stream',
  key: ['user_id', 'workout_id'],
  columns: { user_id: 'text', workout_id: 'text', n: 'number', data: 'blob' },
  nameOf: row => `stream of workout ${row.workout_id}`,
  faults: row => (isStream(row.data, row.n) ? [] : ['it cannot be decoded']),
})

const EVENTS = defineTraversal({
  what: 'outbox',
  table: 'outbox',
  joins: `LEFT JOIN series ON series.user_id=outbox.user_id AND series.series_id=outbox.series_id
    LEFT JOIN user ON user.user_id=outbox.user_id`,
  key: ['user_id', 'sequence'],
  columns: {
    user_id: 'text',
    sequence: 'number',
    series_id: 'number?',
    n: 'number',
    data: 'blob?',
    document: 'text?',
    has_series: 'number',
    event_floor: 'number?',
  },
  computed: { has_series: isThere('series.series_id'), event_floor: 'user.event_floor' },
  nameOf: row => `event ${row.sequence}`,
  faults: (row, before) => [
    ...(isMissed(row, before) ? ['events before it are missing'] : []),
    ...(row.series_id !== null && !row.has_series ? ['there is no such series'] : []),
    ...(row.series_id !== null && !decodedBlob(row.data, row.n) ? ['its samples cannot be decoded'] : []),
    ...(row.series_id === null && !isDocument(row.document) ? ['its document cannot be read'] : []),
  ],
})

interface Numbered {
  readonly sequence: number
  /** Null while the user is being purged. */
  readonly event_floor: number | null
}

/**
 * Returns whether events before this one are missing. Events up to the floor were removed because of their age, except events that an
 * import needs.
 */
function isMissed({ sequence, event_floor: floor }: Numbered, before: Numbered | undefined): boolean {
  return floor !== null && sequence > floor + 1 && before?.sequence !== sequence - 1
}

const DELIVERIES = defineTraversal({
  what: 'delivery',
  table: 'delivery',
  joins: 'LEFT JOIN outbox ON outbox.user_id=delivery.user_id AND outbox.sequence=delivery.sequence',
  key: ['user_id', 'sequence', 'endpoint_id'],
  columns: { user_id: 'text', sequence: 'number', endpoint_id: 'text', state: 'text', has_event: 'number' },
  computed: { has_event: isThere('outbox.sequence') },
  nameOf: row => `delivery of event ${row.sequence} to endpoint ${row.endpoint_id}`,
  faults: row => [
    ...(row.has_event ? [] : ['there is no such event']),
    ...(DELIVERY_STATES.some(state => state === row.state) ? [] : ['there is no such state']),
  ],
})

const IMPORTS = defineTraversal({
  what: 'import',
  table: 'import',
  key: ['user_id', 'import_id'],
  columns: { user_id: 'text', import_id: 'text', report: 'text' },
  nameOf: row => `import ${row.import_id}`,
  faults: row => (isDocument(row.report) ? [] : ['its report cannot be read']),
})

const REPLACED = defineTraversal({
  what: 'import',
  table: 'import_before',
  key: ['user_id', 'import_id', 'ord'],
  columns: { user_id: 'text', import_id: 'text', ord: 'number', kind: 'text', data: 'blob?', document: 'text?' },
  nameOf: row => `the data that import ${row.import_id} replaced, row ${row.ord}`,
  faults: row => [
    ...(row.document === null || isDocument(row.document) ? [] : ['its document cannot be read']),
    ...(row.kind === 'samples' && !decodedBlob(row.data, countIn(row.data)) ? ['its samples cannot be decoded'] : []),
    ...(row.kind === 'stream' && row.data && !isStream(row.data, countIn(row.data)) ? ['it cannot be decoded'] : []),
  ],
})

const COUNTED = definePages({
  table: 'user',
  key: ['user_id'],
  columns: { user_id: 'text', event_sequence: 'number', event_floor: 'number' },
  atOnce: 100,
})
type CountedRow = RowIn<typeof COUNTED>
const LAST_EVENT = query<{ readonly last: number | null }>('SELECT max(sequence) AS last FROM outbox WHERE user_id=?')

/**
 * Checks event counters. The counter must be the number of the user's last event, whether that event still exists or was removed because of
 * its age.
 */
async function* checkCounters(db: Database): AsyncIterable<StoreProblem> {
  for await (const { rows, beside: last } of pagesWith(db, COUNTED, lastEvents)) {
    for (const [i, { user_id: userId, event_sequence: counted, event_floor: floor }] of rows.entries()) {
      if (counted === Math.max(floor, last[i] ?? 0)) continue
      yield { what: 'outbox', userId: userId as UserId, message: 'its last event does not match its event counter' }
    }
  }
}

function* lastEvents(users: readonly CountedRow[]): Steps<(number | null)[]> {
  const found = yield* together(...users.map(({ user_id }) => one(LAST_EVENT, [user_id])))
  return found.map(row => row?.last ?? null)
}

/** Parses a JSON text. Returns undefined if it is not valid. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isDocument(text: string | null): boolean {
  return isJson('object or list', text ?? '')
}

/** Returns whether a column's text matches the JSON structure in the catalogue. */
export function isJson(json: NonNullable<ColumnDetails['json']>, text: string): boolean {
  const value = tryParseJson(text)
  if (json === 'list') return Array.isArray(value)
  return json === 'any' ? value !== undefined : typeof value === 'object' && value !== null
}

/** Returns the number of rows that a sample or stream blob's header gives. */
export function countIn(data: Uint8Array | null): number {
  return data && data.byteLength >= 12 ? new DataView(data.buffer, data.byteOffset).getUint32(8, true) : 0
}

/** Maximum number of points without values at a regular step. They take no bytes, so their number needs a separate limit. */
const MOST_POINTS = 10_000_000

export function isStream(data: Uint8Array, n: number): boolean {
  // a damaged count must not make the decoder fill the memory
  if (countIn(data) !== n || n > MOST_POINTS) return false
  try {
    return decodeStream(data).n === n
  } catch {
    return false
  }
}
