/** Streams of workouts as rows of packed points. A stream is replaced as a whole, by the id of its workout. */
import type { UserId } from '../../../core/ids.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { decodeStream, encodeStream } from '../../chunk/stream-codec.ts'
import type { StoredStream } from '../../port.ts'
import { decoding } from '../checksums/damage.ts'
import { STREAMS, type StreamTableRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { versionAfter } from './summaries.ts'

/** A row of the table, without its user. */
export type StreamRow = Omit<StreamTableRow, 'user_id'>

/** What one write did, the previous row, and the `updated_at` of the current one. */
export interface StreamOutcome {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly before: StreamRow | null
  readonly version: EpochMs
}

export function streamRow(db: Connection, userId: UserId, workoutId: string): StreamRow | undefined {
  const row = STREAMS.get(db, 'WHERE user_id=? AND workout_id=?', userId, workoutId)
  if (!row) return undefined
  const { workout_id, provider, source_type, n, rev, created_at, updated_at, data } = row
  return { workout_id, provider, source_type, n, rev, created_at, updated_at, data }
}

export function putStreamRow(db: Connection, userId: UserId, row: StreamRow): void {
  STREAMS.put(db, { user_id: userId, ...row })
}

export function writeStream(db: Connection, userId: UserId, stream: StreamRecord, at: EpochMs): StreamOutcome {
  const before = streamRow(db, userId, stream.workoutId) ?? null
  const data = encodeStream(stream)
  const isSame =
    before !== null &&
    before.provider === stream.provider &&
    before.source_type === stream.sourceType &&
    Buffer.compare(before.data, data) === 0
  if (isSame) return { kind: 'unchanged', before, version: before.updated_at }
  const version = versionAfter(before, at)
  putStreamRow(db, userId, {
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

export function streamIds(db: Connection, userId: UserId): string[] {
  const rows = db.all<{ workout_id: string }>(
    'SELECT workout_id FROM stream WHERE user_id=? ORDER BY workout_id',
    userId,
  )
  return rows.map(row => row.workout_id)
}

export function findStream(db: Connection, userId: UserId, workoutId: string): StoredStream | null {
  const row = streamRow(db, userId, workoutId)
  if (!row) return null
  return {
    workoutId: row.workout_id,
    provider: row.provider,
    sourceType: row.source_type,
    ...decoding(
      () => decodeStream(row.data),
      () => STREAMS.placeOf({ user_id: userId, ...row }),
    ),
  }
}
