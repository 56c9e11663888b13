/** The signed address of a requisition: whoever has it needs no API key, for seven days (interface.md 8; deprecated). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS, type EpochMs, SECOND_MS } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { hasRequisition } from './state.ts'

/** How long an address is good (interface.md 8). */
export const REQUISITION_URL_LIFETIME_MS = 7 * DAY_MS

/** A new address, good from now on; null without a requisition, or where no server runs that it could lead to. */
export function requisitionUrl(engine: EngineContext, record: OrderRecord, now: EpochMs): string | null {
  const base = engine.publicUrl()
  if (base === null || !hasRequisition(record)) return null
  const expires = Math.floor((now + REQUISITION_URL_LIFETIME_MS) / SECOND_MS)
  const signature = signatureOf(engine, record.orderId, expires).toString('base64url')
  return `${base}/svc/v1/requisition_forms/${record.orderId}?expires=${expires}&signature=${signature}`
}

/** What an address is worth: `forged` was never given out, `expired` once was good. */
export function checkRequisitionUrl(
  engine: EngineContext,
  { orderId, expires, signature }: { readonly orderId: string; readonly expires: number; readonly signature: string },
  now: EpochMs,
): 'good' | 'forged' | 'expired' {
  const right = signatureOf(engine, orderId, expires)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== right.length || !timingSafeEqual(given, right)) return 'forged'
  return now >= expires * SECOND_MS ? 'expired' : 'good'
}

function signatureOf(engine: EngineContext, orderId: string, expires: number): Buffer {
  return createHmac('sha256', engine.masterKey())
    .update(JSON.stringify(['requisition', orderId, expires]))
    .digest()
}
