/** Where the password of a PostgreSQL store comes from. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { withPassword } from '../../../src/store/postgres/password.ts'
import { temporaryFolder } from '../../kit/folder.ts'

const file = join(temporaryFolder(), 'pgpass')

async function readPassword(text: string, notes: string[] = []): Promise<string | null> {
  return (await withPassword(parseStoreUrl(text), line => notes.push(line))).password
}

beforeEach(() => {
  writeFileSync(file, '# comment\nother:*:*:svc:not-this\nh:5432:svc:svc:of\\:file\n')
  chmodSync(file, 0o600)
  vi.stubEnv('PGPASSFILE', file)
})
afterEach(() => vi.unstubAllEnvs())

it('comes from the URL, otherwise from PGPASSWORD, otherwise from the password file', async () => {
  expect(await readPassword('postgres://svc@h/svc')).toBe('of:file')
  vi.stubEnv('PGPASSWORD', 'of-variable')
  expect(await readPassword('postgres://svc@h/svc')).toBe('of-variable')
  expect(await readPassword('postgres://svc:of-url@h/svc')).toBe('of-url')
})

it('is missing if no line of the file matches, or if there is no file', async () => {
  expect(await readPassword('postgres://ada@h/svc')).toBeNull()
  vi.stubEnv('PGPASSFILE', `${file}-absent`)
  expect(await readPassword('postgres://svc@h/svc')).toBeNull()
})

it('is not read if others can read the file, and a warning says so', async () => {
  chmodSync(file, 0o644)
  const notes: string[] = []
  expect(await readPassword('postgres://svc@h/svc', notes)).toBeNull()
  expect(notes).toEqual([expect.stringContaining(`"${file}" has group or world access`)])
})
