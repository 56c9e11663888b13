/** Whether a connection works: only then is anything pulled. */
import type { LiveKey } from '../../live/connections.ts'
import { CONNECTIONS } from '../rows/tables.ts'
import { one, type Steps } from '../steps.ts'

const FIND_CONNECTION = CONNECTIONS.query('WHERE user_id=? AND provider=?')

export function* isConnected({ userId, provider }: LiveKey): Steps<boolean> {
  return (yield* one(FIND_CONNECTION, [userId, provider]))?.status === 'connected'
}
