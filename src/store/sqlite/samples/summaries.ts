/** Summaries as rows with a JSON document, replaced whole by their id (interface.md 6.3). */
import type { UserId } from '../../../core/ids.ts'
import type { SummaryKind, SummaryRecord } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { StoredSummary, SummaryQuery } from '../../port.ts'
import type { Connection } from '../connection.ts'

/** A row of the table, without its user and kind. */
export interface SummaryRow {
  readonly id: string
  readonly provider: string
  readonly source_type: string
  readonly app_id: string | null
  readonly device_id: string | null
  readonly at: number
  readonly date: string
  readonly zone_offset: number | null
  readonly document: string
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS = 'id, provider, source_type, app_id, device_id, at, date, zone_offset, document, created_at, updated_at'

/** What one write did, the row that was there before, the one that stands now, and its `updated_at`. */
export interface SummaryOutcome {
  readonly kind: 'created' | 'updated' | 'unchanged'
  readonly before: SummaryRow | null
  readonly row: SummaryRow
  readonly version: EpochMs
}

/** The `updated_at` of a version that follows another: later than that one's, so that no two versions of a thing share it. */
export function versionAfter(before: { readonly updated_at: EpochMs } | null, at: EpochMs): EpochMs {
  return before ? Math.max(at, before.updated_at + 1) : at
}

export function summaryRow(connection: Connection, userId: UserId, kind: string, id: string): SummaryRow | undefined {
  return connection.get<SummaryRow>(
    `SELECT ${COLUMNS} FROM summary WHERE user_id=? AND kind=? AND id=?`,
    userId,
    kind,
    id,
  )
}

/** Writes one summary and says what became of it. */
export function writeSummary(
  connection: Connection,
  userId: UserId,
  summary: SummaryRecord,
  at: EpochMs,
): SummaryOutcome {
  const before = summaryRow(connection, userId, summary.kind, summary.id) ?? null
  const document = JSON.stringify(summary.document)
  if (before && before.document === document && sameContext(before, summary)) {
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
  putSummaryRow(connection, userId, summary.kind, row)
  return { kind: before ? 'updated' : 'created', before, row, version }
}

export function putSummaryRow(connection: Connection, userId: UserId, kind: string, row: SummaryRow): void {
  connection.run(
    `INSERT INTO summary (user_id, kind, ${COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
     ON CONFLICT (user_id, kind, id) DO UPDATE SET
       provider=excluded.provider, source_type=excluded.source_type, app_id=excluded.app_id, device_id=excluded.device_id,
       at=excluded.at, date=excluded.date, zone_offset=excluded.zone_offset, document=excluded.document,
       created_at=excluded.created_at, updated_at=excluded.updated_at`,
    userId,
    kind,
    row.id,
    row.provider,
    row.source_type,
    row.app_id,
    row.device_id,
    row.at,
    row.date,
    row.zone_offset,
    row.document,
    row.created_at,
    row.updated_at,
  )
}

export function findSummary(
  connection: Connection,
  userId: UserId,
  kind: SummaryKind,
  id: string,
): StoredSummary | null {
  const row = summaryRow(connection, userId, kind, id)
  return row ? fromRow(kind, row) : null
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

/** A row's columns but its document, as they stand in the text that `readSummaries` takes over. */
type Context = readonly [
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
]

/**
 * All rows in one text, a line each (JSON has no line ends of its own): taking over each row by itself costs three times as much.
 */
export function readSummaries(connection: Connection, userId: UserId, query: SummaryQuery): StoredSummary[] {
  const found = connection.get<{ rows: string | null }>(
    `SELECT group_concat('[' || json_array(id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at)
       || ',' || document || ']', char(10)) AS rows FROM (
       SELECT * FROM summary
       WHERE user_id=? AND kind=? AND date>=? AND date<=? AND (? IS NULL OR provider=?) ORDER BY date, at, id)`,
    userId,
    query.kind,
    query.fromDate,
    query.toDate,
    query.provider,
    query.provider,
  )
  const text = found?.rows ?? ''
  const summaries: StoredSummary[] = []
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    summaries.push(summaryOf(query.kind, text.slice(at, end)))
    at = end + 1
  }
  return summaries
}

function summaryOf(kind: SummaryKind, line: string): StoredSummary {
  const [context, document] = JSON.parse(line) as readonly [Context, Record<string, unknown>]
  const [id, provider, sourceType, appId, deviceId, at, date, offset, createdAt, updatedAt] = context
  return { kind, id, provider, sourceType, appId, deviceId, at, date, offset, document, createdAt, updatedAt }
}

/** Every summary of a file, in the order of writing: for merging a scratch file. */
export function* everySummary(connection: Connection, userId: UserId): Iterable<SummaryRecord> {
  let last = 0
  for (;;) {
    const rows = connection.all<SummaryRow & { rowid: number; kind: SummaryKind }>(
      `SELECT rowid, kind, ${COLUMNS} FROM summary WHERE user_id=? AND rowid>? ORDER BY rowid LIMIT 500`,
      userId,
      last,
    )
    if (rows.length === 0) return
    for (const row of rows) {
      last = row.rowid
      yield fromRow(row.kind, row)
    }
  }
}

function fromRow(kind: SummaryKind, row: SummaryRow): StoredSummary {
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
    document: JSON.parse(row.document) as Record<string, unknown>,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
