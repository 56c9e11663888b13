/** What must hold for rows with a document or a blob of their own: summaries, streams, events, deliveries and imports. */
import type { UserId } from '../../../core/ids.ts'
import { SUMMARY_KINDS } from '../../../core/sample.ts'
import { parseDate } from '../../../core/time.ts'
import { nextTurn } from '../../../core/turns.ts'
import { decodeStream } from '../../chunk/stream-codec.ts'
import type { DeliveryState } from '../../event.ts'
import type { Columns, RowWith } from '../../logic/rows/checked-rows.ts'
import { isBehind, requireProgress } from '../../logic/rows/damage.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { SqliteDatabase } from '../database.ts'
import { decodedBlob } from './chunk.ts'

const ROWS_AT_ONCE = 20

export interface KeyedRow {
  readonly user_id: string
}

/** A table to walk in the order of its key. */
export interface Walk<Row> {
  readonly what: string
  readonly table: string
  /** The columns of the key besides user_id. */
  readonly key: readonly (keyof Row & string)[]
  /** All columns besides user_id, with what they hold. */
  readonly columns: Columns
  readonly nameOf: (row: Row) => string
  /** Returns what is wrong with the row. `before` is the previous row of the same user, or undefined. */
  readonly faults: (row: Row, before: Row | undefined) => readonly string[]
}

/** Describes a walk. The type of its rows follows from the columns. */
export function walkOf<const C extends Columns>(walk: Walk<RowWith<C>> & { readonly columns: C }): Walk<RowWith<C>> {
  return walk
}

export async function* checkDocuments(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  yield* walk(db, SUMMARIES)
  yield* walk(db, STREAMS)
  yield* walk(db, EVENTS)
  yield* walk(db, DELIVERIES)
  yield* walk(db, IMPORTS)
  yield* walk(db, REPLACED)
  const behind = await db.read(() => db.all<KeyedRow>(SEQUENCES))
  for (const { user_id: userId } of behind) {
    yield { what: 'outbox', userId: userId as UserId, message: 'its last event does not match its event counter' }
  }
}

/** Yields the problems of every row of the table, one for each fault. Reads a few rows in each transaction. */
export async function* walk<Row>(db: SqliteDatabase, each: Walk<Row>): AsyncIterable<StoreProblem> {
  const key = ['user_id', ...each.key].join(', ')
  const marks = ['user_id', ...each.key].map(() => '?').join(',')
  const select = `SELECT user_id, ${Object.keys(each.columns).join(', ')} FROM ${each.table}`
  const rest = `ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`
  let before: (Row & KeyedRow) | undefined
  for (;;) {
    const last: (Row & KeyedRow) | undefined = before
    const rows = await db.read(() =>
      last === undefined
        ? db.all<Row & KeyedRow>(`${select} ${rest}`)
        : db.all<Row & KeyedRow>(
            `${select} WHERE (${key}) > (${marks}) ${rest}`,
            last.user_id,
            ...each.key.map(name => last[name] as string | number),
          ),
    )
    for (const row of rows) {
      const userId = row.user_id as UserId
      for (const fault of each.faults(row, before?.user_id === row.user_id ? before : undefined)) {
        yield { what: each.what, userId, message: `${each.nameOf(row)}: ${fault}` }
      }
      before = row
    }
    if (rows.length < ROWS_AT_ONCE) return
    if (last && before) requireProgress(isBehind(before, last, ['user_id', ...each.key]), each.table)
    await nextTurn()
  }
}

const SUMMARIES = walkOf({
  what: 'summary',
  table: 'summary',
  key: ['kind', 'id'],
  columns: { kind: 'text', id: 'text', date: 'text', document: 'text' },
  nameOf: row => `${row.kind} summary ${row.id}`,
  faults: row => [
    ...(SUMMARY_KINDS.some(kind => kind === row.kind) ? [] : ['there is no such kind']),
    ...(isDocument(row.document) ? [] : ['its document cannot be read']),
    ...(parseDate(row.date) === undefined ? ['its date is invalid'] : []),
  ],
})

