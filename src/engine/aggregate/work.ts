/** An aggregate query and everything it takes to answer it, so that it can be answered in another thread. */
import type { QueryBatch } from '../../contract/aggregate.ts'
import { AGGREGATE_PARQUET } from '../../contract/aggregate.ts'
import type { SourcePriority } from '../../store/priority.ts'
import type { ResultTable } from '../../table/table.ts'
import type { QuerySource, QueryUser } from './execute.ts'
import { runQueryBatch } from './run.ts'

/** Plain data: it can be posted to a thread. */
export interface AggregateWork {
  readonly user: QueryUser
  readonly batch: QueryBatch
  readonly now: number
  readonly priorities: readonly SourcePriority[]
  /** `application/json` or the archive of Parquet files. */
  readonly mediaType: string
}

/** The tables of the answer. Throws the 422s of the query, and the signal's reason once that is aborted. */
export function tablesOf(
  source: QuerySource,
  { user, batch, now, priorities }: AggregateWork,
  signal: AbortSignal | undefined,
): Promise<readonly ResultTable[]> {
  return runQueryBatch(source, user, batch, { now, priorities, signal })
}

/** The body of the answer, as it goes over HTTP. */
export async function bodyOf(tables: readonly ResultTable[], mediaType: string): Promise<Uint8Array> {
  if (mediaType !== AGGREGATE_PARQUET) {
    const { jsonPieces } = await import('../../table/json.ts')
    return Buffer.concat([...jsonPieces(tables)])
  }
  const { toParquet } = await import('../../table/parquet.ts')
  const { toTarGzip } = await import('../../table/tar.ts')
  const files = await Promise.all(
    tables.map(async (table, i) => ({ name: `${i}.parquet`, bytes: await toParquet(table) })),
  )
  return toTarGzip(files)
}
