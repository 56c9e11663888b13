/**
 * Remembers the columns of chunks that samples were merged into, because a device that sends samples one by one merges each into the same
 * chunk. The blob in the store determines whether a chunk is still the remembered one.
 */
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'

/** Maximum number of chunks, and of samples in each: together at most about 7 MB. */
const MOST_CHUNKS = 64
const MOST_SAMPLES = 4_096

interface Recent {
  readonly data: Uint8Array
  readonly columns: SampleColumns
}

const chunks = new Map<string, Recent>()

/** Remembers columns that nobody changes, and the blob into which they were packed. */
export function rememberColumns(userId: string, seriesId: number, start: EpochMs, recent: Recent): void {
  const name = nameOf(userId, seriesId, start)
  chunks.delete(name)
  // merging keeps texts in the dictionary even if no sample uses them any more, so it would grow
  if (recent.columns.n > MOST_SAMPLES || recent.columns.text.size > 0) return
  chunks.set(name, recent)
  const [oldest] = chunks.size > MOST_CHUNKS ? chunks.keys() : []
  if (oldest !== undefined) chunks.delete(oldest)
}

/** Returns the columns in a blob if they are remembered. */
export function rememberedColumns(
  userId: string,
  seriesId: number,
  start: EpochMs,
  data: Uint8Array,
): SampleColumns | undefined {
  const recent = chunks.get(nameOf(userId, seriesId, start))
  return recent && Buffer.compare(recent.data, data) === 0 ? recent.columns : undefined
}

function nameOf(userId: string, seriesId: number, start: EpochMs): string {
  return `${userId} ${seriesId} ${start}`
}
