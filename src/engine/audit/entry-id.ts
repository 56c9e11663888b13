/** Ids of audit entries: they ascend, so that entries of one millisecond keep their order. */
import { uuidOf } from '../../core/ids.ts'
import type { EngineContext } from '../context.ts'

const MOST_A_MILLISECOND = 0xfff
let lastMs = 0
let count = 0

/** A uuid of version 7: real milliseconds, a count within one of them, and chance. */
export function entryId({ time, random }: Pick<EngineContext, 'time' | 'random'>): string {
  const ms = time.now()
  count = ms === lastMs ? Math.min(count + 1, MOST_A_MILLISECOND) : 0
  lastMs = ms
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(ms, 0, 6)
  bytes.writeUInt16BE(count, 6)
  bytes.set(random.bytes(8), 8)
  return uuidOf(bytes, 7)
}
