/** Traverses the pages of a timeseries, from a cursor and up to a limit. */
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import { type GroupedPage, inTimeOrder, type Sample, type TimedRow, timed } from '../../engine/readings/sample-order.ts'
import { type CutPosition, decodeCutCursor, encodeCutCursor, type TraversalIdentity } from './cut-cursor.ts'

export interface TraversalOptions {
  readonly traversal: TraversalIdentity
  /** A cursor from the service, or from a traversal that a limit cut short. */
  readonly cursor: string | undefined
  /** Maximum number of samples on all pages together. */
  readonly limit: number | undefined
  readonly isOnePage: boolean
}

/**
 * Yields the pages as the service sends them, calling `read` for each. Only the last page may be cut, by the limit; its `next_cursor` shows
 * where to continue. Throws ServiceError `invalid_cursor`, `bad_response`, and any error of `read`.
 */
export async function* samplePages(
  read: (cursor: string | null) => Promise<GroupedPage>,
  { traversal, cursor, limit, isOnePage }: TraversalOptions,
): AsyncGenerator<GroupedPage> {
  // Samples written since the cut may move samples that were already shown to later pages, so those are left out of every page.
  const { page: first, after } = decodeCutCursor(traversal, cursor)
  let at = first
  let left = limit ?? Number.POSITIVE_INFINITY
  for (;;) {
    const page = await read(at)
    if (page.next_cursor === at && at !== null) {
      throw new ServiceError('bad_response', 'The service returned the same cursor twice, so paging would never end.')
    }
    const shown = cutPage(page, { traversal, at, after, most: left })
    left -= countSamples(shown)
    yield shown
    if (page.next_cursor === null || left === 0 || isOnePage) return
    at = page.next_cursor
    // The embedded service responds without a tick of the event loop; without this, Ctrl-C would wait for the last page.
    await new Promise(resolve => setImmediate(resolve))
  }
}

interface Cutting {
  readonly traversal: TraversalIdentity
  /** The cursor that the page was read with. */
  readonly at: string | null
  /** Point where an earlier traversal was cut. */
  readonly after: CutPosition | null
  readonly most: number
}

function cutPage(page: GroupedPage, { traversal, at, after, most }: Cutting): GroupedPage {
  if (after === null && countSamples(page) <= most) return page
  const rows = timed(inTimeOrder(page))
  const left = after === null ? rows : rows.filter(row => isAfter(row, after))
  const shown = left.slice(0, most)
  const kept = new Set<Sample>(shown.map(row => row.sample))
  const next = nextCursor(page.next_cursor, rows, left, shown, { traversal, at, after })
  return { ...page, groups: keepSamples(page.groups, kept), next_cursor: next, next }
}

function nextCursor(
  next: string | null,
  rows: readonly TimedRow[],
  left: readonly TimedRow[],
  shown: readonly TimedRow[],
  { traversal, at, after }: Omit<Cutting, 'most'>,
): string | null {
  const last = shown.at(-1)
  if (last && shown.length < left.length) return encodeCutCursor(traversal, at, cutAt(last.start, shown, after))
  // Up to the time of the cut, samples that were already shown may still follow.
  const isPast = after === null || (rows.at(-1)?.start ?? Number.NEGATIVE_INFINITY) > after.start
  return next === null || isPast ? next : encodeCutCursor(traversal, next, cutAt(after.start, shown, after))
}

function isAfter(row: TimedRow, { start, series }: CutPosition): boolean {
  return row.start > start || (row.start === start && !series.includes(row.series))
}

function cutAt(start: EpochMs, shown: readonly TimedRow[], before: CutPosition | null): CutPosition {
  const here = shown.filter(row => row.start === start).map(({ series }) => series)
  return { start, series: before?.start === start ? [...before.series, ...here] : here }
}

/** Returns the groups with only these samples, without empty groups. */
export function keepSamples(groups: GroupedPage['groups'], kept: ReadonlySet<Sample>): GroupedPage['groups'] {
  const left = Object.entries(groups).map(([provider, list]) => {
    const shorter = list.map(group => ({ ...group, data: group.data.filter(sample => kept.has(sample)) }))
    return [provider, shorter.filter(group => group.data.length > 0)] as const
  })
  return Object.fromEntries(left.filter(([, list]) => list.length > 0))
}

/** Returns the number of samples on a page. */
export function countSamples({ groups }: GroupedPage): number {
  return Object.values(groups).reduce((sum, list) => sum + list.reduce((n, { data }) => n + data.length, 0), 0)
}
