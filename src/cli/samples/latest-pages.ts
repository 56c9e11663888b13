/**
 * Reads the newest samples of a range. The service returns samples oldest first, so this module reads the range backwards from the newest
 * sample, in windows that are each four times as long as the previous one, until it has enough samples.
 */
import { resourceNamed } from '../../catalogue/resources.ts'
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { type EpochMs, HOUR_MS } from '../../core/time.ts'
import { type GroupedPage, inTimeOrder } from '../../engine/readings/sample-order.ts'
import { serviceNow } from '../arguments/dates.ts'
import { parsePeriod } from '../arguments/when.ts'
import { countSamples, keepSamples } from './sample-pages.ts'

/** Both ends are included. */
export interface Bounds {
  readonly first: EpochMs
  readonly last: EpochMs
}

const FIRST_WINDOW_MS = HOUR_MS
const GROWTH = 4

/** Returns one page of a window; a null cursor means the first page. */
export type ReadWindow = (window: Bounds, cursor: string | null) => Promise<GroupedPage>

/**
 * Yields pages with the newest `count` samples within the bounds, oldest first. Keeps at most these samples and one page in memory. Throws
 * ServiceError `bad_response`, and any error of `read`.
 */
export async function* latestPages(
  read: ReadWindow,
  { first, last }: Bounds,
  count: number,
): AsyncGenerator<GroupedPage> {
  let pages: GroupedPage[] = []
  let [to, length] = [last, FIRST_WINDOW_MS]
  for (;;) {
    const from = Math.max(first, to - length + 1)
    pages = [...(await readNewest(read, { first: from, last: to }, count - total(pages))), ...pages]
    if (total(pages) >= count || from <= first) break
    to = from - 1
    length *= GROWTH
  }
  yield* pages
}

/** Reads a window to its end and keeps its newest samples. */
async function readNewest(read: ReadWindow, window: Bounds, count: number): Promise<GroupedPage[]> {
  const pages: GroupedPage[] = []
  let cursor: string | null = null
  do {
    const page: GroupedPage = await read(window, cursor)
    if (page.next_cursor !== null && page.next_cursor === cursor) {
      throw new ServiceError('bad_response', 'The service returned the same cursor twice, so paging would never end.')
    }
    cursor = page.next_cursor
    pages.push({ ...page, next_cursor: null, next: null })
    while (pages.length > 1 && total(pages.slice(1)) >= count) pages.shift()
  } while (cursor !== null)
  const [oldest, ...others] = pages
  return oldest ? [cut(oldest, count - total(others)), ...others] : []
}

/** Returns a page with only its newest samples. */
function cut(page: GroupedPage, count: number): GroupedPage {
  if (countSamples(page) <= count) return page
  const kept = inTimeOrder(page).slice(-count)
  return { ...page, groups: keepSamples(page.groups, new Set(kept.map(({ sample }) => sample))) }
}

function total(pages: readonly GroupedPage[]): number {
  return pages.reduce((sum, page) => sum + countSamples(page), 0)
}

/** The range to read, with dates as returned by `dateReader`. */
export interface LatestSamplesQuery {
  readonly userId: string
  readonly resource: string
  readonly provider: string | undefined
  readonly start: string | undefined
  readonly end: string | undefined
  readonly count: number
}

/**
 * Yields the newest samples of a range. First requests the end of the data from the service. Throws any error of `latestPages` and of the
 * calls.
 */
export async function* newestSamples(
  client: ServiceClient,
  read: ReadWindow,
  wanted: LatestSamplesQuery,
): AsyncGenerator<GroupedPage> {
  const { start, end } = wanted
  const requested = {
    first: start === undefined ? 0 : (parsePeriod(start, 0, 'UTC')?.first ?? 0),
    last: (end === undefined ? undefined : parsePeriod(end, 0, 'UTC')?.last) ?? (await serviceNow(client)),
  }
  const held = await heldBounds(client, wanted)
  const both = held && { first: Math.max(requested.first, held.first), last: Math.min(requested.last, held.last) }
  // if the range has no data, one request returns the empty response or the reason for a refusal
  if (!both || both.first > both.last) yield* await readNewest(read, requested, wanted.count)
  else yield* latestPages(read, both, wanted.count)
}

/** Returns the times of the oldest and the newest sample, or null if there are no samples or the service does not return the times. */
async function heldBounds(
  client: ServiceClient,
  { userId, resource, provider }: LatestSamplesQuery,
): Promise<Bounds | null> {
  const held = await heldData(client, userId)
  // the service lists body_weight under the name weight
  const names = new Set([resource, resourceNamed(resource)?.queryName ?? resource])
  const known = held
    .filter(([slug]) => provider === undefined || slug === provider)
    .flatMap(([, resources]) => [...names].flatMap(name => resources[name] ?? []))
  const first = known.flatMap(({ oldest_data: at }) => (at === null ? [] : [Date.parse(at)]))
  const last = known.flatMap(({ newest_data: at }) => (at === null ? [] : [Date.parse(at)]))
  return first.length === 0 || last.length === 0 ? null : { first: Math.min(...first), last: Math.max(...last) }
}

/** Returns the resources of each provider, or an empty list for a service without the operation. */
async function heldData(client: ServiceClient, user_id: string) {
  try {
    const reply = await client.call('introspect.resources', { query: { user_id } })
    return reply.kind === 'json' ? reply.body.data.flatMap(user => Object.entries(user.provider)) : []
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unsupported_operation' || error.status === 404)) return []
    throw error
  }
}
