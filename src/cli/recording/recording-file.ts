/** A recording file. It is private, never replaces another file, and contains only complete entries. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull } from '../../core/disk-full.ts'
import { ServiceError } from '../../core/errors.ts'
import { syncFolder } from '../../core/synced-file.ts'
import { isObject, tryParseJson } from '../runtime/json-text.ts'

const LINE_FEED = 0x0a
/** Approximate size of a single write. */
const WRITE_BYTES = 1 << 20

export class RecordingFile {
  /** Number of the last complete entry in the file. */
  entry = 0
  /** Size of the file up to the end of that entry. */
  bytes = 0
  private readonly path: string
  private readonly handle: FileHandle
  private written = 0
  /** Number of upload lines still missing from the last entry. */
  private missing = 0
  /** Number of the entry that is being written. */
  private next = 0
  private held: Uint8Array[] = []
  private heldBytes = 0

  private constructor(path: string, handle: FileHandle) {
    this.path = path
    this.handle = handle
  }

  /** Throws ServiceError `conflict` if the file exists, and `usage` if it cannot be created. */
  static async create(path: string): Promise<RecordingFile> {
    return new RecordingFile(path, await attempt(path, () => open(path, 'wx', 0o600)))
  }

  /** Writes the head of a recording unchanged, and returns its first line. */
  async addHead(pieces: AsyncIterable<Uint8Array>): Promise<string> {
    let first = ''
    for await (const line of wholeLines(pieces)) {
      first ||= Buffer.from(line).toString('utf8')
      await this.hold(line)
    }
    await this.settle()
    return first
  }

  /** Writes entries, and drops an entry if some of its lines are missing. Returns the number of entries written. */
  async addEntries(pieces: AsyncIterable<Uint8Array>): Promise<number> {
    const before = this.entry
    try {
      for await (const line of wholeLines(pieces)) {
        await this.hold(line)
        if (this.missing > 0) this.missing--
        else this.begin(line)
        if (this.missing > 0) continue
        await this.settle()
      }
    } finally {
      if (this.written > this.bytes || this.heldBytes > 0) await this.goBack()
    }
    return this.entry - before
  }

  /** Writes the last line and flushes the file to disk. */
  async end(line: object): Promise<void> {
    await this.hold(Buffer.from(`${JSON.stringify(line)}\n`))
    await this.settle()
    await attempt(this.path, async () => {
      await this.handle.sync()
      syncFolder(path.dirname(this.path))
    })
  }

  async close(): Promise<void> {
    await this.handle.close()
  }

  /** Removes the file if nothing was recorded. */
  async remove(): Promise<void> {
    await this.handle.close()
    await rm(this.path, { force: true })
  }

  private begin(line: Uint8Array): void {
    const entry = tryParseJson(Buffer.from(line).toString('utf8'))
    if (!isObject(entry) || typeof entry['number'] !== 'number')
      throw new ServiceError('bad_response', 'The response contains a line that is not a recording entry.')
    this.next = entry['number']
    this.missing = typeof entry['pieces'] === 'number' ? entry['pieces'] : 0
  }

  private async hold(line: Uint8Array): Promise<void> {
    this.held.push(line)
    this.heldBytes += line.length
    if (this.heldBytes >= WRITE_BYTES) await this.write()
  }

  /** Marks everything written so far as complete. */
  private async settle(): Promise<void> {
    await this.write()
    this.bytes = this.written
    this.entry = this.next
  }

  private async write(): Promise<void> {
    if (this.heldBytes === 0) return
    const bytes = Buffer.concat(this.held)
    this.held = []
    this.heldBytes = 0
    await attempt(this.path, async () => {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await this.handle.write(bytes, from, bytes.length - from, this.written)
        from += bytesWritten
        this.written += bytesWritten
      }
    })
  }

  private async goBack(): Promise<void> {
    this.held = []
    this.heldBytes = 0
    this.missing = 0
    this.written = this.bytes
    await this.handle.truncate(this.bytes)
  }
}

/** Yields the lines of a response with their line feeds. Throws ServiceError `bad_response` if the last line does not have one. */
async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = []
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const line = piece.subarray(from, at + 1)
      yield begun.length === 0 ? line : Buffer.concat([...begun, line])
      begun = []
      from = at + 1
    }
    if (from < piece.length) begun.push(piece.subarray(from))
  }
  if (begun.length > 0) throw new ServiceError('bad_response', 'The response ends in the middle of a line.')
}

async function attempt<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (isDiskFull(cause)) {
      throw new ServiceError('disk_full', `The disk is full. ${path} contains everything recorded until then.`, {
        cause,
      })
    }
    if (code === 'EEXIST') {
      throw new ServiceError('conflict', `The file ${path} already exists.`, { suggestions: ['Choose another file.'] })
    }
    throw new ServiceError('usage', `The file ${path} cannot be written (${code ?? 'unknown'}).`, {
      suggestions: ['Check that its folder exists and can be written to.'],
      cause,
    })
  }
}
