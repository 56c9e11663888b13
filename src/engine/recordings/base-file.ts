/** Unpacks a recording's initial state from its lines into a scratch file. */
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import { damagedLine } from './recording-lines.ts'

export class BaseFile {
  private readonly path: string
  private readonly sizeBytes: number
  private readonly gunzip: Gunzip = createGunzip()
  private readonly written: Promise<Error | null>

  /** `sizeBytes` is the size given in the recording's first line. Anything beyond it is not written. */
  constructor(path: string, sizeBytes: number) {
    this.path = path
    this.sizeBytes = sizeBytes
    this.written = pipeline(
      this.gunzip,
      bounded(sizeBytes),
      createWriteStream(path, { mode: 0o600, flags: 'wx' }),
    ).then(
      () => null,
      (error: Error) => error,
    )
  }

  async add(base64: string, at: number): Promise<void> {
    const bytes = Buffer.from(base64, 'base64')
    await new Promise<void>(resolve => {
      // report a failure at the end; this callback also runs after a failure
      this.gunzip.write(bytes, () => resolve())
    })
    if (this.gunzip.destroyed) throw await this.problem(at)
  }

  /** Completes the file. Throws ServiceError `invalid_file` if the file is incomplete. `at` is the number of its last line. */
  async finish(at: number): Promise<void> {
    if (!this.gunzip.destroyed) this.gunzip.end()
    const error = await this.written
    if (error !== null) throw await this.problem(at)
    if ((await stat(this.path)).size !== this.sizeBytes) throw damagedLine(at)
  }

  /** Discards a file that is no longer needed. */
  async abandon(): Promise<void> {
    this.gunzip.destroy()
    await this.written
  }

  private async problem(at: number): Promise<Error> {
    const error = await this.written
    const isSystems = error !== null && 'syscall' in error
    return isSystems ? (error as Error) : damagedLine(at)
  }
}

function bounded(most: number): Transform {
  let bytes = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      done(bytes > most ? new Error('larger than the head says') : null, piece)
    },
  })
}
