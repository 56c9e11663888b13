/**
 * Signs canonical JSON with Ed25519, as a JSON Web Signature without its payload: RFC 7515 (appendix F), RFC 8037 and RFC 8785. Uses only
 * node:crypto.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** What comes before the 32 bytes of an Ed25519 private key in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const SEED_BYTES = 32

/** A public key as a JSON Web Key. */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  /** The key, in base64url. */
  readonly x: string
}

/** Returns the private key that a seed of 32 bytes stands for. */
export function keyFromSeed(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new Error('an Ed25519 seed has 32 bytes')
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}

/** Returns the public part of an Ed25519 key. */
export function publicJwk(key: KeyObject): PublicJwk {
  const { x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return { kty: 'OKP', crv: 'Ed25519', x: String(x) }
}

/** Returns a key's fingerprint: its JWK thumbprint with SHA-256 (RFC 7638), in base64url. */
export function keyId({ crv, kty, x }: PublicJwk): string {
  return createHash('sha256').update(canonicalJson({ crv, kty, x })).digest('base64url')
}

/** Returns the signature of a document: header and signature, with an empty payload between them. `typ` says what is signed. */
export function signDetached(document: unknown, key: KeyObject, typ: string): string {
  const header = encode(canonicalJson({ alg: 'EdDSA', kid: keyId(publicJwk(key)), typ }))
  const signature = sign(null, Buffer.from(`${header}.${encode(canonicalJson(document))}`), key)
  return `${header}..${signature.toString('base64url')}`
}

/** What is wrong with a signature. */
export type SignatureProblem = 'malformed' | 'other_type' | 'other_key' | 'changed'

/** Returns null if the signature is that of the document by this public key, or what is wrong with it. */
export function checkDetached(document: unknown, jws: string, key: KeyObject, typ: string): SignatureProblem | null {
  const [header = '', payload, signature = '', ...more] = jws.split('.')
  const claims = headerOf(header)
  if (payload !== '' || more.length > 0 || claims === null || claims['alg'] !== 'EdDSA') return 'malformed'
  if (claims['typ'] !== typ || 'crit' in claims) return 'other_type'
  if (claims['kid'] !== keyId(publicJwk(key))) return 'other_key'
  const signed = Buffer.from(`${header}.${encode(canonicalJson(document))}`)
  return verify(null, signed, key, Buffer.from(signature, 'base64url')) ? null : 'changed'
}

/** Returns the header of a signature, or null if it is not a JSON object. */
export function headerOf(encoded: string): Readonly<Record<string, unknown>> | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
