/** Reads a text file's lines, a few at a time, and limits their length. */
import { ServiceError } from '../../../core/errors.ts'
import type { ImportFile } from '../importer.ts'
import { filePieces } from './file-pieces.ts'

const LINE_FEED = 0x0a

export interface Lines {
  /** Lines without line feeds, valid until the next lines are requested. A file's last line may lack a line feed. */
  readonly lines: readonly Buffer[]
  /** Number of the first of these lines, counted from 1. */
  readonly first: number
  /** Number of bytes of the file that have been read. */
  readonly bytesRead: number
}

/** Yields a file's lines. Throws ServiceError `invalid_file` for a line that is too long, and the errors of `filePieces`. */
export async function* fileLines(
  file: ImportFile,
  limits: { readonly lineBytes: number },
  signal: AbortSignal | undefined,
): AsyncGenerator<Lines> {
  /** The start of a line whose end has not yet been read. */
  let begun: Buffer[] = []
  let begunBytes = 0
  let first = 1
  let end = 0
  for await (const { bytes, bytesRead } of filePieces(file, signal)) {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const lines: Buffer[] = []
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const line = piece.subarray(from, at)
      lines.push(begun.length === 0 ? line : Buffer.concat([...begun, line]))
      begun = []
      begunBytes = 0
      from = at + 1
    }
    end = bytesRead
    if (lines.length > 0) yield { lines, first, bytesRead }
    first += lines.length
    if (from === piece.length) continue
    begunBytes += piece.length - from
    if (begunBytes > limits.lineBytes) {
      const most = `${limits.lineBytes / 1024 / 1024} MiB`
      throw new ServiceError(
        'invalid_file',
        `Line ${first} of the file is longer than ${most}, which is the limit. Check that every record is on its own line.`,
      )
    }
    // the next piece overwrites this one
    begun.push(Buffer.from(piece.subarray(from)))
  }
  if (begun.length > 0) yield { lines: [Buffer.concat(begun)], first, bytesRead: end }
}
