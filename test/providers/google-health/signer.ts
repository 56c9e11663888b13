/** Signs notifications as Google does: ECDSA on P-256 with a prefix that names the key, which is published in a keyset. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

interface SigningKey {
  readonly id: number
  readonly privateKey: KeyObject
  readonly status: 'ENABLED' | 'DISABLED'
}

export class NotificationSigner {
  private keys: SigningKey[] = []
  private nextId = 0xfedc_0001

  constructor() {
    this.rotate()
  }

  /** Adds a key for signing from now on. Earlier keys stay published unless they are dropped. */
  rotate({ drops = false }: { readonly drops?: boolean } = {}): void {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    if (drops) this.keys = []
    this.keys.push({ id: this.nextId++, privateKey, status: 'ENABLED' })
  }

  /** The published keys. */
  keyset(): unknown {
    return {
      primaryKeyId: this.current.id,
      key: this.keys.map(({ id, privateKey, status }) => ({
        keyId: id,
        status,
        outputPrefixType: 'TINK',
        keyData: {
          typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
          keyMaterialType: 'ASYMMETRIC_PUBLIC',
          value: publicKeyMessage(privateKey).toString('base64'),
        },
      })),
    }
  }

  /** Returns the value of the signature header for a body. */
  sign(body: Uint8Array, { keyId = this.current.id }: { readonly keyId?: number } = {}): string {
    const prefix = Buffer.alloc(5)
    prefix[0] = 1
    prefix.writeUInt32BE(keyId, 1)
    return Buffer.concat([prefix, sign('sha256', body, this.current.privateKey)]).toString('base64')
  }

  private get current(): SigningKey {
    const last = this.keys.at(-1)
    if (!last) throw new Error('the signer has no key')
    return last
  }
}

/** Returns a signature by an unpublished key, with the ID of a published one. */
export function forgedSignature(signer: NotificationSigner, body: Uint8Array): string {
  const genuine = Buffer.from(signer.sign(body), 'base64')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return Buffer.concat([genuine.subarray(0, 5), sign('sha256', body, privateKey)]).toString('base64')
}

/** The protobuf message: version 0 (left out), parameters, x and y. Coordinates have a zero byte before them, as Java writes them. */
function publicKeyMessage(privateKey: KeyObject): Buffer {
  const { x = '', y = '' } = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
    format: 'jwk',
  })
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes])
  const padded = (text: string): Buffer => Buffer.concat([Buffer.from([0]), Buffer.from(text, 'base64url')])
  const parameters = Buffer.from([8, 3, 16, 2, 24, 2])
  return Buffer.concat([field(2, parameters), field(3, padded(x)), field(4, padded(y))])
}
