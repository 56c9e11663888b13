/** Encrypts stored data with AES-256-GCM, using a key derived from the master key for a single purpose. The data is bound to its owner. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { EngineContext } from './context.ts'

const VERSION = 1
const CIPHER = 'aes-256-gcm'
export const NONCE_BYTES = 12
const TAG_BYTES = 16

type Master = Pick<EngineContext, 'masterKey'>

export class Sealing {
  private readonly purpose: string
  private derived: { readonly from: Uint8Array; readonly key: Buffer } | undefined

  constructor(purpose: string) {
    this.purpose = purpose
  }

  /** Returns the version, nonce, tag and ciphertext. */
  seal(engine: Master, boundTo: string, plain: Uint8Array, nonce: Uint8Array): Uint8Array {
    const cipher = createCipheriv(CIPHER, this.key(engine), nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(boundTo))
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed])
  }

  /** Returns the decrypted data. Throws if the data was sealed under another master key or for another owner, or has since been changed. */
  open(engine: Master, boundTo: string, sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed)
    if (bytes[0] !== VERSION) throw new Error('unknown version of sealed data')
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(CIPHER, this.key(engine), nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(boundTo))
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()])
  }

  /** Returns the HMAC-SHA-256 of several parts under the same key. */
  mac(engine: Master, ...parts: readonly (string | Uint8Array)[]): Buffer {
    const mac = createHmac('sha256', this.key(engine))
    // include each part's length, so that different lists of parts never result in the same bytes
    for (const part of parts) mac.update(`${part.length}:`).update(part)
    return mac.digest()
  }

  /** Returns the derived key. The last key is cached, so that it is derived only once when a thousand items are opened. */
  private key({ masterKey }: Master): Buffer {
    const from = masterKey()
    if (this.derived === undefined || !Buffer.from(from).equals(this.derived.from)) {
      this.derived = { from, key: Buffer.from(hkdfSync('sha256', from, '', this.purpose, 32)) }
    }
    return this.derived.key
  }
}
