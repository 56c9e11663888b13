/** Seals and opens event list cursors. A cursor contains a position in the order of arrival, and is bound to the query. */
import type { EventPosition } from '../../store/event.ts'
import { seal, unseal } from '../sealed-cursor.ts'

const STATE_BYTES = 16

export function sealPosition(
  key: Uint8Array,
  pagination: readonly unknown[],
  { arrival, sequence }: EventPosition,
): string {
  const state = Buffer.alloc(STATE_BYTES)
  state.writeDoubleBE(arrival, 0)
  state.writeDoubleBE(sequence, 8)
  return seal(key, ['events', ...pagination], state)
}

/** Returns the position in a cursor. Throws 422 `invalid_cursor` for anything that was not sealed for exactly this list. */
export function openPosition(key: Uint8Array, pagination: readonly unknown[], cursor: string): EventPosition {
  const state = unseal(key, ['events', ...pagination], cursor, STATE_BYTES, 'list of events')
  return { arrival: state.readDoubleBE(0), sequence: state.readDoubleBE(8) }
}
