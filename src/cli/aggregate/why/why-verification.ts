/** Verifies a document that `svc why --json` printed, without a store. See docs/interface/why.md#why-6. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { WHY_TYPE } from '../../../contract/aggregates/why.ts'
import { ServiceError } from '../../../core/errors.ts'
import {
  checkDetached,
  headerOf,
  keyId,
  publicJwk,
  type SignatureProblem,
} from '../../../core/signing/detached-signature.ts'
import type { Facts } from '../../../output/view.ts'
import { checkStdinOnce, isStdin, readBytes } from '../../webhooks/webhook-files.ts'

const NOT_SIGNED =
  'This is not a signed document. Give the complete output of `svc why … --json`, without --fields or --jq.'

/** Returns what a document vouches for. Throws ServiceError `verification_failed` with what does not match, or `usage`. */
export async function verifyWhy(file: string, keyFile: string): Promise<Facts> {
  checkStdinOnce({ '--verify -': isStdin(file), '--key -': isStdin(keyFile) })
  const key = readKey(Buffer.from(await readBytes(keyFile, '--key')).toString('utf8'))
  const { signature, ...document } = objectIn(Buffer.from(await readBytes(file, '--verify')).toString('utf8'))
  const { jws } = isObject(signature) ? signature : {}
  if (typeof jws !== 'string') throw failed('malformed', NOT_SIGNED)
  const problem = problemOf(document, jws, key)
  if (problem !== null) throw failed(problem, reasonOf(problem, jws, key))
  const { question, value, unit, by_kind: kinds, computed_at: computedAt } = document
  const asked = isObject(question) ? question : {}
  const numbers =
    Array.isArray(kinds) && kinds.length > 1 ? { value_by_kind: JSON.stringify(kinds) } : { value: value as never }
  const { function: func, column, period, user_id, from, to, where, merge } = asked as Readonly<Record<string, never>>
  return {
    ...{ verified: true, function: func, column, user_id, period, from, to, where, merge },
    ...{ ...numbers, unit: unit as never, computed_at: computedAt as never, kid: keyId(publicJwk(key)) },
  }
}

function problemOf(document: unknown, jws: string, key: KeyObject): SignatureProblem | null {
  try {
    return checkDetached(document, jws, key, WHY_TYPE)
  } catch {
    // a number that no service prints
    return 'changed'
  }
}

function reasonOf(problem: SignatureProblem, jws: string, key: KeyObject): string {
  switch (problem) {
    case 'malformed':
      return NOT_SIGNED
    case 'other_type':
      return 'The signature is that of another kind of document.'
    case 'other_key': {
      const kid = headerOf(jws.split('.')[0] ?? '')?.['kid']
      return `The document was signed with another key (${shortened(kid)}) than the given one (${shortened(keyId(publicJwk(key)))}).`
    }
    case 'changed':
      return 'The document was changed after it was signed, or the signature was.'
  }
}

function shortened(kid: unknown): string {
  return /^[\w-]{43}$/.test(String(kid)) ? `${kid}` : 'an unknown one'
}

function failed(problem: SignatureProblem, reason: string): ServiceError {
  return new ServiceError('verification_failed', reason, { body: { detail: { problem, reason } } })
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(text)
    if (isObject(document)) return document
  } catch {
    // do not rethrow: the parser's message would contain part of the text
  }
  throw failed('malformed', NOT_SIGNED)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a public key: PEM, a JSON Web Key, or the output of `svc engine key public --json`. Throws ServiceError `usage`. */
function readKey(text: string): KeyObject {
  const refused = new ServiceError(
    'usage',
    '--key must be a file with an Ed25519 public key, as PEM or JSON Web Key.',
    { suggestions: ['`svc engine key public > store.pem` saves the key of a store.'] },
  )
  // Node would also take the public part of a private key, which nobody should pass around
  if (text.includes('PRIVATE KEY')) throw refused
  try {
    const key = text.trimStart().startsWith('{') ? keyOfJson(JSON.parse(text)) : createPublicKey(text)
    if (key?.asymmetricKeyType === 'ed25519') return key
  } catch {
    // the reason names parts of the file
  }
  throw refused
}

function keyOfJson(document: unknown): KeyObject | undefined {
  if (!isObject(document)) return undefined
  const jwk = isObject(document['jwk']) ? document['jwk'] : document
  const { kty, crv, x } = jwk
  return createPublicKey({ key: { kty: String(kty), crv: String(crv), x: String(x) }, format: 'jwk' })
}
