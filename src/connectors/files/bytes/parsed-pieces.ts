/** Feeds a file's pieces to a parser and passes on the items after each piece. */
import type { ServiceError } from '../../../core/errors.ts'
import type { ImportFile } from '../importer.ts'
import { filePieces } from './file-pieces.ts'

/** Parses a file's bytes in pieces. `take` returns the items completed so far, even after `write` or `end` threw an error. */
export interface PieceParser<T> {
  write(bytes: Uint8Array): void
  end(): void
  take(): readonly T[]
}

/** The items read from one piece, and the number of file bytes read. */
export interface Parsed<T> {
  readonly items: readonly T[]
  readonly bytesRead: number
}

/**
 * Reads a file. `parserOf` receives the file's first bytes; `emptyFile` returns the error for an empty file. Parser errors are thrown after
 * the items before the damage have been yielded.
 */
export async function* parsedPieces<T>(
  file: ImportFile,
  signal: AbortSignal | undefined,
  parserOf: (head: Uint8Array) => PieceParser<T>,
  emptyFile: () => ServiceError,
): AsyncGenerator<Parsed<T>> {
  let parser: PieceParser<T> | undefined
  let bytesRead = 0
  for await (const piece of filePieces(file, signal)) {
    parser ??= parserOf(piece.bytes)
    bytesRead = piece.bytesRead
    const failure = parseFailure(parser, piece.bytes)
    yield { items: parser.take(), bytesRead }
    if (failure !== undefined) throw failure
  }
  if (parser === undefined) throw emptyFile()
  const failure = parseFailure(parser, null)
  yield { items: parser.take(), bytesRead }
  if (failure !== undefined) throw failure
}

/** Returns the parser's error for a piece, or at the end of the file (null). */
function parseFailure(parser: PieceParser<unknown>, bytes: Uint8Array | null): unknown {
  try {
    if (bytes === null) parser.end()
    else parser.write(bytes)
    return undefined
  } catch (error) {
    return error
  }
}
