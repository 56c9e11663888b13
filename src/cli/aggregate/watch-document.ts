/** Reads the query of a new continuous query from a file or from flags. */
import type { CallerInput } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import type { QueryFlags } from './aggregate-flags.ts'
import { readQuery } from './query-document.ts'

type Body = NonNullable<CallerInput<Operations['continuous_query.create']>['body']>

/** The part of the request body that the query provides. */
export type WatchedQuery = Pick<Body, 'query' | 'query_config'>

/**
 * Reads a file that contains one query, or an aggregate request body with one query, and keeps its timeframe and config. Throws
 * ServiceError `usage`.
 */
export async function watchFromFile(file: string): Promise<WatchedQuery> {
  const document: Readonly<Record<string, unknown>> = { ...(await readQuery(file)) }
  // The operation's own schema validates it when it is called.
  if (!('queries' in document)) return { query: document as Body['query'] }
  const { queries, timeframe, config } = document
  if (!Array.isArray(queries) || queries.length !== 1) {
    const count = Array.isArray(queries) ? queries.length : 0
    throw new ServiceError('usage', `A continuous query must be one query, but the file has ${count}.`)
  }
  // the service validates the query
  return {
    query: { ...(queries[0] as Body['query']), timeframe: timeframe as Body['query']['timeframe'] },
    ...(config === undefined ? {} : { query_config: config as Body['query_config'] }),
  }
}

type WatchFlags = Omit<QueryFlags, 'past' | 'anchor'>

/** Builds the query from the flags of `aggregate query`. Throws ServiceError `usage` with the allowed forms. */
export async function watchFromFlags(flags: WatchFlags): Promise<WatchedQuery> {
  const { queryFromFlags } = await import('./aggregate-flags.ts')
  // The timeframe is a placeholder that is never sent, because a continuous query has no timeframe.
  const { queries, config } = queryFromFlags({ ...flags, past: '1d', anchor: '2000-01-01' })
  return { query: present(queries[0], 'the query of the flags'), ...(config ? { query_config: config } : {}) }
}
