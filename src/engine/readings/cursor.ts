/**
 * Seals and opens timeseries cursors. A cursor is bound to all parameters of the pagination. See docs/interface/timeseries.md#timeseries-9.
 */
import type { EpochMs } from '../../core/time.ts'
import type { SamplePosition } from '../../store/sample.ts'
import { seal, unseal } from '../sealed-cursor.ts'

/** Parameters to which a cursor is bound. A cursor for other parameters is refused. */
export interface SampleTraversal {
  readonly teamId: string
  readonly userId: string
  readonly resource: string
  /** Provider filter, or an empty text. */
  readonly provider: string
  readonly from: EpochMs
  /** `open` if no end_date was given. In that case, the cursor contains the end that was used for the first page. */
  readonly to: EpochMs | 'open'
}

export interface CursorState {
  readonly after: SamplePosition
  /** End of the range, which stays fixed during the pagination. */
  readonly to: EpochMs
}

const STATE_BYTES = 20

export function sealCursor(key: Uint8Array, pagination: SampleTraversal, { after, to }: CursorState): string {
  const state = Buffer.alloc(STATE_BYTES)
  state.writeDoubleBE(after.start, 0)
  state.writeUInt32BE(after.seriesId, 8)
  state.writeDoubleBE(to, 12)
  return seal(key, boundTo(pagination), state)
}

/** Returns the state in a cursor. Throws 422 `invalid_cursor` for anything that was not sealed for exactly this pagination. */
export function openCursor(key: Uint8Array, pagination: SampleTraversal, cursor: string): CursorState {
  const state = unseal(key, boundTo(pagination), cursor, STATE_BYTES, 'user, resource, range and provider filter')
  return { after: { start: state.readDoubleBE(0), seriesId: state.readUInt32BE(8) }, to: state.readDoubleBE(12) }
}

const boundTo = ({ teamId, userId, resource, provider, from, to }: SampleTraversal) => [
  'cursor',
  teamId,
  userId,
  resource,
  provider,
  from,
  to,
]
