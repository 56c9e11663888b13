/** Figures of the whole store, without reading a single blob. */
import { statSync } from 'node:fs'
import type { StoreStatistics } from '../upkeep.ts'
import type { Connection } from './connection.ts'
import { readEpoch } from './teams/settings.ts'

interface Counts {
  readonly users: number
  readonly deleted_users: number
  readonly series: number
  readonly summaries: number
  readonly streams: number
  readonly events: number
  readonly continuous_queries: number
  readonly result_rows: number
  readonly schema_version: number
}

interface ChunkSums {
  readonly chunks: number
  readonly samples: number | null
  readonly bytes: number | null
}

/** In the caller's transaction. The length of a blob stands in the head of its row: its pages are not read. */
export function statistics(connection: Connection): StoreStatistics {
  const counts = connection.get<Counts>(
    `SELECT
       (SELECT coalesce(sum(user_count), 0) FROM team) AS users,
       (SELECT count(*) FROM user WHERE deleted_at IS NOT NULL) AS deleted_users,
       (SELECT count(*) FROM series) AS series,
       (SELECT count(*) FROM summary) AS summaries,
       (SELECT count(*) FROM stream) AS streams,
       (SELECT count(*) FROM outbox) AS events,
       (SELECT count(*) FROM continuous_query) AS continuous_queries,
       (SELECT count(*) FROM continuous_row) AS result_rows,
       (SELECT user_version FROM pragma_user_version) AS schema_version`,
  ) as Counts
  const chunks = connection.get<ChunkSums>(
    'SELECT count(*) AS chunks, sum(n) AS samples, sum(length(data)) AS bytes FROM chunk',
  ) as ChunkSums
  return {
    users: counts.users,
    deletedUsers: counts.deleted_users,
    series: counts.series,
    chunks: chunks.chunks,
    samples: chunks.samples ?? 0,
    chunkBytes: chunks.bytes ?? 0,
    summaries: counts.summaries,
    streams: counts.streams,
    events: counts.events,
    continuousQueries: counts.continuous_queries,
    resultRows: counts.result_rows,
    fileBytes: sizeOf(connection.path),
    walBytes: sizeOf(`${connection.path}-wal`),
    schemaVersion: counts.schema_version,
    epoch: readEpoch(connection),
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
