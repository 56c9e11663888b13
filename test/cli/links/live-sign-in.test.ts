/** How a terminal distinguishes a live provider's page from our own, and how it reads stdin. */
import { describe, expect, test } from 'vitest'
import { findLiveSignIn, readReturn } from '../../../src/cli/links/live-sign-in.ts'

type Source = Parameters<typeof findLiveSignIn>[0]

const source = (oauth_url: string | null): Source => ({
  id: 1,
  name: 'Oura',
  slug: 'oura',
  description: '',
  logo: '',
  oauth_url,
  auth_type: 'oauth',
  source_type: 'ring',
  is_active: true,
  backfill_num_days: 90,
  group: null,
  state: 'state-1',
})

const authorizeUrl = (redirectUrl: string) =>
  `https://provider.example/authorize?client_id=1&redirect_uri=${encodeURIComponent(redirectUrl)}&state=state-1`

describe('a sign-in', () => {
  test('at a live provider uses the redirect URL of the OAuth app', () => {
    expect(findLiveSignIn(source(authorizeUrl('http://localhost:8484/callback')))).toMatchObject({
      name: 'Oura',
      redirectUrl: new URL('http://localhost:8484/callback'),
      state: 'state-1',
      isCompletedByServer: false,
    })
  })

  test('is completed by the server if the redirect URL belongs to it', () => {
    const own = authorizeUrl('https://health.example.com/svc/oauth/oura/callback')
    expect(findLiveSignIn(source(own))).toMatchObject({ isCompletedByServer: true })
  })

  test('at a simulated provider, or without a server, is not a live one', () => {
    expect(findLiveSignIn(source('http://127.0.0.1:8899/oauth/oura?state=state-1'))).toBeNull()
    expect(findLiveSignIn(source(null))).toBeNull()
  })
})

describe('the callback URL on stdin', () => {
  test('identifies the sign-in that it completes', () => {
    expect(readReturn('http://localhost:8484/callback?code=c0de&state=state-1&scope=a+b\n')).toEqual({
      state: 'state-1',
      parameters: { code: 'c0de', state: 'state-1', scope: 'a b' },
    })
  })

  test.each(['', 'c0de', 'http://localhost:8484/callback?code=c0de'])('%o is refused without repeating it', given => {
    expect(() => readReturn(given)).toThrow(/does not contain a URL with the parameter state/)
    expect(() => readReturn(given)).not.toThrow(/c0de/)
  })
})
