/**
 * Posts webhooks from the command line to the user's own handler, and reports the response and its duration, or the reason why there was no
 * response.
 */
import type { FailureKind } from '../../delivery/failure.ts'
import { askedBy } from '../../delivery/schedule.ts'
import { openSender, type Shipment } from '../../delivery/sender.ts'
import { refuseTarget } from '../../delivery/target.ts'

export interface WebhookPost {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Shipment['body']
  /** Cancels the post; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** The result of a post. */
export interface PostOutcome {
  /** The response status; null if there was no response, in which case `error` contains the reason. */
  readonly status: number | null
  readonly error: string | null
  readonly failure: FailureKind | null
  readonly ms: number
  /** The wait time that a 429 or 503 response requested. */
  readonly retryAfterMs: number | null
  /** The first 4 KiB of the response body. */
  readonly responseText: string
}

export interface WebhookPoster {
  post(request: WebhookPost): Promise<PostOutcome>
  close(): Promise<void>
}

/**
 * Sends posts with the sender of real deliveries, with the time limit `responseTimeoutMs`. Each post has its own connection, because a
 * handler may restart at any time. Throws ServiceError `usage` for a URL that webhooks cannot be sent to.
 */
export async function openPoster(
  text: string,
  options: { readonly allowPrivate: boolean; readonly responseTimeoutMs?: number },
): Promise<WebhookPoster> {
  // Loopback is allowed, because the user runs the command on this machine.
  const allowLoopback = true
  refuseTarget(text, { allowPrivate: options.allowPrivate, allowLoopback })
  const url = new URL(text)
  const sender = await openSender(options)
  let count = 0
  return {
    async post({ headers, body, signal }) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      const route = String(count++)
      const shipment = { route, url, allowLoopback, headers: Object.entries(headers).flat(), body: bytes }
      const attempt = await sender.send(shipment, signal)
      sender.forget(route)
      if (attempt === null) throw signal?.reason ?? new Error('the poster is closed')
      const { status, error, failure, ms, head } = attempt
      return {
        status,
        error: status === null ? error : null,
        failure,
        ms,
        retryAfterMs: askedBy(attempt, Date.now()),
        responseText: head?.().text ?? '',
      }
    },
    close: () => sender.close(),
  }
}
