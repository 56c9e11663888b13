/** Where `svc listen` sends events, and with which headers: the same as those of a real delivery. */
import { parseSecret } from '../../delivery/signature.ts'
import { nowSeconds, webhookHeaders } from '../webhooks/webhook-headers.ts'
import { openPoster, type WebhookPoster } from '../webhooks/webhook-post.ts'
import type { HeardEvent } from './heard-event.ts'

interface TargetOptions {
  readonly secret: () => string
  readonly headerPrefix: string | null
  readonly allowPrivate: boolean
  /** Of svc. */
  readonly version: string
}

export interface ForwardTarget {
  /** The URL as it may be shown: what follows a question mark may be a token. */
  readonly shown: string
  readonly poster: WebhookPoster
  readonly headers: (event: HeardEvent['event'], body: string) => Record<string, string>
}

/**
 * Null where no URL is given. Throws ServiceError `usage` for one that webhooks do not go to, and for a secret of the wrong form.
 */
export async function openTarget(url: string | undefined, options: TargetOptions): Promise<ForwardTarget | null> {
  if (url === undefined) return null
  const keys = [parseSecret(options.secret())]
  const poster = await openPoster(url, { allowPrivate: options.allowPrivate })
  const { origin, pathname } = new URL(url)
  return {
    shown: origin + pathname,
    poster,
    headers: ({ event_id, sequence }, body) =>
      webhookHeaders(
        { id: event_id, sequence, timestamp: nowSeconds(), body },
        { keys, headerPrefix: options.headerPrefix, version: options.version },
      ),
  }
}
