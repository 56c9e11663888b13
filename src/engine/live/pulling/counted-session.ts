/**
 * Counts a collection's requests, because a provider could otherwise cause an endless series of requests, for example with windows that are
 * never empty.
 */
import { MOST_REQUESTS_A_DAY } from '../../../connectors/live/response-limits.ts'
import { ProviderError, type TokenSession } from '../../../connectors/provider-session.ts'
import { DAY_MS } from '../../../core/time.ts'
import type { LivePerson } from './live-person.ts'

/**
 * Returns a person's session that counts its requests in a collection's progress. Throws ProviderError `bad_answer` when a collection
 * exceeds its number of requests in 24 hours.
 */
export function countedSession(session: TokenSession, { progress }: LivePerson, collection: string): TokenSession {
  const send: TokenSession['send'] = async request => {
    const before = progress.get(collection)
    if (before) {
      const now = session.now()
      const { since, count } = before.requests ?? { since: now, count: 0 }
      const isOver = now - since >= DAY_MS || now < since
      if (!isOver && count >= MOST_REQUESTS_A_DAY) {
        throw new ProviderError('bad_answer', `It took more than ${MOST_REQUESTS_A_DAY} requests in 24 hours.`)
      }
      progress.set(collection, { ...before, requests: isOver ? { since: now, count: 1 } : { since, count: count + 1 } })
    }
    return session.send(request)
  }
  // inherit everything else from the session, including a token set that changes
  return Object.create(session, { send: { value: send } }) as TokenSession
}
