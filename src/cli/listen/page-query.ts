/** Builds the query for the next page of events of `svc listen`. */
import type { FeedPosition } from './feed.ts'

/** Page size. It is small, because an event can be up to 1 MiB. */
const PAGE_EVENTS = 25

interface Filters {
  readonly type: string | undefined
  readonly user_id: string | undefined
  readonly since: string | undefined
}

/**
 * Returns the query. A cursor is valid only with the filters that it was issued for. `since` has no meaning after the store was replaced.
 */
export function pageQuery({ cursor, fresh }: FeedPosition, given: Filters) {
  const filters = fresh ? { ...given, since: undefined } : given
  return {
    order: 'asc' as const,
    payload: true,
    limit: PAGE_EVENTS,
    ...filters,
    ...(cursor === null ? {} : { next_cursor: cursor }),
    ...(cursor === null && filters.since === undefined ? { from: 'now' as const } : {}),
  }
}
