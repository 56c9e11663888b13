/** Figures of the whole store, without reading a single blob. */
import { statSync } from 'node:fs'
import { nextTurn } from '../../core/turns.ts'
import type { StoreStatistics } from '../upkeep.ts'
import type { Stored } from './checksums/checked-rows.ts'
import { damaged, isBehind, requireProgress } from './checksums/damage.ts'
import { CHUNK_HEADS, type ChunkHeadRow } from './checksums/tables.ts'
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
  readonly samples: number
  readonly bytes: number
}

const KEY = ['user_id', 'series_id', 'chunk_start'] as const
/** Rows read in one transaction, so that others get their turn. */
const CHUNKS_AT_ONCE = 2_000

/** Verifies the figures beside each blob and adds them up. The length of a blob is in the header of its row. */
async function sumsOfChunks(db: Connection): Promise<ChunkSums> {
  let [chunks, samples, bytes] = [0, 0, 0]
  let last: ChunkHeadRow | undefined
  for (;;) {
    const after = last
    const rows = await db.read(() => {
      const some = db.all<Stored<ChunkHeadRow> & { readonly bytes: number | null }>(
        `SELECT ${CHUNK_HEADS.columns}, CASE typeof(data) WHEN 'blob' THEN length(data) END AS bytes FROM chunk
         WHERE (user_id, series_id, chunk_start) > (?,?,?) ORDER BY user_id, series_id, chunk_start LIMIT ?`,
        after?.user_id ?? '',
        after?.series_id ?? 0,
        after?.chunk_start ?? 0,
        CHUNKS_AT_ONCE,
      )
      for (const row of some) CHUNK_HEADS.verified(db, row)
      return some
    })
    for (const row of rows) {
      chunks++
      samples += row.n
      // one flipped bit in the head of a row makes a text of a blob, whose length is another one
      if (row.bytes === null) throw damaged({ what: 'samples of a chunk', userId: row.user_id })
      bytes += row.bytes
    }
    if (rows.length < CHUNKS_AT_ONCE) return { chunks, samples, bytes }
    last = rows.at(-1)
    requireProgress(after === undefined || isBehind(last as ChunkHeadRow, after, KEY), 'chunks')
    await nextTurn()
  }
}

/** Returns figures of about one moment. Throws ServiceError `data_damaged`. */
export async function statistics(db: Connection): Promise<StoreStatistics> {
  const chunks = await sumsOfChunks(db)
  return db.read(() => figures(db, chunks))
}

function figures(db: Connection, chunks: ChunkSums): StoreStatistics {
  const counts = db.get<Counts>(
    `SELECT
       (SELECT coalesce(sum(user_count), 0) FROM team) AS users,
       (SELECT count(*) FROM user INDEXED BY user_by_name WHERE deleted_at IS NOT NULL) AS deleted_users,
       (SELECT count(*) FROM series) AS series,
       (SELECT count(*) FROM summary) AS summaries,
       (SELECT count(*) FROM stream) AS streams,
       (SELECT count(*) FROM outbox) AS events,
       (SELECT count(*) FROM continuous_query) AS continuous_queries,
       (SELECT count(*) FROM continuous_row) AS result_rows,
       (SELECT user_version FROM pragma_user_version) AS schema_version`,
  ) as Counts
  return {
    users: counts.users,
    deletedUsers: counts.deleted_users,
    series: counts.series,
    chunks: chunks.chunks,
    samples: chunks.samples,
    chunkBytes: chunks.bytes,
    summaries: counts.summaries,
    streams: counts.streams,
    events: counts.events,
    continuousQueries: counts.continuous_queries,
    resultRows: counts.result_rows,
    fileBytes: sizeOf(db.path),
    walBytes: sizeOf(`${db.path}-wal`),
    schemaVersion: counts.schema_version,
    epoch: readEpoch(db),
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
