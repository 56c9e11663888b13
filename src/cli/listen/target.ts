/** The target of `svc listen`, and its headers, which are the same as in a real delivery. */
import type { RealTime } from '../../core/clock.ts'
import { parseSecret } from '../../delivery/signature.ts'
import { headersByName, timestampAt } from '../../delivery/webhook-headers.ts'
import { openPoster, type WebhookPoster } from '../webhooks/webhook-post.ts'
import type { HeardEvent } from './heard-event.ts'

interface TargetOptions {
  readonly secret: () => string
  readonly headerPrefix: string | null
  readonly allowPrivate: boolean
  /** svc version. */
  readonly version: string
  readonly time: RealTime
}

export interface ForwardTarget {
  /** The URL without its query, which may contain a token. */
  readonly shown: string
  readonly poster: WebhookPoster
  readonly headers: (event: HeardEvent['event'], body: string) => Record<string, string>
}

/** Returns null when no URL is given. Throws ServiceError `usage` for a URL that webhooks cannot be sent to, and for a malformed secret. */
export async function openTarget(url: string | undefined, options: TargetOptions): Promise<ForwardTarget | null> {
  if (url === undefined) return null
  const { headerPrefix, allowPrivate, version, time } = options
  const keys = [parseSecret(options.secret())]
  const poster = await openPoster(url, { allowPrivate })
  const { origin, pathname } = new URL(url)
  return {
    shown: origin + pathname,
    poster,
    headers: ({ event_id: id, sequence }, body) =>
      headersByName({ id, sequence, timestamp: timestampAt(time.now()), body }, { keys, headerPrefix, version }),
  }
}
