/** Reading and writing the profile file, and its refusals. */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ServiceError } from '../../src/core/errors.ts'
import { configFolder, defaultDataFolder } from '../../src/profile/folders.ts'
import { profileFilePath, readProfileFile } from '../../src/profile/profile-file.ts'
import { checkProfileName, removeProfile, saveProfile, useProfile } from '../../src/profile/profile-store.ts'
import { temporaryFolder } from '../kit/folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  process.env['SVC_CONFIG_DIR'] = folder
})
afterEach(() => {
  delete process.env['SVC_CONFIG_DIR']
})

describe('profiles', () => {
  test('include local without a file', () => {
    expect(readProfileFile()).toEqual({ current: 'local', profiles: { local: {} } })
    expect(readdirSync(folder)).toEqual([])
  })

  test('can be added, used and removed', async () => {
    await saveProfile('staging', { baseUrl: 'https://staging.example.com', apiKey: 'sk_us_0001' })
    await useProfile('staging')
    expect(readProfileFile()).toEqual({
      current: 'staging',
      profiles: { local: {}, staging: { baseUrl: 'https://staging.example.com', apiKey: 'sk_us_0001' } },
    })
    await removeProfile('staging')
    expect(readProfileFile()).toEqual({ current: 'local', profiles: { local: {} } })
  })

  test.skipIf(process.platform === 'win32')('are stored in a file that only its owner can read', async () => {
    await saveProfile('staging', { apiKey: 'sk_us_0001' })
    expect(statSync(profileFilePath()).mode & 0o777).toBe(0o600)
  })

  test.each(['', '-x', 'a b', '../x', 'x'.repeat(65)])('cannot be named "%s"', name =>
    expect(() => checkProfileName(name)).toThrow(/profile name/),
  )
})

describe('an invalid profile file is reported with a remedy', () => {
  test.each([
    ['current: staging', /is not valid JSON/],
    ['[]', /does not contain a JSON object/],
    ['{"current":1}', /"current"/],
    ['{"profiles":[]}', /"profiles"/],
    ['{"profiles":{"x":null}}', /profile "x"/],
    ['{"profiles":{"x":{"apiKey":["sk_us_secret_key"]}}}', /"apiKey"/],
  ])('%s', (text, says) => {
    writeFileSync(profileFilePath(), text)
    let thrown: unknown
    try {
      readProfileFile()
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(ServiceError)
    const error = thrown as ServiceError
    expect(error.code).toBe('profile_file')
    expect(error.message).toContain(profileFilePath())
    expect(error.message).toMatch(says)
    expect(error.message).not.toContain('sk_us_secret_key')
    expect(error.suggestions.join(' ')).toContain('profile add')
  })

  test('if there is a folder at its path', () => {
    mkdirSync(profileFilePath())
    expect(() => readProfileFile()).toThrow(/cannot be read/)
  })
})

describe('folders', () => {
  test.each([
    ['linux', { HOME: '/home/ada' }, '/home/ada/.config/svc', '/home/ada/.local/share/svc'],
    ['linux', { HOME: '/home/ada', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/svc', '/d/svc'],
    [
      'linux',
      { HOME: '/home/ada', XDG_CONFIG_HOME: 'relative' },
      '/home/ada/.config/svc',
      '/home/ada/.local/share/svc',
    ],
    [
      'darwin',
      { HOME: '/Users/ada' },
      '/Users/ada/Library/Preferences/svc',
      '/Users/ada/Library/Application Support/svc',
    ],
  ] as const)('on %s with %o', (platform, env, config, data) => {
    expect(configFolder(env, platform)).toBe(config)
    expect(defaultDataFolder(env, platform)).toBe(data)
  })
})
