/** The query of a new continuous query, from a file or from flags. */
import type { CallerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { readQuery } from './query-document.ts'

type Body = NonNullable<CallerInput<Operations['continuous_query.create']>['body']>

/** What of the body the query says. */
export type WatchedQuery = Pick<Body, 'query' | 'query_config'>

/**
 * From a file: one query, or the body of an aggregate query that holds one; its timeframe and config are taken over. Throws
 * ServiceError `usage`.
 */
export async function watchFromFile(file: string): Promise<WatchedQuery> {
  const document: Readonly<Record<string, unknown>> = { ...(await readQuery(file)) }
  // parsed by the operation's own schema when it is called
  if (!('queries' in document)) return { query: document as Body['query'] }
  const { queries, timeframe, config } = document
  if (!Array.isArray(queries) || queries.length !== 1) {
    const count = Array.isArray(queries) ? queries.length : 0
    throw new ServiceError('usage', `A continuous query is one query; the file has ${count}.`)
  }
  return {
    query: { ...(queries[0] as Body['query']), timeframe: timeframe as Body['query']['timeframe'] },
    ...(config === undefined ? {} : { query_config: config as Body['query_config'] }),
  }
}

export interface WatchFlags {
  readonly select: readonly string[]
  readonly groupBy: readonly string[]
  readonly where: string | undefined
  readonly align: string | undefined
  readonly priority: string | undefined
}

/** From the flags of `aggregate query`. Throws ServiceError `usage` that names what is allowed. */
export async function watchFromFlags(flags: WatchFlags): Promise<WatchedQuery> {
  const { queryFromFlags } = await import('./aggregate-flags.ts')
  // the days of a request that is never sent: a continuous query has no timeframe
  const { queries, config } = queryFromFlags({ ...flags, past: '1d', anchor: '2000-01-01' })
  return { query: queries[0] as Body['query'], ...(config ? { query_config: config } : {}) }
}
