/** Cursors of task histories: opaque, signed, and bound to team, user and query. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../../core/errors.ts'

/** Whose tasks of what a cursor walks through. */
export interface TaskWalk {
  readonly teamId: string
  readonly userId: string
  readonly queryId: string
}

const VERSION = 1
const STATE_BYTES = 9
const MAC_BYTES = 16

/** The cursor of the page behind the task of this number. */
export function sealTaskCursor(key: Uint8Array, walk: TaskWalk, number: number): string {
  const bytes = Buffer.alloc(STATE_BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.writeDoubleBE(number, 1)
  return Buffer.concat([bytes, macOf(key, walk, bytes)]).toString('base64url')
}

/** The number that was sealed. Throws 422 `invalid_cursor` for anything that was not sealed for this very walk. */
export function openTaskCursor(key: Uint8Array, walk: TaskWalk, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url')
  const state = bytes.subarray(0, STATE_BYTES)
  const genuine =
    bytes.length === STATE_BYTES + MAC_BYTES &&
    state[0] === VERSION &&
    timingSafeEqual(bytes.subarray(STATE_BYTES), macOf(key, walk, state))
  if (genuine) return state.readDoubleBE(1)
  const msg = 'was not issued for this user and continuous query; start again without a cursor'
  throw invalid([{ loc: ['query', 'next_cursor'], msg, type: 'value_error' }], 'invalid_cursor')
}

function macOf(key: Uint8Array, walk: TaskWalk, state: Buffer): Buffer {
  const bound = JSON.stringify(['task cursor', walk.teamId, walk.userId, walk.queryId])
  return createHmac('sha256', key).update(bound).update(state).digest().subarray(0, MAC_BYTES)
}
