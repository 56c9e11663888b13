/** Imports as rows: what each one brought, and what it found before, so that it can be undone. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import { sliceColumns } from '../../chunk/columns.ts'
import type { ImportPage, ImportRecord, NewImport, WriteReport } from '../../data-write.ts'
import { requireProgress, storedJson } from '../checksums/damage.ts'
import { IMPORTS, IMPORTS_BEFORE, type ImportBeforeRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import type { StreamOutcome, StreamRow } from '../samples/streams.ts'
import type { SummaryOutcome } from '../samples/summaries.ts'
import { isActive } from '../users/users.ts'

/** Maximum number of samples in one row of what was there before, which limits the memory that undoing needs. */
const MOST_BEFORE = 10_000

/**
 * Kinds of `import_before` rows. `item` names a series, a summary (`kind/id`), a workout or a provider. `rev` of a summary or a stream is
 * the `updated_at` of the version that the import brought.
 */
export type BeforeKind = 'samples' | 'summary' | 'stream' | 'connection'

/** A stream as it was, in the `document` of a row. Its points are in the `data` of the row. */
export type StreamBefore = Omit<StreamRow, 'data'>

/** Records what an import finds, in the transaction that merges it. */
export class ImportJournal {
  private ord = 0
  private readonly db: Connection
  private readonly userId: UserId
  private readonly importing: NewImport

  constructor(db: Connection, userId: UserId, importing: NewImport) {
    this.db = db
    this.userId = userId
    this.importing = importing
  }

  /** Records samples that were replaced, ascending by start. */
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

  /** Records a connection that the import created. */
  connected(provider: string): void {
    this.add('connection', provider, null, null, null)
  }

  /** Stores the import itself. `first` and `last` are the numbers of its events, with `first` exclusive. */
  finish(at: EpochMs, report: WriteReport, first: number, last: number): void {
    const { importId, format, records, skipped } = this.importing
    IMPORTS.insert(this.db, {
      user_id: this.userId,
      import_id: importId,
      at,
      format,
      report: JSON.stringify({ records, skipped, report } satisfies KeptReport),
      first_sequence: first,
      last_sequence: last,
      undone_at: null,
    })
  }

  private add(
    kind: BeforeKind,
    item: string,
    rev: number | null,
    data: Uint8Array | null,
    document: string | null,
  ): void {
    IMPORTS_BEFORE.insert(this.db, {
      user_id: this.userId,
      import_id: this.importing.importId,
      ord: ++this.ord,
      kind,
      item,
      rev,
      data,
      document,
    })
  }
}

interface KeptReport extends Pick<NewImport, 'records' | 'skipped'> {
  readonly report: WriteReport
}

/** Yields what an import found, in the order in which it found it, with a few rows in memory at a time. */
export function* beforeRows(db: Connection, userId: UserId, importId: string): Generator<ImportBeforeRow> {
  const tail = 'WHERE user_id=? AND import_id=? AND ord>? ORDER BY ord LIMIT 20'
  for (let ord = 0; ; ) {
    const rows = IMPORTS_BEFORE.all(db, tail, userId, importId, ord)
    if (rows.length === 0) return
    const last = (rows.at(-1) as ImportBeforeRow).ord
    requireProgress(last > ord, 'what was there before an import')
    ord = last
    yield* rows
  }
}

/** Returns imports, newest first. */
export function listImports(
  db: Connection,
  teamId: TeamId,
  userId: UserId | null,
  { limit, after }: ImportPage,
): ImportRecord[] {
  const imports =
    userId === null
      ? IMPORTS.all(
          db,
          'WHERE user_id IN (SELECT user_id FROM user INDEXED BY user_by_id WHERE team_id=? AND deleted_at IS NULL)',
          teamId,
        )
      : isActive(db, teamId, userId)
        ? IMPORTS.all(db, 'WHERE user_id=?', userId)
        : []
  return imports
    .filter(row => !after || row.at < after.at || (row.at === after.at && row.import_id > after.importId))
    .sort((a, b) => b.at - a.at || (a.import_id < b.import_id ? -1 : 1))
    .slice(0, limit)
    .map(row => ({
      userId: row.user_id as UserId,
      importId: row.import_id,
      at: row.at,
      format: row.format,
      undoneAt: row.undone_at,
      ...storedJson<KeptReport>(row.report, () => IMPORTS.placeOf(row)),
    }))
}
