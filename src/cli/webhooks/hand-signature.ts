/** Signs and verifies webhooks without an engine, for `svc event sign` and `svc event verify`. */
import { ServiceError } from '../../core/errors.ts'
import { parseSecret, type SignedMessage, sign } from '../../delivery/signature.ts'
import { type ReceivedWebhook, verify } from '../../delivery/verification.ts'

/** Returns the headers of a delivery. Throws ServiceError `usage` for a malformed secret. */
export function signByHand(
  message: SignedMessage,
  secret: string,
  headerPrefix: string | undefined,
): Record<string, string> {
  return sign(message, [parseSecret(secret)], headerPrefix ?? null)
}

export type SavedWebhook = Omit<ReceivedWebhook, 'keys' | 'nowSeconds'> & { readonly secret: string }

/** Throws ServiceError `verification_failed` with the reason, or `usage` for a malformed secret. */
export function verifyByHand({ secret, ...webhook }: SavedWebhook) {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const checked = verify({ ...webhook, keys: [parseSecret(secret)], nowSeconds })
  if (!checked.ok) {
    const { problem, reason } = checked
    throw new ServiceError('verification_failed', reason, { body: { detail: { problem, reason } } })
  }
  const { id, timestamp, ageSeconds } = checked
  return { ok: true, id, timestamp, age_seconds: ageSeconds, body_bytes: webhook.body.length }
}
