/** Verifying a saved document without a store. */
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyWhy } from '../../../src/cli/aggregate/why/why-verification.ts'
import { WHY_TYPE } from '../../../src/contract/aggregates/why.ts'
import { keyId, publicJwk, signDetached } from '../../../src/core/signing/detached-signature.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const folder = temporaryFolder()
const keys = generateKeyPairSync('ed25519')
const pem = (key: typeof keys.publicKey) => key.export({ format: 'pem', type: 'spki' }).toString()
const kid = keyId(publicJwk(keys.publicKey))
const document = {
  question: { function: 'sum', column: 'steps.value', user_id: 'u', period: '2026-11-20', where: null, merge: true },
  value: 2500,
  unit: 'count',
  by_kind: [],
  computed_at: '2026-11-20T12:00:00+00:00',
}
const signature = { kid, jws: signDetached(document, keys.privateKey, WHY_TYPE) }

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  return path
}
const check = (content: unknown, key: string = pem(keys.publicKey)) =>
  verifyWhy(file('why.json', content), file('key', key))

describe('a document', () => {
  it('vouches for the question, the number, the time and the key', async () => {
    const facts = {
      verified: true,
      function: 'sum',
      column: 'steps.value',
      period: '2026-11-20',
      value: 2500,
      unit: 'count',
      kid,
    }
    expect(await check({ ...document, signature })).toMatchObject({ ...facts, computed_at: document.computed_at })
    const reversed = Object.fromEntries(Object.entries({ ...document, signature }).reverse())
    expect(await check(reversed)).toMatchObject(facts)
  })

  it.each([
    ['changed', { ...document, value: 2501, signature }, /changed after it was signed/],
    ['extended', { ...document, note: 'x', signature }, /changed after it was signed/],
    ['without a signature', document, /not a signed document/],
    [
      'of another kind',
      { ...document, signature: { jws: signDetached(document, keys.privateKey, 'other') } },
      /another kind/,
    ],
    ['that is not JSON', 'PK', /not a signed document/],
    [
      'with a number that JSON does not have',
      `{"value":1e999,"signature":${JSON.stringify(signature)}}`,
      /changed after/,
    ],
  ])('that was %s is refused with the reason', async (_, content, reason) => {
    await expect(check(content)).rejects.toMatchObject({ code: 'verification_failed', exitCode: 5, message: reason })
  })

  it('is refused with another key, and names both', async () => {
    const other = generateKeyPairSync('ed25519').publicKey
    const refusal = { code: 'verification_failed', message: expect.stringContaining(kid) }
    await expect(check({ ...document, signature }, pem(other))).rejects.toMatchObject(refusal)
  })
})

describe('a key', () => {
  it('may be PEM, a JSON Web Key, or the output of svc engine key public --json', async () => {
    const jwk = publicJwk(keys.publicKey)
    for (const key of [JSON.stringify(jwk), JSON.stringify({ kid, jwk })])
      expect(await check({ ...document, signature }, key)).toMatchObject({ verified: true })
  })

  it.each([
    ['a private key', keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['a key of another algorithm', pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)],
    ['JSON without a key', '{"kid":"x"}'],
    ['text', 'hello'],
  ])('that is %s is refused', async (_, key) => {
    await expect(check({ ...document, signature }, key)).rejects.toMatchObject({
      code: 'usage',
      message: /^--key must be/,
    })
  })
})
