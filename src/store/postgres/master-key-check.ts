/** Ensures that all of a store's nodes use the same master key to seal secrets and sign cursors. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'

/** States the fingerprint's purpose, so that no other use of the key results in the same bytes. */
const PURPOSE = 'svc store master key check 1'

/** Returns a master key's fingerprint: 64 hex digits that reveal nothing about the key. The fingerprint is stored. */
export function masterKeyCheck(key: Uint8Array): string {
  return createHmac('sha256', key).update(PURPOSE).digest('hex')
}

/** Compares the fingerprint of this node's key with the stored one. Throws ServiceError `master_key` if they differ. */
export function compareMasterKey(own: string, stored: string): void {
  const [a, b] = [Buffer.from(own), Buffer.from(stored)]
  if (a.length === b.length && timingSafeEqual(a, b)) return
  throw new ServiceError('master_key', 'SVC_MASTER_KEY is not the key with which this store was created.', {
    suggestions: [
      "Set SVC_MASTER_KEY to the key that the other nodes use. Without it, the store's sealed secrets cannot be opened.",
    ],
  })
}
