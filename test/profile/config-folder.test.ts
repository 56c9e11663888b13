/** Only its owner can use the configuration folder, unless it also contains other files. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { looseKeys } from '../../src/profile/config-folder.ts'
import { profileFilePath, readProfileFile } from '../../src/profile/profile-file.ts'
import { removeProfile, saveProfile } from '../../src/profile/profile-store.ts'
import { temporaryFolder } from '../kit/folder.ts'

const before = process.env['SVC_CONFIG_DIR']
let folder = ''
beforeEach(() => {
  folder = path.join(temporaryFolder(), 'config', 'svc')
  process.env['SVC_CONFIG_DIR'] = folder
})
afterEach(() => {
  if (before === undefined) delete process.env['SVC_CONFIG_DIR']
  else process.env['SVC_CONFIG_DIR'] = before
})
const fileMode = (file: string) => (statSync(file).mode & 0o777).toString(8)

describe.skipIf(process.platform === 'win32')('the configuration folder', () => {
  it('is created with mode 0700', async () => {
    await saveProfile('mine', {})
    expect(fileMode(folder)).toBe('700')
    expect(fileMode(path.dirname(folder))).toBe('700')
    expect(fileMode(profileFilePath())).toBe('600')
  })

  it('is made private if an older version created it', async () => {
    await saveProfile('mine', {})
    writeFileSync(path.join(folder, 'listen.key'), 'ab'.repeat(32), { mode: 0o600 })
    chmodSync(folder, 0o755)
    await saveProfile('yours', {})
    expect(fileMode(folder)).toBe('700')
  })

  it('stays unchanged if it contains other files', async () => {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o755)
    writeFileSync(path.join(folder, 'notes.txt'), 'mine')
    await saveProfile('mine', {})
    expect(fileMode(folder)).toBe('755')
    expect(fileMode(profileFilePath())).toBe('600')
  })

  it('causes one warning if others can read a file with a key in it', async () => {
    await saveProfile('mine', {})
    chmodSync(profileFilePath(), 0o644)
    expect(looseKeys(readProfileFile())).toEqual([])
    await saveProfile('mine', { baseUrl: 'https://example.com', apiKey: 'sk_us_0123456789abcdef' })
    chmodSync(profileFilePath(), 0o640)
    writeFileSync(path.join(folder, 'listen.key'), 'ab'.repeat(32), { mode: 0o644 })
    chmodSync(path.join(folder, 'listen.key'), 0o644)
    const warnings = looseKeys(readProfileFile())
    expect(warnings).toEqual([
      `Warning: ${profileFilePath()} has mode 0640: other users may read it. Run: chmod 600 ${profileFilePath()}`,
      expect.stringMatching(/listen\.key has mode 0644: .* Run: chmod 600 \S+listen\.key$/),
    ])
    expect(looseKeys(readProfileFile())).toEqual([])
    await removeProfile('mine')
  })
})
