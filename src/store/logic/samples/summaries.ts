/**
 * Stores summaries as rows with a JSON document. A summary is identified by its ID and always replaced as a whole. See
 * docs/interface/summaries.md#summaries-3.
 */
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import type { UserId } from '../../../core/ids.ts'
import type { SummaryKind, SummaryRecord } from '../../../core/sample.ts'
import { withoutNulls } from '../../../core/summary-document.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { StoredSummary, SummaryQuery } from '../../sample.ts'
import { summaryOwner } from '../../tables/data.ts'
import { storedJson } from '../rows/damage.ts'
import { SUMMARIES, type SummaryTableRow } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps, UnreadableRows } from '../steps.ts'

/** A row without its user and kind. */
export type SummaryRow = Omit<SummaryTableRow, 'user_id' | 'kind'>

/** The result of one write, the previous row, and the current row with its `updated_at`. */
export interface SummaryOutcome {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly before: SummaryRow | null
  readonly row: SummaryRow
  readonly version: EpochMs
}

/**
 * Returns the `updated_at` of the version after `before`. It is always later than that of `before`, so that no two versions have the same
 * value.
 */
export function versionAfter(before: { readonly updated_at: EpochMs } | null, at: EpochMs): EpochMs {
  return before ? Math.max(at, before.updated_at + 1) : at
}

const FIND_SUMMARY = SUMMARIES.query('WHERE user_id=? AND kind=? AND id=?')
const REMOVE_SUMMARY = command('DELETE FROM summary WHERE user_id=? AND kind=? AND id=?')

