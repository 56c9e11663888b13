/** The key with which a store signs documents. It is derived from the master key, so every server of one store has the same one. */
import { createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { keyFromSeed, keyId, publicJwk } from '../../core/signing/detached-signature.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

const PURPOSE = 'svc signed documents, Ed25519'
const SEED_BYTES = 32

/** Returns the private key of the store. */
export function storeKey({ masterKey }: Pick<EngineContext, 'masterKey'>): KeyObject {
  return keyFromSeed(Buffer.from(hkdfSync('sha256', masterKey(), '', PURPOSE, SEED_BYTES)))
}

export const publicKey: Handler<'key.public'> = async engine => {
  const key = storeKey(engine)
  const jwk = publicJwk(key)
  const kid = keyId(jwk)
  const pem = createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()
  return ok({ kid, algorithm: 'EdDSA' as const, pem, jwk: { ...jwk, kid, alg: 'EdDSA' as const, use: 'sig' as const } })
}
