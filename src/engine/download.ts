/** The response of a download: bytes in one of two formats, with a file name. */

import type { BytesReply } from '../contract/kernel/operation.ts'
import { CSV, PARQUET } from '../contract/readings/download.ts'
import { ServiceError } from '../core/errors.ts'
import { TimeSlice } from '../core/time-slice.ts'

export type DownloadFormat = 'csv' | 'parquet'

/** `name` is the file name without its extension. It consists of letters, digits and underscores. */
export function download(
  name: string,
  format: DownloadFormat,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  signal: AbortSignal | undefined,
): BytesReply {
  return {
    kind: 'bytes',
    status: 200,
    headers: { 'content-disposition': `attachment; filename="${name}.${format}"` },
    mediaType: format === 'csv' ? CSV : PARQUET,
    bytes: inSlices(pieces, signal),
  }
}

/** Yields to the event loop between parts, because neither the store nor a fast reader would let other work run. */
async function* inSlices(
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const slice = new TimeSlice()
  for await (const piece of pieces) {
    if (slice.isOver) await slice.rest()
    if (signal?.aborted) throw new ServiceError('cancelled', 'Cancelled.')
    if (piece.length > 0) yield typeof piece === 'string' ? Buffer.from(piece) : piece
  }
}