export function* summaryRow(userId: UserId, kind: string, id: string): Steps<SummaryRow | undefined> {
  const row = yield* one(FIND_SUMMARY, [userId, kind, id])
  if (!row) return undefined
  return {
    id: row.id,
    provider: row.provider,
    source_type: row.source_type,
    app_id: row.app_id,
    device_id: row.device_id,
    at: row.at,
    date: row.date,
    zone_offset: row.zone_offset,
    document: row.document,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Writes one summary and returns the result. A summary that is equal to the stored one is not written. */
export function* writeSummary(userId: UserId, summary: SummaryRecord, at: EpochMs): Steps<SummaryOutcome> {
  const before = (yield* summaryRow(userId, summary.kind, summary.id)) ?? null
  const document = JSON.stringify(summary.document)
  if (before && isSameSummary(before, summary, document)) {
    return { kind: 'unchanged', before, row: before, version: before.updated_at }
  }
  const version = versionAfter(before, at)
  const row: SummaryRow = {
    id: summary.id,
    provider: summary.provider,
    source_type: summary.sourceType,
    app_id: summary.appId,
    device_id: summary.deviceId,
    at: summary.at,
    date: summary.date,
    zone_offset: summary.offset,
    document,
    created_at: before?.created_at ?? at,
    updated_at: version,
  }
  yield* putSummaryRow(userId, summary.kind, row)
  return { kind: before ? 'updated' : 'created', before, row, version }
}

/** Returns whether a row has the same content as a summary, so that writing the summary would not change it. */
export function isSameSummary(
  row: SummaryRow,
  summary: SummaryRecord,
  document = JSON.stringify(summary.document),
): boolean {
  return sameContext(row, summary) && sameDocument(row.document, document)
}

export function* putSummaryRow(userId: UserId, kind: string, row: SummaryRow): Steps<void> {
  yield* SUMMARIES.put({ user_id: userId, kind, ...row })
}

export function* removeSummary(userId: UserId, kind: string, id: string): Steps<void> {
  yield* run(REMOVE_SUMMARY, [userId, kind, id])
}

/** Returns the summary with this kind and ID, or null. */
export function* findSummary(userId: UserId, kind: SummaryKind, id: string): Steps<StoredSummary | null> {
  const row = yield* summaryRow(userId, kind, id)
  return row ? storedSummary(userId, kind, row) : null
}

/**
 * Returns whether two documents have the same fields with the same values. A null counts as an absent field, and the order does not matter.
 */
function sameDocument(before: string, after: string): boolean {
  if (before === after) return true
  try {
    return isDeepStrictEqual(withoutNulls(JSON.parse(before)), withoutNulls(JSON.parse(after)))
  } catch {
    // an unreadable row is replaced
    return false
  }
}

function sameContext(row: SummaryRow, summary: SummaryRecord): boolean {
  return (
    row.provider === summary.provider &&
    row.source_type === summary.sourceType &&
    row.app_id === summary.appId &&
    row.device_id === summary.deviceId &&
    row.at === summary.at &&
    row.date === summary.date &&
    row.zone_offset === summary.offset
  )
}

/** A line of the text that `readSummaries` parses, after the checksum: the row's columns except its document, followed by the document. */
type Line = readonly [
  context: readonly [
    id: string,
    provider: string,
    sourceType: string,
    appId: string | null,
    deviceId: string | null,
    at: number,
    date: string,
    offset: number | null,
    createdAt: number,
    updatedAt: number,
  ],
  document: Record<string, unknown>,
]

const TAB = '\t'
const IN_RANGE = 'WHERE user_id=? AND kind=? AND date>=? AND date<=? ORDER BY date, at, id'
const CONTEXT = [
  'id',
  'provider',
  'source_type',
  'app_id',
  'device_id',
  'at',
  'date',
  'zone_offset',
  'created_at',
  'updated_at',
]
const ROWS_IN_RANGE = SUMMARIES.query(IN_RANGE)
const LINES_IN_RANGE = query<{ readonly n: number; readonly rows: string | null }>(
  // a single row without text means that the rows must be read one by one
  dialect => dialect.summaryLines(CONTEXT, `FROM summary ${IN_RANGE}`) ?? 'SELECT 1 AS n, NULL AS rows',
)

type Range = readonly [userId: UserId, kind: SummaryKind, fromDate: string, toDate: string]

/** Returns summaries in ascending order of (date, at, id). */
export function* readSummaries(
  userId: UserId,
  { kind, fromDate, toDate, provider }: SummaryQuery,
): Steps<StoredSummary[]> {
  const range: Range = [userId, kind, fromDate, toDate]
  const all = (yield* readLines(range)) ?? (yield* readRows(range))
  return provider === null ? all : all.filter(each => each.provider === provider)
}

function* readRows(range: Range): Steps<StoredSummary[]> {
  const [userId, kind] = range
  return (yield* many(ROWS_IN_RANGE, range)).map(row => storedSummary(userId, kind, row))
}

/**
 * Reads all rows as one text with one line per row, because reading each row separately takes three times as long. The JSON never contains
 * line breaks or tabs. The checksum covers the text after the tab. Returns null if any line does not match an intact row with a checksum,
 * or if the database cannot write such a text. In that case, reading row by row shows which row is affected.
 */
function* readLines(range: Range): Steps<StoredSummary[] | null> {
  const [userId, kind] = range
  try {
    const found = yield* one(LINES_IN_RANGE, range)
    const text = found?.rows ?? ''
    const owner = crc32(summaryOwner(userId, kind))
    const summaries: StoredSummary[] = []
    for (let at = 0; at < text.length; ) {
      const next = text.indexOf('\n', at)
      const end = next === -1 ? text.length : next
      const cut = text.indexOf(TAB, at)
      const line = text.slice(cut + 1, end)
      if ((crc32(line, owner) | 0) !== Number(text.slice(at, cut))) return null
      const [context, document] = JSON.parse(line) as Line
      summaries.push(toSummary(kind, context, document))
      at = end + 1
    }
    return summaries.length === (found?.n ?? 0) ? summaries : null
  } catch (error) {
    if (error instanceof UnreadableRows || error instanceof SyntaxError) return null
    throw error
  }
}

function toSummary(kind: SummaryKind, context: Line[0], document: Record<string, unknown>): StoredSummary {
  const [id, provider, sourceType, appId, deviceId, at, date, offset, createdAt, updatedAt] = context
  return { kind, id, provider, sourceType, appId, deviceId, at, date, offset, document, createdAt, updatedAt }
}

/** Returns the summary in a row. Throws ServiceError `data_damaged`. */
export function storedSummary(userId: UserId, kind: SummaryKind, row: SummaryRow): StoredSummary {
  return {
    kind,
    id: row.id,
    provider: row.provider,
    sourceType: row.source_type,
    appId: row.app_id,
    deviceId: row.device_id,
    at: row.at,
    date: row.date,
    offset: row.zone_offset,
    document: storedJson(row.document, () => SUMMARIES.damageLocation({ user_id: userId, kind, ...row })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
