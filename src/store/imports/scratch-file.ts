/**
 * Manages an import's private database file, which contains the items read so far. The file is removed when the import is merged or
 * discarded, or when its process is found to be dead.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SampleColumns, SummaryKind, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { joinColumns } from '../chunk/columns.ts'
import { decodeStream, encodeStream } from '../chunk/stream-codec.ts'
import { buildColumns } from '../chunk/view.ts'
import { scratchName } from '../folder/data-folder.ts'
import { SeriesChunks } from '../logic/rows/chunk-data.ts'
import { decoding, storedJson } from '../logic/rows/damage.ts'
import { SUMMARIES, type SummaryTableRow } from '../logic/rows/tables.ts'
import { everySeries } from '../logic/samples/series.ts'
import { storedSummary, writeSummary } from '../logic/samples/summaries.ts'
import { type BatchOutcome, writeBatch } from '../logic/samples/writer.ts'
import { isSteps } from '../logic/steps.ts'
import { SqliteDatabase } from '../sqlite/database.ts'

/** Maximum number of samples passed to a merge at once, which limits memory use. */
const MERGE_SAMPLES = 100_000
/** User ID in the scratch file. Its value does not matter, because the file contains one import for one user. */
const OWNER = '00000000-0000-0000-0000-000000000000' as UserId

const NEXT_SUMMARIES = `SELECT rowid, ${SUMMARIES.columns} FROM summary WHERE rowid>? ORDER BY rowid LIMIT 500`

const SCRATCH = () => ({ what: 'a scratch file of an import', userId: null })

export class ScratchFile {
  private readonly path: string
  private readonly db: SqliteDatabase

  constructor(folder: string) {
    this.path = join(folder, `${scratchName('import')}.db`)
    try {
      this.db = new SqliteDatabase({ path: this.path, waitForLock: 'blocking', durable: false })
    } catch (error) {
      this.remove()
      throw error
    }
  }

  /** Adds data. Calls `written` for every batch. */
  async add(
    batches: Iterable<SampleBatch>,
    summaries: readonly SummaryRecord[],
    streams: readonly StreamRecord[],
    written: (batch: SampleBatch, outcome: BatchOutcome) => void,
  ): Promise<void> {
    await this.db.write(() => {
      for (const batch of batches)
        for (const outcome of this.db.drive(writeBatch(OWNER, batch))) written(batch, outcome)
      for (const summary of summaries) this.db.drive(writeSummary(OWNER, summary, 0))
      for (const stream of streams) this.putStream(stream)
    })
  }

  close(): void {
    this.db.close()
    this.remove()
  }

  private remove(): void {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${this.path}${suffix}`, { force: true })
  }

  /** Yields batches series by series. Each batch is in time order, without equal start times. */
  *batches(): Generator<SampleBatch> {
    for (const { id, key: series } of this.db.drive(everySeries(OWNER))) {
      let parts: SampleColumns[] = []
      let held = 0
      for (const chunk of this.readChunks(id)) {
        parts.push(chunk)
        held += chunk.n
        if (held < MERGE_SAMPLES) continue
        yield { series, ...joinColumns(parts) }
        parts = []
        held = 0
      }
      if (parts.length > 0) yield { series, ...joinColumns(parts) }
    }
  }

  /** Yields summaries in the order in which they were written. */
  *summaries(): Generator<SummaryRecord> {
    let last = 0
    for (;;) {
      const rows = this.db.all<SummaryTableRow & { readonly rowid: number }>(NEXT_SUMMARIES, last)
      if (rows.length === 0) return
      for (const row of rows) {
        last = row.rowid
        const verified = SUMMARIES.verified(row)
        const sound = isSteps(verified) ? this.db.drive(verified) : verified
        yield storedSummary(OWNER, sound.kind as SummaryKind, sound) // the column is only written by writeSummary
      }
    }
  }

  /**
   * Yields streams. The table for replaced data is otherwise unused here, so it stores the fields that have no column in a stream's row.
   */
  *streams(): Generator<StreamRecord> {
    let last = 0
    for (;;) {
      const row = this.db.get<{ rowid: number; data: Uint8Array; document: string }>(
        'SELECT rowid, data, document FROM import_before WHERE rowid>? ORDER BY rowid LIMIT 1',
        last,
      )
      if (!row) return
      last = row.rowid
      const rest = storedJson<Omit<StreamRecord, 'n' | 'time' | 'columns'>>(row.document, SCRATCH)
      const { data } = row
      yield { ...rest, ...decoding(() => decodeStream(data), SCRATCH) }
    }
  }

  private *readChunks(seriesId: number): Generator<SampleColumns> {
    const series = new SeriesChunks(OWNER, seriesId)
    for (let last = -8.64e15; ; ) {
      const chunks = this.db.drive(series.between(last + 1, Number.MAX_SAFE_INTEGER, 64))
      for (const { start, view } of chunks) {
        last = start
        yield buildColumns(view)
      }
      if (chunks.length === 0) return
    }
  }

  /** Stores a stream. A later stream of the same workout replaces it. */
  private putStream({ n, time, columns, ...rest }: StreamRecord): void {
    this.db.run(
      `INSERT INTO import_before (user_id, import_id, ord, kind, item, data, document) VALUES (?,?,1,'stream',?,?,?)
       ON CONFLICT (user_id, import_id, ord) DO UPDATE SET data=excluded.data, document=excluded.document`,
      OWNER,
      rest.workoutId,
      rest.workoutId,
      encodeStream({ n, time, columns }),
      JSON.stringify(rest),
    )
  }
}
