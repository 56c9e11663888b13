/**
 * Replays a recording in a separate store in a scratch file. This store replaces the empty one once the whole replay has succeeded. Partial
 * results are never visible, and an interrupted replay leaves the store unchanged.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeadLine } from '../../contract/engine/recording.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatInstant, parseDateTime, toInstant } from '../../core/time.ts'
import { dataFolderError, scratchName } from '../../store/folder/data-folder.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { BaseFile } from './base-file.ts'
import { keptUpload } from './recorded-input.ts'
import { damagedLine, type RecordingLine, recordingLines } from './recording-lines.ts'
import { ReplayedStore } from './replayed-store.ts'

type Report = ReplyBody<Operations['recording.replay']>

export const replayRecording: Handler<'recording.replay'> = async (engine, { body }, call) => {
  await refuseData(engine)
  const scratch = join(engine.scratchDir, scratchName('copy'))
  const received = body.kind === 'file' ? null : await keptUpload(body, engine.scratchDir, call.signal)
  const path = received?.path ?? (body.kind === 'file' ? body.path : '')
  const replay = new Replay(engine, call, scratch)
  try {
    return ok<Report>(await replay.run(path))
  } catch (error) {
    if (call.signal?.aborted) throw new ServiceError('cancelled', 'Cancelled: nothing was changed.', { cause: error })
    if (isDiskFull(error)) throw dataFolderError(engine.scratchDir, error)
    throw error
  } finally {
    await replay.end()
    await received?.remove()
    await rm(scratch, { force: true })
  }
}

/** Throws 409 if the store contains data, because a recording reproduces a store's whole state. */
async function refuseData({ store }: EngineContext): Promise<void> {
  const { users, deletedUsers, continuousQueries } = await store.upkeep.statistics()
  if (users + deletedUsers + continuousQueries === 0) return
  throw new ServiceError('conflict', 'The store is not empty, and a recording can only be replayed on an empty one.', {
    suggestions: [
      'Empty it with `svc engine reset`, or choose another folder with --data-dir.',
      'To keep the current data, save it first with `svc engine snapshot save`.',
    ],
  })
}

/** The replay of one file, from its first line to its last. */
class Replay {
  private readonly engine: EngineContext
  private readonly call: TeamCall
  /** Path of the scratch file that contains the separate store. */
  private readonly scratch: string
  private head: HeadLine | null = null
  private base: BaseFile | null = null
  private store: ReplayedStore | null = null
  private last: Extract<RecordingLine, { readonly end: unknown }>['end'] | null = null
  private at = 1

  constructor(engine: EngineContext, call: TeamCall, scratch: string) {
    this.engine = engine
    this.call = call
    this.scratch = scratch
  }

  async run(path: string): Promise<Report> {
    const { signal, onProgress } = this.call
    const { size: totalBytes } = await stat(path)
    for await (const { at, line, bytesRead } of recordingLines({ path, sizeBytes: totalBytes }, signal)) {
      if ('head' in line) {
        this.head = line.head
        this.base = new BaseFile(this.scratch, line.head.base_bytes)
      } else await this.take(line, at)
      this.at = at
      onProgress?.({ phase: 'reading', doneBytes: bytesRead, totalBytes, records: this.store?.counts.entries ?? 0 })
    }
    return this.adopt(await this.begun())
  }

  /** Closes everything that is still open. */
  async end(): Promise<void> {
    await this.base?.abandon()
    await this.store?.close()
  }

  private async take(line: RecordingLine, at: number): Promise<void> {
    if ('base' in line) {
      if (this.base === null) throw damagedLine(at, 'is in the wrong place')
      return this.base.add(line.base, at)
    }
    const store = await this.begun()
    if (this.last !== null) throw damagedLine(at, 'comes after the end of the recording')
    if ('end' in line) this.last = line.end
    else await store.take(line, at)
  }

  /** Returns the separate store once the recording's initial state is complete. */
  private async begun(): Promise<ReplayedStore> {
    if (this.store !== null) return this.store
    if (this.base === null || this.head === null) throw damagedLine(this.at)
    await this.base.finish(this.at)
    this.base = null
    this.store = new ReplayedStore(this.engine, this.call, this.scratch, this.head)
    return this.store
  }

  private async adopt(store: ReplayedStore): Promise<Report> {
    const end = this.last && parseDateTime(this.last.at)
    if (end === undefined) throw damagedLine(this.at)
    if (this.last !== null && this.last.entries !== store.last)
      throw damagedLine(this.at, 'does not have the right number of entries')
    const now = await store.finish(end && toInstant(end))
    await store.close()
    this.store = null
    const { entries, calls, dueWork } = store.counts
    this.call.onProgress?.({ phase: 'storing', doneBytes: 0, totalBytes: 0, records: entries })
    const replaced = await this.engine.store.recordings.adopt(this.scratch, this.call.signal)
    return {
      recording_id: (this.head as HeadLine).recording_id,
      entries,
      calls,
      due_work: dueWork,
      users: replaced.usersAfter,
      clock: formatInstant(now),
      complete: this.last !== null,
    }
  }
}
