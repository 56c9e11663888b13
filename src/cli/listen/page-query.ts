/** Which page of events `svc listen` asks for next. */
import type { FeedPlace } from './feed.ts'

/** An event may be a mebibyte. */
const PAGE_EVENTS = 25

interface Filters {
  readonly type: string | undefined
  readonly user_id: string | undefined
  readonly since: string | undefined
}

/** A cursor goes with the filters that it was issued for; anew after the store was replaced, `since` means nothing any more. */
export function pageQuery({ cursor, fresh }: FeedPlace, given: Filters) {
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
