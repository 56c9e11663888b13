/** Imports as rows: what each brought, and what it found before, so that it can be undone. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { sliceColumns } from '../../chunk/columns.ts'
import type { ImportRecord, NewImport, WriteReport } from '../../data-write.ts'
import type { Connection } from '../connection.ts'
import type { StreamOutcome, StreamRow } from '../samples/streams.ts'
import type { SummaryOutcome } from '../samples/summaries.ts'

/** Samples in one row of what was there before: bounds what undoing holds in memory. */
const MOST_BEFORE = 10_000

/**
 * Kinds of `import_before` rows: what `item` names is a series, `kind/id` of a summary, a workout or a provider. `rev` of a
 * summary and a stream is the `updated_at` of the version that the import brought.
 */
export type BeforeKind = 'samples' | 'summary' | 'stream' | 'connection'

/** A stream as it was, in a row's `document`; its points are the row's `data`. */
export type StreamBefore = Omit<StreamRow, 'data'>

/** Notes what an import finds, in the transaction that merges it. */
export class ImportJournal {
  private ord = 0
  private readonly connection: Connection
  private readonly userId: UserId
  private readonly importing: NewImport

  constructor(connection: Connection, userId: UserId, importing: NewImport) {
    this.connection = connection
    this.userId = userId
    this.importing = importing
  }

  /** Samples that were replaced, ascending by start. */
  samples(seriesId: number, before: SampleColumns): void {
    for (let from = 0; from < before.n; from += MOST_BEFORE) {
      const rows = sliceColumns(before, from, Math.min(before.n, from + MOST_BEFORE))
      this.add('samples', `${seriesId}`, null, encodeChunk(rows), null)
    }
  }

  summary(kind: string, id: string, { before, version }: SummaryOutcome): void {
    this.add('summary', `${kind}/${id}`, version, null, before && JSON.stringify(before))
  }

  stream(workoutId: string, { before, version }: StreamOutcome): void {
    const { data = null, ...rest } = before ?? {}
    this.add('stream', workoutId, version, data, before && JSON.stringify(rest satisfies Partial<StreamBefore>))
  }

  /** A connection that the import made. */
  connected(provider: string): void {
    this.add('connection', provider, null, null, null)
  }

  /** Keeps the import itself: `first` and `last` are the numbers of its events, `first` exclusive. */
  finish(at: EpochMs, report: WriteReport, first: number, last: number): void {
    const { importId, format, records, skipped } = this.importing
    this.connection.run(
      'INSERT INTO import (user_id, import_id, at, format, report, first_sequence, last_sequence) VALUES (?,?,?,?,?,?,?)',
      this.userId,
      importId,
      at,
      format,
      JSON.stringify({ records, skipped, report } satisfies KeptReport),
      first,
      last,
    )
  }

  private add(
    kind: BeforeKind,
    item: string,
    rev: number | null,
    data: Uint8Array | null,
    document: string | null,
  ): void {
    this.connection.run(
      'INSERT INTO import_before (user_id, import_id, ord, kind, item, rev, data, document) VALUES (?,?,?,?,?,?,?,?)',
      this.userId,
      this.importing.importId,
      ++this.ord,
      kind,
      item,
      rev,
      data,
      document,
    )
  }
}

interface KeptReport extends Pick<NewImport, 'records' | 'skipped'> {
  readonly report: WriteReport
}

interface ImportRow {
  readonly user_id: string
  readonly import_id: string
  readonly at: number
  readonly format: string
  readonly report: string
  readonly undone_at: number | null
}

/** Newest first. */
export function listImports(
  connection: Connection,
  teamId: TeamId,
  userId: UserId | null,
  limit: number,
): ImportRecord[] {
  return connection
    .all<ImportRow>(
      `SELECT import.user_id, import_id, at, format, report, undone_at FROM import JOIN user USING (user_id)
       WHERE team_id=? AND deleted_at IS NULL AND (? IS NULL OR import.user_id=?)
       ORDER BY at DESC, import_id LIMIT ?`,
      teamId,
      userId,
      userId,
      limit,
    )
    .map(row => ({
      userId: row.user_id as UserId,
      importId: row.import_id,
      at: row.at,
      format: row.format,
      undoneAt: row.undone_at,
      ...(JSON.parse(row.report) as KeptReport),
    }))
}
