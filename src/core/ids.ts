/** Identifiers: random ones from the injected source, and ones derived from a path, which are the same on every machine. */
import { hash } from 'node:crypto'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }
export type UserId = Branded<'UserId'>
export type TeamId = Branded<'TeamId'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** Returns a UUID's 16 bytes. */
export function uuidBytes(id: string): Uint8Array {
  return Uint8Array.from(Buffer.from(id.replaceAll('-', ''), 'hex'))
}

/** Returns the UUID for 16 bytes, with the version and variant bits set. */
export function makeUuid(bytes: Uint8Array, version: number): string {
  const copy = Buffer.from(bytes.subarray(0, 16))
  copy[6] = (copy.readUInt8(6) & 0x0f) | (version << 4)
  copy[8] = (copy.readUInt8(8) & 0x3f) | 0x80
  return uuidText(copy)
}

/** Returns the UUID for 16 bytes, without changing any bits. */
export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * Returns the ID of a user's object, which is identified by its path (kind, provider, start …). The same parts always give the same UUID
 * (version 8). Its first six bytes are the same as in the user ID, so that the ID alone shows where to look.
 */
export function ownedId(userId: string, ...path: readonly (string | number)[]): string {
  return `${userId.slice(0, 13).toLowerCase()}${pathId(userId, ...path).slice(13)}`
}

/** The digits that a UUID's variant allows. */
const VARIANTS = '89ab'

/** Returns the UUID for a path (version 8). The same parts give the same UUID on every machine. */
export function pathId(...path: readonly (string | number)[]): string {
  const hex = hash('sha256', path.join('\u0000'), 'hex')
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Returns the SHA-256 in hex, the form in which keys and tokens are stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
