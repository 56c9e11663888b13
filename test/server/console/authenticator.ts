/** An authenticator in software: it creates passkeys and signs with them, and can break each rule on request. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')
const text = (value: string): Buffer => Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)])

interface Site {
  readonly origin: string
  readonly host: string
}

export interface Signing {
  /** The page's origin, which the browser reports; by default that of the site. */
  readonly origin?: string
  readonly counter?: number
  readonly isVerified?: boolean
}

/** The response to a challenge, as a browser sends it. */
export interface Credential {
  readonly id: string
  readonly response: Readonly<Record<string, unknown>>
}

export class Authenticator {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  private readonly id = randomBytes(32)
  private readonly site: Site

  constructor(site: Site) {
    this.site = site
  }

  /** Creates a passkey in response to the server's options. */
  create({ challenge }: { readonly challenge: string }, signing: Signing = {}): Credential {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' })
    // EC2, ES256, P-256, x and y
    const key = Buffer.concat([
      Buffer.from('a501020326200121', 'hex'),
      Buffer.from('5820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.id.length)
    const data = Buffer.concat([this.data(HAS_CREDENTIAL, signing), Buffer.alloc(16), length, this.id, key])
    const attestation = Buffer.concat([
      Buffer.of(0xa3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.of(0xa0),
      text('authData'),
      Buffer.of(0x58, data.length),
      data,
    ])
    return this.credential('webauthn.create', challenge, signing, () => ({ attestationObject: base64url(attestation) }))
  }

  /** Signs the challenge in the server's options. */
  get({ challenge }: { readonly challenge: string }, signing: Signing = {}): Credential {
    const data = this.data(0, signing)
    return this.credential('webauthn.get', challenge, signing, client => ({
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', Buffer.concat([data, sha256(client)]), this.keys.privateKey)),
    }))
  }

  private data(flags: number, { counter = 0, isVerified = true }: Signing): Buffer {
    const tail = Buffer.alloc(5)
    tail.writeUInt8(flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0))
    tail.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(this.site.host), tail])
  }

  private credential(
    type: string,
    challenge: string,
    { origin = this.site.origin }: Signing,
    rest: (client: string) => Readonly<Record<string, string>>,
  ): Credential {
    const client = JSON.stringify({ type, challenge, origin, crossOrigin: false })
    const id = base64url(this.id)
    const response = { clientDataJSON: base64url(client), ...rest(client) }
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response } as Credential
  }
}
