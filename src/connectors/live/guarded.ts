/** Converts every error that a connector throws into a provider failure, so that an unreadable response does not stop other work. */
import type { NotificationReader, SubscriptionCalls } from '../notifications.ts'
import { type AppSession, ProviderError, type ProviderRequest } from '../provider-session.ts'
import type { LiveConnector } from './live-connector.ts'
import { MOST_REQUESTS } from './response-limits.ts'

/** Errors from sessions: request and store failures, and abort reasons of signals. */
const passed = new WeakSet<object>()

/** Returns a connector that throws only ProviderError and errors from its session. */
export function guardConnector(connector: LiveConnector): LiveConnector {
  const { provider, notifications } = connector
  const failure = (error: unknown): unknown => {
    if (isFailure(error)) return error
    // the message may quote the response
    const name = error instanceof Error ? error.name : typeof error
    return new ProviderError('bad_answer', `${provider} sent a response that cannot be read (${name}).`, {
      cause: error,
    })
  }
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw failure(error)
    }
  }
  const read = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw failure(error)
    }
  }
  return {
    ...connector,
    notifications: notifications && guardedReader(notifications, call),
    exchange: (session, granted) => call(() => connector.exchange(watched(session), granted)),
    refresh: (session, tokenSet) => call(() => connector.refresh(watched(session), tokenSet)),
    revoke: session => call(() => connector.revoke(watched(session))),
    profile: session => call(() => connector.profile(watched(session))),
    async *pull(session, asked) {
      try {
        yield* connector.pull(watched(session), asked)
      } catch (error) {
        throw failure(error)
      }
    },
    failureIn: (response, purpose) => read(() => connector.failureIn(response, purpose)),
    retryAfterMs: response => read(() => connector.retryAfterMs(response)),
  }
}

/** Returns whether a connector may throw an error. */
function isFailure(error: unknown): boolean {
  return error instanceof ProviderError || (typeof error === 'object' && error !== null && passed.has(error))
}

type Call = <T>(run: () => Promise<T>) => Promise<T>

function guardedReader(reader: NotificationReader, call: Call): NotificationReader {
  const { subscriptions } = reader
  return {
    ...reader,
    async receive(session, incoming, secrets) {
      try {
        return await reader.receive(watched(session), incoming, secrets)
      } catch (error) {
        if (isFailure(error)) throw error
        return { kind: 'refused', status: 400, reason: 'its body cannot be read' }
      }
    },
    subscriptions: subscriptions && guardedCalls(subscriptions, call),
  }
}

function guardedCalls(calls: SubscriptionCalls, call: Call): SubscriptionCalls {
  const { renew, removeAll } = calls
  return {
    ...calls,
    subscribe: (session, asked) => call(() => calls.subscribe(watched(session), asked)),
    ...(renew && { renew: (session, ...rest) => call(() => renew.call(calls, watched(session), ...rest)) }),
    remove: (session, ...rest) => call(() => calls.remove(watched(session), ...rest)),
    ...(removeAll && { removeAll: (session, isOurs) => call(() => removeAll.call(calls, watched(session), isOurs)) }),
  }
}

/** Returns a session that remembers its errors and limits the number of requests per window. */
function watched<Session extends AppSession>(session: Session): Session {
  let sent = 0
  const send = async (request: ProviderRequest) => {
    try {
      if (++sent > MOST_REQUESTS) {
        throw new ProviderError('bad_answer', `One window took more than ${MOST_REQUESTS} requests.`)
      }
      return await session.send(request)
    } catch (error) {
      if (typeof error === 'object' && error !== null) passed.add(error)
      throw error
    }
  }
  // everything else comes from the session, including a changed token set
  return Object.create(session, { send: { value: send } }) as Session
}
