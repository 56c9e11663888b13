/** The signature of a response, checked with the public key of the store and with nothing of this project. */
import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { openHarness } from '../../kit/harness.ts'
import { steps, WATCH, whyKit } from './kit.ts'

const kit = whyKit()

/** An independent canonical form: JSON with sorted members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => [name, sorted(of)]),
  )
}

it('is that of the other members as they arrive in JSON, by the public key', async () => {
  await kit.push(steps('08:00', '09:00', 0.1, WATCH))
  const { signature, ...document } = JSON.parse(JSON.stringify(await kit.ask())) as {
    signature: { jws: string; kid: string }
  }
  const { pem, jwk, kid, algorithm } = await kit.h.call('key.public', {})
  expect([signature.kid, algorithm, jwk.kid]).toEqual([kid, 'EdDSA', kid])
  const [header = '', , bytes = ''] = signature.jws.split('.')
  const input = `${header}.${Buffer.from(JSON.stringify(sorted(document))).toString('base64url')}`
  expect(verify(null, Buffer.from(input), createPublicKey(pem), Buffer.from(bytes, 'base64url'))).toBe(true)
})

it('is by the same key after the store is opened again', async () => {
  const { kid } = await kit.h.call('key.public', {})
  const { dataDir } = kit.h
  await kit.h.engine.close()
  kit.h = await openHarness({ dataDir })
  expect((await kit.h.call('key.public', {})).kid).toBe(kid)
})
