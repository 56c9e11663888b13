/** A scratch file that an import fills at leisure, merged into the database in one short transaction (design 4). */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import { decodeChunk } from '../chunk/codec.ts'
import { joinColumns } from '../chunk/columns.ts'
import { scratchName } from '../data-folder.ts'
import type { Spool, WriteReport } from '../port.ts'
import { Connection } from './connection.ts'
import { type DataSource, ReportBuilder, type WriteContext, writeData } from './data-writer.ts'
import { type BatchOutcome, writeBatch } from './sample-writer.ts'
import { everySummary, writeSummary } from './summaries.ts'

/** Samples handed to a merge at once: bounds its memory. */
const MERGE_SAMPLES = 100_000
/** A scratch file holds one import of one user: who it is does not matter inside it. */
const OWNER = '00000000-0000-0000-0000-000000000000' as UserId

interface SeriesRow {
  readonly series_id: number
  readonly resource: string
  readonly type: string
  readonly provider: string
  readonly source_type: string
}

export class ScratchSpool implements Spool, DataSource {
  private readonly path: string
  private readonly scratch: Connection
  private readonly target: Connection
  /** What happened inside the file: doubles that were replaced or the same. */
  private readonly inside = new ReportBuilder()
  /** By series, then start: how many earlier values of the file were superseded by a different one. Doubles are rare. */
  private readonly superseded = new Map<string, Map<number, number>>()

  constructor(target: Connection, folder: string) {
    this.path = join(folder, `${scratchName('import')}.db`)
    this.target = target
    this.scratch = new Connection({ path: this.path, waitForLock: 'blocking', durable: false })
  }

  async add(batches: readonly SampleBatch[], summaries: readonly SummaryRecord[]): Promise<void> {
    await this.scratch.write(() => {
      for (const batch of batches) {
        if (batch.n === 0) continue
        const outcome = writeBatch(this.scratch, OWNER, batch)
        const { samples, replaced, unchanged } = outcome
        this.inside.addSamples(batch.series.resource, { samples, replaced, unchanged })
        const starts = [...outcome.supersededStarts, ...outcome.updated.start]
        if (starts.length > 0) this.remember(batch, starts)
      }
      for (const summary of summaries) writeSummary(this.scratch, OWNER, summary, 0)
    })
  }

  async merge(userId: UserId, context: Omit<WriteContext, 'consumeToken'>): Promise<WriteReport> {
    try {
      const outcome = await this.target.write(() =>
        writeData(this.target, userId, { ...context, consumeToken: null }, this),
      )
      if (outcome.kind !== 'written') throw new Error('a merge consumes no token')
      return outcome.report
    } finally {
      await this.discard()
    }
  }

  async discard(): Promise<void> {
    this.scratch.close()
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${this.path}${suffix}`, { force: true })
  }

  *batches(): Iterable<SampleBatch> {
    const series = this.scratch.all<SeriesRow>('SELECT * FROM series WHERE user_id=? ORDER BY series_id', OWNER)
    for (const row of series) {
      const key = {
        resource: row.resource,
        type: row.type === '' ? null : row.type,
        provider: row.provider,
        sourceType: row.source_type,
      }
      let last = Number.NEGATIVE_INFINITY
      for (;;) {
        const chunks = this.scratch.all<{ chunk_start: number; n: number; data: Uint8Array }>(
          'SELECT chunk_start, n, data FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>? ORDER BY chunk_start LIMIT 64',
          OWNER,
          row.series_id,
          Number.isFinite(last) ? last : -8.64e15,
        )
        if (chunks.length === 0) break
        last = (chunks.at(-1) as { chunk_start: number }).chunk_start
        let part: ReturnType<typeof decodeChunk>[] = []
        let held = 0
        for (const chunk of chunks) {
          part.push(decodeChunk(chunk.data))
          held += chunk.n
          if (held < MERGE_SAMPLES) continue
          yield { series: key, ...joinColumns(part) }
          part = []
          held = 0
        }
        if (part.length > 0) yield { series: key, ...joinColumns(part) }
      }
    }
  }

  summaries(): Iterable<SummaryRecord> {
    return everySummary(this.scratch, OWNER)
  }

  /** The report counts records of the file: doubles that the scratch file took in are added to what the merge saw. */
  written(batch: SampleBatch, outcome: BatchOutcome, report: ReportBuilder): void {
    const name = batch.series.resource
    const inside = this.inside.stored[name]
    if (inside) {
      const doubles = inside.replaced + inside.unchanged
      report.addSamples(name, { samples: doubles, replaced: inside.replaced, unchanged: inside.unchanged })
      delete this.inside.stored[name]
    }
    const superseded = this.superseded.get(JSON.stringify(batch.series))
    if (!superseded) return
    // a double whose last value was there before changed nothing: an import repeated reports no replacement
    let shifted = 0
    for (const start of outcome.unchangedStarts) shifted += superseded.get(start) ?? 0
    if (shifted > 0) report.addSamples(name, { samples: 0, replaced: -shifted, unchanged: shifted })
  }

  private remember(batch: SampleBatch, starts: readonly number[]): void {
    const key = JSON.stringify(batch.series)
    let counts = this.superseded.get(key)
    if (!counts) {
      counts = new Map()
      this.superseded.set(key, counts)
    }
    for (const start of starts) counts.set(start, (counts.get(start) ?? 0) + 1)
  }
}
