/** Signs a requisition's URL, which is valid for 7 days without an API key. Deprecated. See docs/interface/orders.md#orders-11. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { hasRequisition } from './state.ts'

/** How long a URL is valid, in milliseconds. See docs/interface/limits.md#limits-2. */
export const REQUISITION_URL_LIFETIME_MS = 7 * DAY_MS

/** Returns a new URL that is valid from now on, or null if there is no requisition or no running server that could serve it. */
export function requisitionUrl(engine: EngineContext, record: OrderRecord, now: EpochMs): string | null {
  const base = engine.publicUrl()
  if (base === null || !hasRequisition(record)) return null
  const expires = Math.floor((now + REQUISITION_URL_LIFETIME_MS) / SECOND_MS)
  const signature = sign(engine, record.orderId, expires).toString('base64url')
  return `${base}/svc/v1/requisition_forms/${record.orderId}?expires=${expires}&signature=${signature}`
}

/** Checks a URL. `forged` means that the URL was never issued, and `expired` that it is no longer valid. */
export function checkRequisitionUrl(
  engine: EngineContext,
  { orderId, expires, signature }: { readonly orderId: string; readonly expires: number; readonly signature: string },
  now: EpochMs,
): 'good' | 'forged' | 'expired' {
  const right = sign(engine, orderId, expires)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== right.length || !timingSafeEqual(given, right)) return 'forged'
  return now >= expires * SECOND_MS ? 'expired' : 'good'
}

function sign(engine: EngineContext, orderId: string, expires: number): Buffer {
  return createHmac('sha256', engine.masterKey())
    .update(JSON.stringify(['requisition', orderId, expires]))
    .digest()
}
