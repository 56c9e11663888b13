/** Imports of export files: recognised, read as a stream, spooled, and merged as one unit: all or nothing. */
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileHead } from '../connectors/files/file-pieces.ts'
import type { Importer } from '../connectors/files/importer.ts'
import type { ByteSource } from '../contract/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { ownedId } from '../core/ids.ts'
import { randomUuid } from '../core/random.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import { dataFolderError, scratchName } from '../store/data-folder.ts'
import type { Spool, UserRecord, WriteReport } from '../store/port.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from './context.ts'
import { withinBounds } from './ingestion.ts'
import { activeUser } from './users.ts'

/** Samples held in memory before they go to the scratch file. */
const SPOOL_SAMPLES = 50_000
const OUTSIDE_BOUNDS = "outside the user's ingestion bounds"

export const createImport: Handler<'import.create'> = async (engine, { params, query, body }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const began = engine.time.now()
  const importId = ownedId(user.userId, 'import', randomUuid(engine.random))
  const file = await localFile(engine, body, call)
  try {
    const { HEAD_BYTES, importerFor } = await import('../connectors/files/formats.ts')
    const importer = importerFor(await fileHead(file.path, HEAD_BYTES), query.format)
    const { report, records, skipped } = await importFile(engine, call, user, importer, file.path)
    return ok({
      import_id: importId,
      format: importer.format,
      user_id: user.userId,
      records,
      stored: report.stored,
      summaries: report.summaries,
      skipped: [...skipped].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
      seconds: (engine.time.now() - began) / 1000,
    } as never)
  } finally {
    if (file.temporary) await rm(file.path, { force: true })
  }
}

interface Imported {
  readonly report: WriteReport
  readonly records: number
  readonly skipped: ReadonlyMap<string, number>
}

async function importFile(
  engine: EngineContext,
  call: TeamCall,
  user: UserRecord,
  importer: Importer,
  path: string,
): Promise<Imported> {
  const sizeBytes = (await stat(path)).size
  const skipped = new Map<string, number>()
  const skip = (reason: string, count: number): void => {
    if (count > 0) skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  }
  let records = 0
  const spool = await engine.store.openSpool()
  try {
    const buffer = new SpoolBuffer(spool, user, count => skip(OUTSIDE_BOUNDS, count))
    const items = importer.read(
      { path, sizeBytes },
      {
        userId: user.userId,
        timeZone: user.fallbackTimeZone?.value ?? null,
        now: call.now,
        signal: call.signal,
        onProgress: (doneBytes, seen) => call.onProgress?.({ doneBytes, totalBytes: sizeBytes, records: seen }),
      },
    )
    for await (const item of items) {
      if (item.kind === 'samples') await buffer.samples(item.batch)
      else if (item.kind === 'summary') await buffer.summary(item.summary)
      else if (item.kind === 'skipped') skip(item.reason, item.count)
      else records = item.records
    }
    await buffer.flush()
    call.signal?.throwIfAborted()
  } catch (error) {
    await spool.discard()
    if (call.signal?.aborted) throw new ServiceError('cancelled', 'Cancelled; nothing of the file was stored.')
    throw error
  }
  const report = await spool.merge(user.userId, {
    at: call.now,
    teamId: user.teamId,
    events: { kind: 'daily' },
    connections: [
      { userId: user.userId, provider: importer.provider, createdOn: call.now, externalUserId: null, region: null },
    ],
  })
  return { report, records, skipped }
}

/** Hands items on to the spool in transactions of a sensible size. */
class SpoolBuffer {
  private batches: SampleBatch[] = []
  private summaries: SummaryRecord[] = []
  private held = 0
  private readonly spool: Spool
  private readonly user: UserRecord
  private readonly dropped: (count: number) => void

  constructor(spool: Spool, user: UserRecord, dropped: (count: number) => void) {
    this.spool = spool
    this.user = user
    this.dropped = dropped
  }

  async samples(batch: SampleBatch): Promise<void> {
    this.batches.push(batch)
    this.held += batch.n
    if (this.held >= SPOOL_SAMPLES) await this.flush()
  }

  async summary(summary: SummaryRecord): Promise<void> {
    this.summaries.push(summary)
    this.held += 10
    if (this.held >= SPOOL_SAMPLES) await this.flush()
  }

  async flush(): Promise<void> {
    const kept = withinBounds(this.user, this.batches, this.summaries)
    this.dropped(kept.dropped)
    await this.spool.add(kept.batches, kept.summaries)
    this.batches = []
    this.summaries = []
    this.held = 0
  }
}

interface LocalFile {
  readonly path: string
  readonly temporary: boolean
}

/** A file as it is; a stream is written to a private file first, because a zip is read from its end. */
async function localFile(engine: EngineContext, source: ByteSource, call: TeamCall): Promise<LocalFile> {
  if (source.kind === 'file') return { path: source.path, temporary: false }
  const path = join(engine.scratchDir, scratchName('upload'))
  try {
    const target = createWriteStream(path, { mode: 0o600, flags: 'wx' })
    await pipeline(Readable.from(source.stream), target, call.signal ? { signal: call.signal } : {})
    return { path, temporary: true }
  } catch (error) {
    await rm(path, { force: true })
    if (call.signal?.aborted)
      throw new ServiceError('cancelled', 'The upload was cancelled; nothing was stored.', { cause: error })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw dataFolderError(engine.scratchDir, error)
    throw error
  }
}
