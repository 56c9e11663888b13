/** Seals and opens cursors for task histories. A cursor is bound to a team, a user and a query. */
import { seal, unseal } from '../sealed-cursor.ts'

/** The user and query whose tasks a cursor lists. */
export interface TaskPagination {
  readonly teamId: string
  readonly userId: string
  readonly queryId: string
}

const STATE_BYTES = 8

/** Returns the cursor of the page that follows the task with this number. */
export function sealTaskCursor(key: Uint8Array, pagination: TaskPagination, number: number): string {
  const state = Buffer.alloc(STATE_BYTES)
  state.writeDoubleBE(number, 0)
  return seal(key, boundTo(pagination), state)
}

/** Returns the number in a cursor. Throws 422 `invalid_cursor` for anything that was not sealed for exactly this list. */
export function openTaskCursor(key: Uint8Array, pagination: TaskPagination, cursor: string): number {
  return unseal(key, boundTo(pagination), cursor, STATE_BYTES, 'user and continuous query').readDoubleBE(0)
}

const boundTo = ({ teamId, userId, queryId }: TaskPagination) => ['task cursor', teamId, userId, queryId]
