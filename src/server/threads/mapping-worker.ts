/** The thread's side of mapping: runs connectors' pulls, whose requests the other side sends. */
import type { MessagePort } from 'node:worker_threads'
import type { Connector, PulledPage, PullRequest } from '../../connectors/connector.ts'
import {
  type ProviderApp,
  ProviderError,
  type ProviderErrorDetails,
  type ProviderErrorKind,
  type ProviderRequest,
  type ProviderResponse,
  type TokenSession,
} from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'
import type { ResponseParts } from '../../engine/live/responses/response.ts'
import { lowerPriority } from './thread-priority.ts'

/** A request as plain data. */
export interface PostedRequest extends Omit<ProviderRequest, 'url' | 'form'> {
  readonly url: string
  readonly form?: readonly (readonly [string, string])[]
}

/** A ProviderError as plain data; null for any other error, which stays on the other side. */
export type PostedFailure =
  | (Pick<ProviderErrorDetails, 'status' | 'retryAfterMs'> & {
      readonly kind: ProviderErrorKind
      readonly message: string
    })
  | null

/** Messages to the thread. */
export type ToMapping =
  | {
      readonly kind: 'pull'
      readonly id: number
      readonly provider: string
      readonly app: ProviderApp
      readonly tokenSet: TokenSet
      readonly pullRequest: PullRequest
    }
  | { readonly kind: 'next'; readonly id: number }
  | { readonly kind: 'end'; readonly id: number }
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly n: number
      readonly parts: ResponseParts
      readonly tokenSet: TokenSet
    }
  | { readonly kind: 'failed'; readonly id: number; readonly n: number; readonly failure: PostedFailure }

/** Messages from the thread. */
export type FromMapping =
  | { readonly kind: 'send'; readonly id: number; readonly n: number; readonly request: PostedRequest }
  /** `page` is null after the last page. */
  | { readonly kind: 'page'; readonly id: number; readonly page: PulledPage | null }
  /** `request` is the number of the failed request, or null. */
  | { readonly kind: 'threw'; readonly id: number; readonly request: number | null; readonly failure: PostedFailure }

/** Positions in the shared memory. The other side reads from it which pull a thread was working on when it ended. */
export const BUSY = { isBusy: 0, pull: 1, turn: 2, length: 3 } as const

interface Waiting {
  resolve(response: ProviderResponse): void
  reject(error: unknown): void
}

/** A pull in the thread. */
interface RunningPull {
  readonly pages: Promise<AsyncIterator<PulledPage>>
  readonly requests: Map<number, Waiting>
  tokenSet: TokenSet
}

/** Handles the port's messages until it closes. */
export function serveMapping(port: MessagePort, shared: SharedArrayBuffer, loadConnector = loadLiveConnector): void {
  lowerPriority()
  const busy = new Int32Array(shared)
  const pulls = new Map<number, RunningPull>()
  /** Numbers of failed requests, by the error that the connector received. */
  const passed = new WeakMap<object, number>()
  const post = (message: FromMapping): void => port.postMessage(message)
  let requests = 0

  const sessionOf = (id: number, app: ProviderApp): TokenSession => ({
    app,
    get tokenSet() {
      return running(id).tokenSet
    },
    signal: undefined,
    now: () => Date.now(),
    send: request =>
      new Promise((resolve, reject) => {
        const n = ++requests
        running(id).requests.set(n, { resolve, reject })
        post({ kind: 'send', id, n, request: posted(request) })
      }),
  })
  const running = (id: number): RunningPull => {
    const found = pulls.get(id)
    if (found === undefined) throw new Error('a pull that has ended')
    return found
  }
  const begin = ({ id, provider, app, tokenSet, pullRequest }: ToMapping & { readonly kind: 'pull' }): void => {
    const pages = loadConnector(provider).then(found =>
      found.pull(sessionOf(id, app), pullRequest)[Symbol.asyncIterator](),
    )
    pages.catch(() => {})
    pulls.set(id, { pages, requests: new Map(), tokenSet })
  }
  const next = async (id: number): Promise<void> => {
    try {
      const { done, value } = await (await running(id).pages).next()
      post({ kind: 'page', id, page: done ? null : value })
    } catch (error) {
      const request = (typeof error === 'object' && error !== null && passed.get(error)) || null
      post({ kind: 'threw', id, request, failure: toPostedFailure(error) })
    }
  }
  port.on('message', (message: ToMapping) => {
    const { id } = message
    // everything until the event loop's next tick is work on this pull
    Atomics.store(busy, BUSY.pull, id)
    Atomics.add(busy, BUSY.turn, 1)
    Atomics.store(busy, BUSY.isBusy, 1)
    setImmediate(() => Atomics.store(busy, BUSY.isBusy, 0))
    if (message.kind === 'pull') return begin(message)
    const pull = pulls.get(id)
    if (pull === undefined) return
    if (message.kind === 'next') void next(id)
    else if (message.kind === 'end') {
      pulls.delete(id)
    } else {
      const waiting = pull.requests.get(message.n)
      pull.requests.delete(message.n)
      if (message.kind === 'answer') {
        pull.tokenSet = message.tokenSet
        void openResponse(message.parts).then(waiting?.resolve)
      } else {
        const { failure } = message
        const error = failure ? new ProviderError(failure.kind, failure.message, failure) : new Error('not sent')
        passed.set(error, message.n)
        waiting?.reject(error)
      }
    }
  })
}

async function loadLiveConnector(provider: string): Promise<Pick<Connector, 'pull'>> {
  const { liveConnector } = await import('../../connectors/live/live-connectors.ts')
  const connector = await liveConnector(provider)
  if (!connector) throw new Error(`no live connector of ${provider}`)
  return connector
}

async function openResponse(parts: ResponseParts): Promise<ProviderResponse> {
  const { ReceivedResponse } = await import('../../engine/live/responses/response.ts')
  return new ReceivedResponse(parts)
}

function posted({ url, form, ...request }: ProviderRequest): PostedRequest {
  const fields = form && [...new URLSearchParams(form)].map(([name, value]) => [name, value] as const)
  return { ...request, url: url.href, ...(fields && { form: fields }) }
}

/** Returns a failure as plain data. */
export function toPostedFailure(error: unknown): PostedFailure {
  if (!(error instanceof ProviderError)) return null
  const { kind, message, status, retryAfterMs } = error
  return { kind, message, status, retryAfterMs }
}
