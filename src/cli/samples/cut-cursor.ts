/**
 * Cursors of walks that --limit cut inside a page. The interface has no page size, so the service gives none: ours holds the
 * cursor of the page that was cut, the time up to which its samples were shown, and which ones at that very time. So it goes on right
 * there, whatever was written meanwhile, and whatever order the service gives to samples of one time.
 */
import { createHash } from 'node:crypto'
import { invalid } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'

/** What a walk reads; a cursor of another one is refused, as the service refuses its own. */
export interface WalkIdentity {
  readonly userId: string
  readonly resource: string
  readonly start: string
  readonly end: string | undefined
  readonly provider: string | undefined
  /** Whether the type of a sample is part of its key (interface-gaps, key of a sample). */
  readonly hasTypeInKey: boolean
}

/** Where a walk was cut: all samples before a time were shown, and of those at that time these. */
export interface Cut {
  readonly start: EpochMs
  /** Series of the samples at that time that were shown (`SampleRow.series`). */
  readonly series: readonly string[]
}

export interface CutCursor {
  /** Cursor of the page that was cut, in the service's words; null: the first page. */
  readonly page: string | null
  /** Null: nothing of that page was shown. */
  readonly after: Cut | null
}

/** No cursor of the service has a dot: those are in base64url. */
const PREFIX = 'cut.'

export function sealCut(walk: WalkIdentity, page: string | null, { start, series }: Cut): string {
  return PREFIX + Buffer.from(JSON.stringify([markOf(walk), page, start, ...series])).toString('base64url')
}

/** Any other cursor is one of the service, which judges it itself. Throws 422 `invalid_cursor` for one of another walk. */
export function openCut(walk: WalkIdentity, cursor: string | undefined): CutCursor {
  if (!cursor?.startsWith(PREFIX)) return { page: cursor || null, after: null }
  const [mark, page, start, ...series] = parse(cursor.slice(PREFIX.length))
  const isWhole = (page === null || typeof page === 'string') && typeof start === 'number' && series.every(isText)
  if (mark !== markOf(walk) || !isWhole) {
    const msg = 'was not issued for this user, resource, range and provider filter'
    throw invalid([{ loc: ['query', 'cursor'], msg, type: 'value_error' }], 'invalid_cursor')
  }
  return { page, after: { start, series } }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function parse(text: string): readonly unknown[] {
  try {
    const state: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(state) ? state : []
  } catch {
    return []
  }
}

function markOf({ userId, resource, start, end, provider }: WalkIdentity): string {
  const walk = JSON.stringify([userId, resource, start, end ?? '', provider ?? ''])
  return createHash('sha256').update(walk).digest('base64url').slice(0, 16)
}
