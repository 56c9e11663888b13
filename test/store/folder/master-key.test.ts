/** The master key of a store that nodes share. */
import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { sharedMasterKey } from '../../../src/store/folder/master-key.ts'
import { compareMasterKey, masterKeyCheck } from '../../../src/store/postgres/master-key-check.ts'

it('is required, and the error contains a command that creates one', () => {
  for (const absent of [undefined, '']) {
    expect(() => sharedMasterKey(absent)).toThrow(
      expect.objectContaining({
        code: 'master_key',
        exitCode: 2,
        suggestions: [expect.stringContaining('openssl rand -base64 32'), expect.any(String)],
      }),
    )
  }
  // the output of the command
  const key = randomBytes(32)
  expect(sharedMasterKey(key.toString('base64'))).toEqual(key)
  expect(sharedMasterKey('0f'.repeat(32))).toEqual(Buffer.alloc(32, 15))
})

it('is refused in another form, without being repeated', () => {
  expect(() => sharedMasterKey('my-secret-key')).toThrow(/^SVC_MASTER_KEY is not a 32-byte key/)
  expect(() => sharedMasterKey('my-secret-key')).not.toThrow(/my-secret-key/)
})

it('is recognized as a different one by its fingerprint', () => {
  const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const stored = masterKeyCheck(one)
  expect(stored).toMatch(/^[0-9a-f]{64}$/)
  expect(() => compareMasterKey(masterKeyCheck(one), stored)).not.toThrow()
  expect(() => compareMasterKey(masterKeyCheck(two), stored)).toThrow(
    expect.objectContaining({ code: 'master_key', exitCode: 2 }),
  )
  expect(() => compareMasterKey(masterKeyCheck(one), '')).toThrow()
})
