/** Creates audit entry IDs. They ascend, so that entries from the same millisecond keep their order. */
import { makeUuid } from '../../core/ids.ts'
import type { EngineContext } from '../context.ts'

const MOST_A_MILLISECOND = 0xfff
// global, because IDs must ascend across all engines in the process
let lastMs = 0
let count = 0

/** Returns a version 7 UUID that consists of the real time in milliseconds, a counter within the millisecond and random bits. */
export function entryId({ time, random }: Pick<EngineContext, 'time' | 'random'>): string {
  const ms = time.now()
  count = ms === lastMs ? Math.min(count + 1, MOST_A_MILLISECOND) : 0
  lastMs = ms
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(ms, 0, 6)
  bytes.writeUInt16BE(count, 6)
  bytes.set(random.bytes(8), 8)
  return makeUuid(bytes, 7)
}
