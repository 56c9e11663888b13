/** Canonical JSON and detached Ed25519 signatures, with the published examples of RFC 7515, 7638, 8032, 8037 and 8785. */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/core/signing/canonical-json.ts'
import {
  checkDetached,
  keyFromSeed,
  keyId,
  publicJwk,
  signDetached,
} from '../../../src/core/signing/detached-signature.ts'
import { seed } from '../../kit/seed.ts'

/** RFC 8037, appendix A. */
const SEED = Buffer.from('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', 'base64url')
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const JWS =
  'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg'

describe('canonical JSON', () => {
  it('is that of the example of RFC 8785', () => {
    const example = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('orders members by UTF-16 code units, as in RFC 8785', () => {
    const members = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 }
    expect(Object.keys(JSON.parse(canonicalJson(members)) as object).length).toBe(7)
    expect([...canonicalJson(members).matchAll(/:(\d)/g)].map(([, digit]) => digit)).toEqual([
      '2',
      '4',
      '6',
      '7',
      '1',
      '5',
      '3',
    ])
  })

  it('writes numbers as RFC 8785 says, and refuses those that JSON does not have', () => {
    expect([-0, 1e21, 1e-7, 5e-324, 9007199254740992].map(canonicalJson)).toEqual([
      '0',
      '1e+21',
      '1e-7',
      '5e-324',
      '9007199254740992',
    ])
    expect(() => canonicalJson({ a: [Number.NaN] })).toThrow(TypeError)
  })

  it('is the same after it was read, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = canonicalJson(value)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed },
    )
  })
})

describe('a key', () => {
  it('has the public part and the fingerprint of RFC 8037', () => {
    const jwk = publicJwk(keyFromSeed(SEED))
    expect([jwk.x, keyId(jwk)]).toEqual([X, THUMBPRINT])
  })
})

describe('a detached signature', () => {
  const key = keyFromSeed(SEED)
  const open = createPublicKey(key)
  const document = { b: [1, 'ü'], a: null }
  const jws = signDetached(document, key, 'test')

  it('uses the algorithm of the example of RFC 8037', () => {
    const [header = '', payload = '', signature = ''] = JWS.split('.')
    expect(verify(null, Buffer.from(`${header}.${payload}`), open, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('is a JSON Web Signature once its payload is put back', () => {
    const [header = '', payload, signature = ''] = jws.split('.')
    expect(payload).toBe('')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      kid: THUMBPRINT,
      typ: 'test',
    })
    const input = `${header}.${Buffer.from('{"a":null,"b":[1,"ü"]}').toString('base64url')}`
    expect(verify(null, Buffer.from(input), open, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('is valid for the same document in any order, and says what does not match', () => {
    expect(checkDetached({ a: null, b: [1, 'ü'] }, jws, open, 'test')).toBeNull()
    expect(checkDetached({ ...document, c: 1 }, jws, open, 'test')).toBe('changed')
    expect(checkDetached(document, jws, open, 'other')).toBe('other_type')
    expect(checkDetached(document, jws, generateKeyPairSync('ed25519').publicKey, 'test')).toBe('other_key')
    const [header, , signature = ''] = jws.split('.')
    expect(checkDetached(document, `${header}..${signature.slice(0, -4)}`, open, 'test')).toBe('changed')
    for (const wrong of ['', 'a.b.c', jws.replace('..', '.x.'), `${jws}.`, `bm9uZQ..${signature}`])
      expect(checkDetached(document, wrong, open, 'test')).toBe('malformed')
  })

  it('of another algorithm is not one', () => {
    const none = Buffer.from('{"alg":"none","kid":"x","typ":"test"}').toString('base64url')
    expect(checkDetached(document, `${none}..`, open, 'test')).toBe('malformed')
  })
})
