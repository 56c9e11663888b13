/** Polar's sign-in, windows and failures, against its fake provider. */
import { beforeAll, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type FakePolar, openPolar } from '../../providers/polar/polar.ts'
import { polarPerson } from '../../providers/polar/polar-data.ts'
import { testApp, testSession } from '../../providers/test-session.ts'
import { personSession, pull } from './pulled.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
let fake: FakePolar

beforeAll(async () => {
  fake = await openPolar({ now: () => NOW, perQuarter: 100_000 })
  atEndOfFile(() => fake.close())
})

const session = (account = 'person-1') => {
  fake.person(account).isRegistered = true
  return personSession(fake, polarConnector, { account, extra: { user_id: String(fake.person(account).userId) } })
}

describe('signing in at Polar', () => {
  const REDIRECT = 'https://svc.example/oauth/polar/callback'

  async function signIn(account: string) {
    fake.consent = { account }
    const asked = { state: 'state', codeChallenge: 'c', redirectUrl: REDIRECT }
    const url = polarConnector.authorizationUrl(testApp(fake, polarConnector), asked)
    expect(url.searchParams.get('scope')).toBe('accesslink.read_all')
    const response = await fetch(url, { redirect: 'manual' })
    const parameters = new URL(response.headers.get('location') ?? '').searchParams
    const code = parameters.get('code') ?? ''
    const app = testSession(fake, polarConnector, { now: () => NOW })
    return polarConnector.exchange(app, { code, redirectUrl: REDIRECT, codeVerifier: 'v', parameters })
  }

  it('registers the person, whose data can then be read', async () => {
    const tokenSet = await signIn('ada')
    const { userId, isRegistered } = fake.person('ada')
    expect(isRegistered).toBe(true)
    expect(tokenSet).toMatchObject({ refreshToken: null, scopes: null, extra: { user_id: String(userId) } })
    // ten years
    expect(tokenSet.expiresAt).toBe(NOW + 315_359_999_000)
    const own = testSession(fake, polarConnector, { grant: tokenSet })
    expect(await polarConnector.profile(own)).toEqual({ accountId: String(userId) })
    const found = await pull(polarConnector, own, { collection: 'sleep', window: { from: NOW - DAY, to: NOW } })
    expect(found.records.length).toBeGreaterThan(20)
  })

  it('also works for a person who is already registered', async () => {
    await signIn('ada')
    await expect(signIn('ada')).resolves.toMatchObject({ refreshToken: null })
  })

  it('tells a person without the mandatory consents what to do', async () => {
    fake.person('eve').hasConsented = false
    await expect(signIn('eve')).rejects.toMatchObject({
      kind: 'scope_missing',
      message: expect.stringContaining('https://account.polar.com'),
    })
  })

  it('is undone by removing the registration, and does nothing if that was already removed', async () => {
    const tokenSet = await signIn('bob')
    const ending = testSession(fake, polarConnector, { grant: tokenSet })
    await polarConnector.revoke(ending)
    expect(fake.person('bob').isRegistered).toBe(false)
    await polarConnector.revoke(ending)
  })
})

describe('pulling from Polar', () => {
  it('requests at most 28 dates at once, and finds each day of a year', async () => {
    fake.people.set('year', polarPerson(9, NOW, 400))
    const own = session('year')
    const { windowDays, historyDays } = polarConnector.collections.find(each => each.name === 'activities') ?? {
      windowDays: 0,
      historyDays: 0,
    }
    const found = new Map<string, unknown>()
    for (let to = NOW; to > NOW - historyDays * DAY; to -= windowDays * DAY) {
      const from = Math.max(to - windowDays * DAY, NOW - historyDays * DAY)
      // the fake provider refuses longer ranges and older dates
      const asked = { collection: 'activities', window: { from, to }, now: NOW, timeZone: 'Pacific/Auckland' }
      for (const record of (await pull(polarConnector, own, asked)).records) {
        if (found.has(record.id)) expect(record).toEqual(found.get(record.id))
        found.set(record.id, record)
      }
    }
    expect(found.size).toBe(365)
  })

  it.each(['continuous_heart_rate', 'sleep', 'exercises', 'spo2', 'body_temperature', 'physical_info'])(
    'covers the windows of %s within its history',
    async name => {
      const own = session('all')
      const { windowDays, historyDays } = polarConnector.collections.find(each => each.name === name) ?? {
        windowDays: 1,
        historyDays: 1,
      }
      const ids: string[] = []
      for (let to = NOW; to > NOW - historyDays * DAY; to -= windowDays * DAY) {
        const asked = { collection: name, window: { from: to - windowDays * DAY, to }, now: NOW }
        ids.push(...(await pull(polarConnector, own, asked)).records.map(each => each.id))
      }
      const expected = {
        continuous_heart_rate: 28,
        sleep: 26,
        exercises: 10,
        spo2: 0,
        body_temperature: 0,
        physical_info: 2,
      }
      expect(new Set(ids).size).toBe(expected[name as keyof typeof expected])
    },
  )

  it('reads each exercise separately, and only in its window', async () => {
    fake.people.set('runner', polarPerson(10, NOW, 12))
    const own = session('runner')
    fake.forget()
    await pull(polarConnector, own, { collection: 'exercises', window: { from: NOW - 4 * DAY, to: NOW } })
    expect(fake.requests.map(each => each.path)).toEqual([
      '/v3/exercises',
      '/v3/exercises/Ex0abc',
      '/v3/exercises/Ex3abc',
    ])
  })

  it('treats 204 as no data', async () => {
    const own = session()
    for (const { name } of polarConnector.collections) {
      fake.fail({ path: /^\/v3\//, times: 3, status: 204 })
      const found = await pull(polarConnector, own, { collection: name, window: { from: NOW - DAY, to: NOW } })
      expect(found.records).toEqual([])
      // clears the rest of the fault
      for (let i = 0; i < 3; i++) await fetch(`${fake.url}/v3/exercises`)
    }
  })
})