const STREAMS = walkOf({
  what: 'stream',
  table: 'stream',
  key: ['workout_id'],
  columns: { workout_id: 'text', n: 'number', data: 'blob' },
  nameOf: row => `stream of workout ${row.workout_id}`,
  faults: row => (isStream(row.data, row.n) ? [] : ['it cannot be decoded']),
})

const EVENTS = walkOf({
  what: 'outbox',
  table: `(SELECT *, EXISTS (SELECT 1 FROM series WHERE series.user_id=outbox.user_id AND series.series_id=outbox.series_id) AS has_series,
    (SELECT event_floor FROM user WHERE user.user_id=outbox.user_id) AS event_floor FROM outbox)`,
  key: ['sequence'],
  columns: {
    sequence: 'number',
    series_id: 'number?',
    n: 'number',
    data: 'blob?',
    document: 'text?',
    has_series: 'number',
    event_floor: 'number?',
  },
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

/** Events up to the floor were removed as too old, except those that an import needs. */
function isMissed({ sequence, event_floor: floor }: Numbered, before: Numbered | undefined): boolean {
  return floor !== null && sequence > floor + 1 && before?.sequence !== sequence - 1
}

const DELIVERY_STATES: readonly string[] = ['waiting', 'delivered', 'dead', 'cancelled'] satisfies DeliveryState[]
const DELIVERIES = walkOf({
  what: 'delivery',
  table:
    '(SELECT *, EXISTS (SELECT 1 FROM outbox WHERE outbox.user_id=delivery.user_id AND outbox.sequence=delivery.sequence) AS has_event FROM delivery)',
  key: ['sequence', 'endpoint_id'],
  columns: { sequence: 'number', endpoint_id: 'text', state: 'text', has_event: 'number' },
  nameOf: row => `delivery of event ${row.sequence} to endpoint ${row.endpoint_id}`,
  faults: row => [
    ...(row.has_event ? [] : ['there is no such event']),
    ...(DELIVERY_STATES.includes(row.state) ? [] : ['there is no such state']),
  ],
})

const IMPORTS = walkOf({
  what: 'import',
  table: 'import',
  key: ['import_id'],
  columns: { import_id: 'text', report: 'text' },
  nameOf: row => `import ${row.import_id}`,
  faults: row => (isDocument(row.report) ? [] : ['its report cannot be read']),
})

const REPLACED = walkOf({
  what: 'import',
  table: 'import_before',
  key: ['import_id', 'ord'],
  columns: { import_id: 'text', ord: 'number', kind: 'text', data: 'blob?', document: 'text?' },
  nameOf: row => `what was there before import ${row.import_id}, row ${row.ord}`,
  faults: row => [
    ...(row.document === null || isDocument(row.document) ? [] : ['its document cannot be read']),
    ...(row.kind === 'samples' && !decodedBlob(row.data, countIn(row.data)) ? ['its samples cannot be decoded'] : []),
    ...(row.kind === 'stream' && row.data && !isStream(row.data, countIn(row.data)) ? ['it cannot be decoded'] : []),
  ],
})

/** Users whose last event, whether it is still there or was removed as too old, is not the last one that was numbered. */
const SEQUENCES = `SELECT user_id FROM user
  WHERE event_sequence<>max(event_floor, coalesce((SELECT max(sequence) FROM outbox WHERE outbox.user_id=user.user_id), 0))
  LIMIT 1000`

/** Returns what a JSON text says, or undefined if it cannot be read. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isDocument(text: string | null): boolean {
  const document = parsed(text ?? '')
  return typeof document === 'object' && document !== null
}

/** Returns the number of rows that the header of a blob of samples or points gives. */
export function countIn(data: Uint8Array | null): number {
  return data && data.byteLength >= 12 ? new DataView(data.buffer, data.byteOffset).getUint32(8, true) : 0
}

/** Points at a regular step without any values take no bytes, so their number needs a limit of its own. */
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
