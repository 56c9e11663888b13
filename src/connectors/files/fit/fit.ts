/** Importer for FIT files, which sports watches, bike computers, scales and apps write. */
import { ServiceError } from '../../../core/errors.ts'
import { TimeSlice } from '../../../core/time-slice.ts'
import { POINT_SAMPLES } from '../activity/activity.ts'
import { checkCancelled, filePieces } from '../bytes/file-pieces.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { recordImporter } from '../records/import.ts'
import { kindsOfRules } from '../records/kinds.ts'
import { FitContent } from './content.ts'
import { MEASURED } from './measures.ts'
import { COUNTED } from './monitoring.ts'
import { fitFiles, isFit } from './reader.ts'

/** Maximum file size. A watch's day is less than 1 MiB; the longest activity is about 50 MiB. */
const MAX_BYTES = 256 * 1_048_576
/**
 * Number of messages between two checks of the clock. `MESSAGES_HELD` is the number of messages after which complete items are passed on.
 */
const MESSAGES_A_LOOK = 64
const MESSAGES_HELD = 10_000

/** The importer. Several concatenated FIT files are read as one. See docs/import.md for the mapping of messages. */
export const fit = recordImporter({
  format: 'fit',
  title: 'FIT file of a sports watch, bike computer or scale',
  kinds: kindsOfRules([...MEASURED, ...[...COUNTED, ...POINT_SAMPLES].map(resource => ({ resource }))], ['interval']),
  recognizes: isFit,
  async *steps(file, context, importing) {
    const bytes = await wholeFile(file, context)
    const slice = new TimeSlice()
    for (const messages of fitFiles(bytes)) {
      const content = new FitContent(importing)
      let taken = 0
      try {
        for (const message of messages) {
          content.take(message)
          if (++taken % MESSAGES_A_LOOK > 0) continue
          if (slice.isOver) {
            await slice.rest()
            checkCancelled(context.signal)
          }
          if (taken < MESSAGES_HELD) continue
          taken = 0
          content.settle()
          yield message.at
        }
      } catch (error) {
        // items before the damage can be kept
        content.finish()
        throw error
      }
      content.finish()
    }
    yield file.sizeBytes
  },
})

async function wholeFile(file: ImportFile, context: ImportContext): Promise<Uint8Array> {
  if (file.sizeBytes === 0)
    throw new ServiceError(
      'invalid_file',
      'The file is empty, so it is not a FIT file. Copy the file from the device again.',
    )
  if (file.sizeBytes > MAX_BYTES) {
    throw new ServiceError('invalid_file', 'The FIT file is larger than 256 MiB, which is the limit.', {
      suggestions: ['Split the file and import its parts one by one.'],
    })
  }
  const bytes = Buffer.allocUnsafe(file.sizeBytes)
  let length = 0
  for await (const piece of filePieces(file, context.signal)) {
    const part = piece.bytes.subarray(0, bytes.length - length)
    bytes.set(part, length)
    length += part.length
    if (length === bytes.length) break
  }
  return bytes.subarray(0, length)
}
