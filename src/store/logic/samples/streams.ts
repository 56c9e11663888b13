/** Stores workout streams as rows of packed points. A stream is identified by its workout's ID and always replaced as a whole. */
import type { UserId } from '../../../core/ids.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { decodeStream, encodeStream } from '../../chunk/stream-codec.ts'
import type { StoredStream } from '../../sample.ts'
import { decoding } from '../rows/damage.ts'
import { STREAMS, type StreamTableRow } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { versionAfter } from './summaries.ts'

/** A row without its user. */
export type StreamRow = Omit<StreamTableRow, 'user_id'>

/** The result of one write, the previous row, and the current row's `updated_at`. */
export interface StreamOutcome {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly before: StreamRow | null
  readonly version: EpochMs
}

const FIND_STREAM = STREAMS.query('WHERE user_id=? AND workout_id=?')
const STREAM_IDS = query<Pick<StreamTableRow, 'workout_id'>>(
  'SELECT workout_id FROM stream WHERE user_id=? ORDER BY workout_id',
)
const REMOVE_STREAM = command('DELETE FROM stream WHERE user_id=? AND workout_id=?')

export function* streamRow(userId: UserId, workoutId: string): Steps<StreamRow | undefined> {
  const row = yield* one(FIND_STREAM, [userId, workoutId])
  if (!row) return undefined
  const { workout_id, provider, source_type, n, rev, created_at, updated_at, data } = row
  return { workout_id, provider, source_type, n, rev, created_at, updated_at, data }
}

export function* putStreamRow(userId: UserId, row: StreamRow): Steps<void> {
  yield* STREAMS.put({ user_id: userId, ...row })
}

export function* removeStream(userId: UserId, workoutId: string): Steps<void> {
  yield* run(REMOVE_STREAM, [userId, workoutId])
}

export function* writeStream(userId: UserId, stream: StreamRecord, at: EpochMs): Steps<StreamOutcome> {
  const before = (yield* streamRow(userId, stream.workoutId)) ?? null
  const data = encodeStream(stream)
  if (before !== null && isSameStream(before, stream, data))
    return { kind: 'unchanged', before, version: before.updated_at }
  const version = versionAfter(before, at)
  yield* putStreamRow(userId, {
    workout_id: stream.workoutId,
    provider: stream.provider,
    source_type: stream.sourceType,
    n: stream.n,
    rev: (before?.rev ?? 0) + 1,
    created_at: before?.created_at ?? at,
    updated_at: version,
    data,
  })
  return { kind: before ? 'updated' : 'created', before, version }
}

/** Returns whether a row has the same content as a stream, so that writing the stream would not change it. */
export function isSameStream(row: StreamRow, stream: StreamRecord, data = encodeStream(stream)): boolean {
  return (
    row.provider === stream.provider && row.source_type === stream.sourceType && Buffer.compare(row.data, data) === 0
  )
}

/** Returns the IDs of workouts with a stream, in ascending order. If only the stream was pushed, its workout has no summary. */
export function* streamIds(userId: UserId): Steps<string[]> {
  const rows = yield* many(STREAM_IDS, [userId])
  return rows.map(row => row.workout_id)
}

export function* findStream(userId: UserId, workoutId: string): Steps<StoredStream | null> {
  const row = yield* streamRow(userId, workoutId)
  if (!row) return null
  return {
    workoutId: row.workout_id,
    provider: row.provider,
    sourceType: row.source_type,
    ...decoding(
      () => decodeStream(row.data),
      () => STREAMS.damageLocation({ user_id: userId, ...row }),
    ),
  }
}
