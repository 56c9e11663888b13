/** Encrypts stored signing secrets. Each one is bound to its endpoint. */
import { ServiceError } from '../../core/errors.ts'
import type { EndpointRecord } from '../../store/webhook.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

type Owner = Pick<EndpointRecord, 'teamId' | 'endpointId'>
type Keys = Pick<EngineContext, 'masterKey' | 'random'>

const sealing = new Sealing('webhook secrets')

/** Returns a secret's sealed key. */
export function sealSecret(engine: Keys, owner: Owner, key: Uint8Array): Uint8Array {
  return sealing.seal(engine, boundTo(owner), key, engine.random.bytes(NONCE_BYTES))
}

/** Returns the key to sign with. Throws ServiceError `data_folder` if the key was sealed under another master key. */
export function openSecret(engine: Pick<Keys, 'masterKey'>, owner: Owner, sealed: Uint8Array): Uint8Array {
  try {
    return sealing.open(engine, boundTo(owner), sealed)
  } catch (cause) {
    const message = `The secret of webhook endpoint ${owner.endpointId} cannot be opened: it was sealed with another master key.`
    throw new ServiceError('data_folder', message, {
      suggestions: [
        "Restore the data folder's master.key, or the SVC_MASTER_KEY that was in use.",
        `Or give the endpoint a new secret: svc webhook rotate-secret ${owner.endpointId} --overlap 0`,
      ],
      cause,
    })
  }
}

function boundTo({ teamId, endpointId }: Owner): string {
  return `${teamId}\0${endpointId}`
}
