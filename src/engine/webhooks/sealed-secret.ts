/** Signing secrets at rest: AES-256-GCM under a key that is derived from the master key, bound to their endpoint (design 10). */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { EndpointRecord } from '../../store/webhook.ts'
import type { EngineContext } from '../context.ts'

const VERSION = 1
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

type Owner = Pick<EndpointRecord, 'teamId' | 'endpointId'>
type Keys = Pick<EngineContext, 'masterKey' | 'random'>

/** Version, nonce, tag and the sealed key of the secret. */
export function sealSecret(engine: Keys, owner: Owner, key: Uint8Array): Uint8Array {
  const nonce = engine.random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, sealingKey(engine), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(boundTo(owner))
  const sealed = Buffer.concat([cipher.update(key), cipher.final()])
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
}

/** The key to sign with. Throws ServiceError `data_folder` when it was sealed under another master key. */
export function openSecret(engine: Pick<Keys, 'masterKey'>, owner: Owner, sealed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(sealed)
  try {
    if (bytes[0] !== VERSION) throw new Error('no version that is known')
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(CIPHER, sealingKey(engine), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(boundTo(owner))
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()])
  } catch (cause) {
    const message = `The secret of the webhook endpoint ${owner.endpointId} cannot be opened: it was sealed with another master key.`
    throw new ServiceError('data_folder', message, {
      suggestions: [
        'Bring back the master.key of the data folder, or the SVC_MASTER_KEY that was in use.',
        `Or give the endpoint a new secret: svc webhook rotate-secret ${owner.endpointId} --overlap 0`,
      ],
      cause,
    })
  }
}

let derived: { readonly from: Uint8Array; readonly key: Buffer } | undefined

/** The last one is kept: a store of many endpoints derives it once. */
function sealingKey({ masterKey }: Pick<Keys, 'masterKey'>): Buffer {
  const from = masterKey()
  if (derived === undefined || !Buffer.from(from).equals(derived.from)) {
    derived = { from, key: Buffer.from(hkdfSync('sha256', from, '', 'webhook secrets', 32)) }
  }
  return derived.key
}

function boundTo({ teamId, endpointId }: Owner): Buffer {
  return Buffer.from(`${teamId}\0${endpointId}`)
}
