/** The settings of a command, and where each value comes from. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ProfileFile } from '../../src/profile/profile-file.ts'
import { checkBaseUrl, maskKey, parseTimeout, resolveSettings } from '../../src/profile/settings.ts'

const FILE: ProfileFile = {
  current: 'local',
  profiles: {
    local: {},
    staging: {
      baseUrl: 'https://staging.example.com',
      apiKey: 'sk_us_staging_key_0001',
      timeout: '5s',
      headerPrefix: 'vital',
    },
  },
}

describe('settings', () => {
  test('default to the embedded engine in its default folder', () => {
    const settings = resolveSettings({}, { HOME: '/home/ada' }, FILE)
    expect(settings.profile).toEqual({ value: 'local', source: 'default' })
    expect(settings.baseUrl).toEqual({ value: null, source: 'default' })
    expect(settings.dataDir.source).toBe('default')
    expect(path.isAbsolute(settings.dataDir.value)).toBe(true)
    expect(settings.timeoutMs).toEqual({ value: 30_000, source: 'default' })
  })

  test('prefer a flag to a variable, and a variable to the profile', () => {
    const env = { SVC_PROFILE: 'staging', SVC_TIMEOUT: '2m' }
    expect(resolveSettings({ profile: 'local' }, env, FILE).profile).toEqual({ value: 'local', source: 'flag' })
    const settings = resolveSettings({}, env, FILE)
    expect(settings.profile).toEqual({ value: 'staging', source: 'variable' })
    expect(settings.baseUrl).toEqual({ value: 'https://staging.example.com', source: 'profile' })
    expect(settings.timeoutMs).toEqual({ value: 120_000, source: 'variable' })
    expect(settings.headerPrefix).toEqual({ value: 'vital', source: 'profile' })
    const flagged = resolveSettings({ profile: 'staging', baseUrl: 'http://127.0.0.1:8123/' }, env, FILE)
    expect(flagged.baseUrl).toEqual({ value: 'http://127.0.0.1:8123', source: 'flag' })
  })

  test('use the current profile of the file', () => {
    const { profile } = resolveSettings({}, {}, { ...FILE, current: 'staging' })
    expect(profile).toEqual({ value: 'staging', source: 'profile' })
  })

  test('send a profile’s key to its own server only', () => {
    expect(resolveSettings({ profile: 'staging' }, {}, FILE).apiKey.value).toBe('sk_us_staging_key_0001')
    const elsewhere = resolveSettings({ profile: 'staging', baseUrl: 'https://evil.example.com' }, {}, FILE)
    expect(elsewhere.apiKey).toEqual({ value: null, source: 'default' })
    const given = resolveSettings({ baseUrl: 'https://evil.example.com' }, { SVC_API_KEY: 'sk_us_given_0001' }, FILE)
    expect(given.apiKey).toEqual({ value: 'sk_us_given_0001', source: 'variable' })
  })

  test('use the embedded engine if a data folder is given as a flag, whatever the profile says', () => {
    const settings = resolveSettings({ profile: 'staging', dataDir: 'scratch' }, {}, FILE)
    expect(settings.baseUrl).toEqual({ value: null, source: 'flag' })
    expect(settings.dataDir).toEqual({ value: path.resolve('scratch'), source: 'flag' })
    expect(() => resolveSettings({ baseUrl: 'http://x', dataDir: 'y' }, {}, FILE)).toThrow(/cannot be c/)
  })

  test('take the store from a flag, a variable or the profile, or have none', () => {
    const file: ProfileFile = {
      current: 'prod',
      profiles: { ...FILE.profiles, prod: { store: 'postgres://p:of-profile@h/p' } },
    }
    const env = { SVC_STORE: 'postgres://v:of-variable@h/v' }
    const store = (...given: Parameters<typeof resolveSettings>) => resolveSettings(...given).store
    const flags = { store: 'postgres://f@h/f' }
    expect(store(flags, env, file)).toMatchObject({ source: 'flag', value: { user: 'f', password: null } })
    expect(store({}, env, file)).toMatchObject({ source: 'variable', value: { user: 'v', password: 'of-variable' } })
    expect(store({}, {}, file)).toMatchObject({ source: 'profile', value: { user: 'p', password: 'of-profile' } })
    expect(store({ profile: 'local' }, { SVC_STORE: '' }, file)).toEqual({ source: 'default', value: null })
  })

  test('use the embedded engine if a store is given as a flag, whatever the profile says', () => {
    const store = 'postgres://svc@h/svc'
    expect(resolveSettings({ profile: 'staging', store }, {}, FILE).baseUrl).toEqual({ value: null, source: 'flag' })
    expect(() => resolveSettings({ baseUrl: 'http://x', store }, {}, FILE)).toThrow(
      /--base-url and --store cannot be c/,
    )
    // as with a data folder, a variable does not
    const remote = resolveSettings({ profile: 'staging' }, { SVC_STORE: store }, FILE)
    expect(remote.baseUrl.value).toBe('https://staging.example.com')
  })

  test('refuse a store with a password as a flag', () => {
    expect(() => resolveSettings({ store: 'postgres://svc:geheim@h/svc' }, {}, FILE)).toThrow(/contains a password/)
  })

  test('treat an empty variable as unset', () => {
    expect(resolveSettings({}, { SVC_PROFILE: '', SVC_BASE_URL: '' }, FILE).baseUrl.source).toBe('default')
  })

  test('suggest the nearest profile for an unknown one', () => {
    expect(() => resolveSettings({ profile: 'stagin' }, {}, FILE)).toThrow(/"staging"/)
    expect(() => resolveSettings({ profile: 'constructor' }, {}, FILE)).toThrow(/No profile is named/)
  })
})

describe('values', () => {
  test.each([
    ['https://api.example.com/', 'https://api.example.com'],
    ['http://127.0.0.1:8123/base/', 'http://127.0.0.1:8123/base'],
  ])('%s is a base URL', (given, kept) => expect(checkBaseUrl(given)).toBe(kept))

  test.each(['api.example.com', 'ftp://example.com', 'https://me:pw@example.com', 'https://example.com?x=1', ''])(
    '"%s" is not a base URL',
    given => expect(() => checkBaseUrl(given)).toThrow(/base URL/),
  )

  test.each([
    ['30', 30_000],
    ['1500ms', 1_500],
    ['2m', 120_000],
  ])('%s is a time-out', (given, ms) => expect(parseTimeout(given)).toBe(ms))

  test.each(['0', '-1', '2h', 'soon', '99999999'])('"%s" is not a time-out', given =>
    expect(() => parseTimeout(given)).toThrow(),
  )

  test('show only the ends of a key, and nothing of a short one', () => {
    expect(maskKey('sk_us_secretsecretab12')).toBe('sk_us_…ab12')
    expect(maskKey('short')).toBe('…')
  })
})
