/** Computes statistics for the whole store without reading any blob. */
import { nextLoopTick } from '../../core/time-slice.ts'
import type { StoreStatistics } from '../upkeep.ts'
import type { Database } from './database.ts'
import { damaged, isBehind, requireProgress } from './rows/damage.ts'
import { CHUNK_HEADS, type ChunkHeadRow } from './rows/tables.ts'
import { many, one, query, type Steps } from './steps.ts'
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
}

interface ChunkSums {
  readonly chunks: number
  readonly samples: number
  readonly bytes: number
}

const KEY = ['user_id', 'series_id', 'chunk_start'] as const
/** Number of rows read in one transaction, so that other transactions can run in between. */
const CHUNKS_AT_ONCE = 2_000

const SOME_CHUNKS = CHUNK_HEADS.widerQuery<ChunkHeadRow & { readonly bytes: number | null }>(
  dialect => `SELECT ${CHUNK_HEADS.columns}, ${dialect.blobBytes('data')} AS bytes FROM chunk
    WHERE (user_id, series_id, chunk_start) > (?,?,?) ORDER BY user_id, series_id, chunk_start LIMIT ?`,
)
const COUNTS = query<Counts>(
  dialect => `SELECT
    (SELECT coalesce(sum(user_count), 0) FROM team) AS users,
    (SELECT count(*) FROM user ${dialect.index('user_by_name')} WHERE deleted_at IS NOT NULL) AS deleted_users,
    (SELECT count(*) FROM series) AS series,
    (SELECT count(*) FROM summary) AS summaries,
    (SELECT count(*) FROM stream) AS streams,
    (SELECT count(*) FROM outbox) AS events,
    (SELECT count(*) FROM continuous_query) AS continuous_queries,
    (SELECT count(*) FROM continuous_row) AS result_rows`,
)

/** Statistics that a store computes by counting its rows. */
export type CountedFigures = Omit<StoreStatistics, 'files' | 'server' | 'schemaVersion'>

/** Verifies each blob's figures and adds them up. A blob's length is in its row's header. */
async function sumsOfChunks(db: Database): Promise<ChunkSums> {
  let [chunks, samples, bytes] = [0, 0, 0]
  let last: ChunkHeadRow | undefined
  for (;;) {
    const after = last
    const position = [after?.user_id ?? '', after?.series_id ?? 0, after?.chunk_start ?? 0]
    const rows = await db.read(() => many(SOME_CHUNKS, [...position, CHUNKS_AT_ONCE]))
    for (const row of rows) {
      chunks++
      samples += row.n
      // a single flipped bit in a row's header turns a blob into text, whose length is different
      if (row.bytes === null) throw damaged({ what: 'samples of a chunk', userId: row.user_id })
      bytes += row.bytes
    }
    if (rows.length < CHUNKS_AT_ONCE) return { chunks, samples, bytes }
    last = rows.at(-1)
    requireProgress(after === undefined || isBehind(last as ChunkHeadRow, after, KEY), 'chunks')
    await nextLoopTick()
  }
}

/** Returns statistics that are approximately consistent. Throws ServiceError `data_damaged`. */
export async function statistics(db: Database): Promise<CountedFigures> {
  const chunks = await sumsOfChunks(db)
  return db.read(() => figures(chunks))
}

function* figures(chunks: ChunkSums): Steps<CountedFigures> {
  const counts = (yield* one(COUNTS)) as Counts // a SELECT of counts always returns a row
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
    epoch: yield* readEpoch(),
  }
}
