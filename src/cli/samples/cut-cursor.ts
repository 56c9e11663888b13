/**
 * Cursors for traversals that --limit ended within a page. The service cannot issue such cursors, because requests have no page size. Such
 * a cursor contains the cursor of the cut page, the time up to which its samples were shown, and the samples at exactly that time that were
 * shown. A traversal therefore continues at the right sample, even if samples were written in the meantime, and whatever the order of
 * samples with equal times.
 */
import { createHash } from 'node:crypto'
import { invalid } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import { tryParseJson } from '../runtime/json-text.ts'

/** Identifies a traversal. A cursor from another traversal is refused, as the service does for its own cursors. */
export interface TraversalIdentity {
  readonly userId: string
  readonly resource: string
  readonly start: string
  readonly end: string | undefined
  readonly provider: string | undefined
}

/** The point where a traversal was cut. All samples before `start` were shown and, at `start`, the samples of `series`. */
export interface CutPosition {
  readonly start: EpochMs
  /** Series whose samples at that time were shown (`SampleRow.series`). */
  readonly series: readonly string[]
}

export interface CutCursor {
  /** The service's cursor of the page that was cut; null for the first page. */
  readonly page: string | null
  /** Point of the cut; null if no sample on that page was shown. */
  readonly after: CutPosition | null
}

/** Prefix that identifies these cursors. The service's cursors are base64url, which does not contain a dot. */
const PREFIX = 'cut.'

export function encodeCutCursor(
  traversal: TraversalIdentity,
  page: string | null,
  { start, series }: CutPosition,
): string {
  return PREFIX + Buffer.from(JSON.stringify([traversalMark(traversal), page, start, ...series])).toString('base64url')
}

/**
 * Decodes a cursor with this prefix. Any other cursor belongs to the service, which checks it itself. Throws 422 `invalid_cursor` for a
 * cursor from another traversal.
 */
export function decodeCutCursor(traversal: TraversalIdentity, cursor: string | undefined): CutCursor {
  if (!cursor?.startsWith(PREFIX)) return { page: cursor || null, after: null }
  const state = tryParseJson(Buffer.from(cursor.slice(PREFIX.length), 'base64url').toString('utf8'))
  const [mark, page, start, ...series]: readonly unknown[] = Array.isArray(state) ? state : []
  const isWhole = (page === null || typeof page === 'string') && typeof start === 'number' && series.every(isText)
  if (mark !== traversalMark(traversal) || !isWhole) {
    const msg = 'was not issued for this user, resource, range and provider filter; start again without a cursor'
    throw invalid([{ loc: ['query', 'cursor'], msg, type: 'value_error' }], 'invalid_cursor')
  }
  return { page, after: { start, series } }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function traversalMark({ userId, resource, start, end, provider }: TraversalIdentity): string {
  const traversal = JSON.stringify([userId, resource, start, end ?? '', provider ?? ''])
  return createHash('sha256').update(traversal).digest('base64url').slice(0, 16)
}
