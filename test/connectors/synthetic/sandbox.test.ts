/** Every outcome in docs/sandbox-credentials.md can be reached, at every password provider. */
import { describe, expect, it } from 'vitest'
import { type Provider, SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { checkCode, signIn, signInByName } from '../../../src/connectors/synthetic/sandbox.ts'

const named = (slug: string): Provider => SHIPPED_REGISTRY.find(slug) as Provider
const withPassword = SHIPPED_REGISTRY.all.filter(each => each.authType === 'password')
const at = (provider: Provider, username: string, password = 'secret') =>
  signIn({ provider, username, password, region: provider.regions[0] ?? null })

describe('sign-in at a simulated provider', () => {
  it.each(withPassword.map(each => [each.slug, each] as const))('depends on the input at %s', (_slug, provider) => {
    expect(at(provider, 'alice@example.com')).toEqual({ kind: 'success' })
    expect(at(provider, 'alice@example.com', 'wrong')).toMatchObject({ errorType: 'provider_credential_error' })
    expect(at(provider, 'mfa-sms@sandbox.test')).toMatchObject({ kind: 'mfa', method: 'sms' })
    expect(at(provider, 'mfa-email@sandbox.test')).toMatchObject({ kind: 'mfa', method: 'email' })
    expect(at(provider, 'expired@sandbox.test')).toMatchObject({ errorType: 'provider_password_expired' })
    expect(at(provider, 'down@sandbox.test')).toMatchObject({ errorType: 'provider_api_error' })
    expect(at(provider, 'taken@sandbox.test')).toMatchObject({ errorType: 'duplicate_connection' })
    expect(at(provider, 'scopes@sandbox.test')).toMatchObject({ errorType: 'required_scopes_not_granted' })
  })

  it('ignores case and blanks in user names, and compares passwords exactly', () => {
    expect(at(named('zwift'), ' Expired@Sandbox.test ')).toMatchObject({ errorType: 'provider_password_expired' })
    expect(at(named('zwift'), 'alice', 'Wrong')).toEqual({ kind: 'success' })
  })

  it('checks the region first, then the special names, then the password', () => {
    const request = { provider: named('abbott_libreview'), username: 'down@sandbox.test', password: 'wrong' }
    expect(signIn({ ...request, region: null })).toMatchObject({ kind: 'region_missing' })
    expect(signIn({ ...request, region: 'tw' })).toMatchObject({ errorType: 'unsupported_region' })
    expect(signIn({ ...request, region: 'de' })).toMatchObject({ errorType: 'provider_api_error' })
  })

  it('refuses any region for providers without regions', () => {
    const request = { provider: named('whoop'), username: 'alice', password: 'secret' }
    expect(signIn({ ...request, region: 'us' })).toMatchObject({ kind: 'error', errorType: 'unsupported_region' })
    expect(signIn({ ...request, region: null })).toEqual({ kind: 'success' })
  })

  it('never repeats the input', () => {
    const text = JSON.stringify(at(named('dexcom'), 'canary-name', 'wrong'))
    expect(text).not.toContain('canary-name')
  })
})

describe('the code of a pending step', () => {
  it('is 123456 only', () => {
    expect(checkCode('123456')).toBe(true)
    expect(checkCode(' 123456\n')).toBe(true)
    for (const code of ['', '12345', '1234567', '654321', '123456a']) expect(checkCode(code)).toBe(false)
  })
})

describe('a sign-in with a user name only', () => {
  const libre = named('freestyle_libre')
  const outcome = (name: string | null, region: string | null = 'us') => signInByName({ provider: libre, name, region })

  it('succeeds without a name, with an ordinary one, and with one for which a password sign-in would require a code', () => {
    for (const name of [null, '', 'ada@example.com', 'mfa-sms@sandbox.test']) expect(outcome(name).kind).toBe('success')
  })

  it.each([
    ['wrong@sandbox.test', 'provider_credential_error'],
    [' Taken@Sandbox.test ', 'duplicate_connection'],
    ['scopes@sandbox.test', 'required_scopes_not_granted'],
  ])('of %s ends in %s, and never repeats the name', (name, errorType) => {
    const result = outcome(name)
    expect(result).toMatchObject({ kind: 'error', errorType })
    expect(JSON.stringify(result)).not.toContain('sandbox.test')
  })

  it('checks the provider’s regions first', () => {
    expect(outcome('wrong@sandbox.test', 'jo')).toMatchObject({ errorType: 'unsupported_region' })
  })
})
