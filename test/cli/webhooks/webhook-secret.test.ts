/** The secret of `svc listen`: the same at each start, and different elsewhere. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listenSecret } from '../../../src/cli/webhooks/webhook-secret.ts'
import { parseSecret } from '../../../src/delivery/signature.ts'
import { temporaryFolder } from '../../kit/folder.ts'

type Settings = Parameters<typeof listenSecret>[0]

const embedded = (dataDir: string): Settings => ({
  baseUrl: { value: null, source: 'default' },
  dataDir: { value: dataDir, source: 'flag' },
  store: { value: null, source: 'default' },
  profile: { value: 'local', source: 'default' },
})
const served = (profile: string, port = 1): Settings => ({
  ...embedded('/nowhere'),
  baseUrl: { value: `http://127.0.0.1:${port}`, source: 'profile' },
  profile: { value: profile, source: 'profile' },
})

test('stays the same for a data folder, and differs between folders', () => {
  const [one, two] = [temporaryFolder(), temporaryFolder()]
  const secret = listenSecret(embedded(one), {})
  expect(parseSecret(secret)).toHaveLength(32)
  expect(listenSecret(embedded(one), {})).toBe(secret)
  expect(listenSecret(embedded(two), {})).not.toBe(secret)
  // the key itself is never given out
  const master = readFileSync(path.join(one, 'master.key'), 'utf8').trim()
  expect(Buffer.from(parseSecret(secret)).toString('hex')).not.toBe(master)
})

test('stays the same for a profile, wherever its server is, in a file that only the owner can read', () => {
  const env = { SVC_CONFIG_DIR: path.join(temporaryFolder(), 'config') }
  const secret = listenSecret(served('staging'), env)
  expect(listenSecret(served('staging', 2), env)).toBe(secret)
  expect(listenSecret(served('other'), env)).not.toBe(secret)
  expect(statSync(path.join(env.SVC_CONFIG_DIR, 'listen.key')).mode & 0o777).toBe(0o600)
})

test('is the value of the variable, if set', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  expect(listenSecret(embedded('/nowhere'), { SVC_WEBHOOK_SECRET: secret })).toBe(secret)
})

test('is refused before anything is configured if the variable is invalid, and is not repeated', () => {
  const read = () => listenSecret(embedded('/nowhere'), { SVC_WEBHOOK_SECRET: 'whsec_aGVsbG8=' })
  expect(read).toThrow(/^SVC_WEBHOOK_SECRET must be whsec_ followed by the base64 of 24 to 64 bytes; it has 5 bytes\.$/)
})

test('does not overwrite a key file with other content', () => {
  const folder = temporaryFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'listen.key'), 'hello\n')
  expect(() => listenSecret(served('staging'), { SVC_CONFIG_DIR: folder })).toThrow(/64 hex digits/)
  expect(readFileSync(path.join(folder, 'listen.key'), 'utf8')).toBe('hello\n')
})
