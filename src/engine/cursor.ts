/** Cursors of timeseries pages: opaque, signed, and bound to everything that the walk depends on (interface-gaps, timeseries page). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../core/errors.ts'
import type { EpochMs } from '../core/time.ts'
import type { SamplePosition } from '../store/port.ts'

/** What a cursor is bound to; a cursor of another walk is refused. */
export interface Walk {
  readonly teamId: string
  readonly userId: string
  readonly resource: string
  /** Provider filter, or empty. */
  readonly provider: string
  readonly from: EpochMs
  /** `open`: no end_date was given, and the end that the first page saw travels in the cursor. */
  readonly to: EpochMs | 'open'
}

export interface CursorState {
  readonly after: SamplePosition
  /** End of the range, fixed when the walk began. */
  readonly to: EpochMs
}

const VERSION = 1
const STATE_BYTES = 21
const MAC_BYTES = 16

export function sealCursor(key: Uint8Array, walk: Walk, state: CursorState): string {
  const bytes = Buffer.alloc(STATE_BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.writeDoubleBE(state.after.start, 1)
  bytes.writeUInt32BE(state.after.seriesId, 9)
  bytes.writeDoubleBE(state.to, 13)
  return Buffer.concat([bytes, macOf(key, walk, bytes)]).toString('base64url')
}

/** Throws 422 `invalid_cursor` for anything that was not sealed for this very walk. */
export function openCursor(key: Uint8Array, walk: Walk, cursor: string): CursorState {
  const bytes = Buffer.from(cursor, 'base64url')
  const state = bytes.subarray(0, STATE_BYTES)
  const mac = bytes.subarray(STATE_BYTES)
  const genuine =
    bytes.length === STATE_BYTES + MAC_BYTES && state[0] === VERSION && timingSafeEqual(mac, macOf(key, walk, state))
  if (!genuine) {
    const msg = 'was not issued for this user, resource, range and provider filter; start again without a cursor'
    throw invalid([{ loc: ['query', 'next_cursor'], msg, type: 'value_error' }], 'invalid_cursor')
  }
  return { after: { start: state.readDoubleBE(1), seriesId: state.readUInt32BE(9) }, to: state.readDoubleBE(13) }
}

function macOf(key: Uint8Array, walk: Walk, state: Buffer): Buffer {
  const bound = JSON.stringify(['cursor', walk.teamId, walk.userId, walk.resource, walk.provider, walk.from, walk.to])
  return createHmac('sha256', key).update(bound).update(state).digest().subarray(0, MAC_BYTES)
}
