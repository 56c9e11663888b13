/** WHOOP's sign-in, pages, windows, failures and notifications, against its fake provider. */
import { beforeAll, describe, expect, it } from 'vitest'
import { whoopConnector } from '../../../src/connectors/live/whoop/connector.ts'
import type { IncomingNotification, Reception } from '../../../src/connectors/notifications.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { openSink } from '../../kit/sink.ts'
import { testApp, testSession } from '../../providers/test-session.ts'
import { type FakeWhoop, openWhoop } from '../../providers/whoop/whoop.ts'
import { whoopPerson, whoopUuid } from '../../providers/whoop/whoop-data.ts'
import { personSession, pull } from './pulled.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
const { receive } = whoopConnector.notifications ?? {}
let fake: FakeWhoop

beforeAll(async () => {
  fake = await openWhoop({ now: () => NOW, perMinute: 100_000 })
  atEndOfFile(() => fake.close())
})

const session = (options: Parameters<typeof personSession>[2] = {}) => personSession(fake, whoopConnector, options)

describe('signing in at WHOOP', () => {
  const REDIRECT = 'http://localhost:8484/callback'

  async function signIn(scopes?: readonly string[]) {
    fake.consent = { account: 'ada', ...(scopes && { scopes }) }
    const asked = { state: 'a-state-of-many-characters', codeChallenge: 'c', redirectUrl: REDIRECT }
    const url = whoopConnector.authorizationUrl(testApp(fake, whoopConnector), asked)
    expect(url.searchParams.get('state')).toBe(asked.state)
    expect(url.searchParams.has('code_challenge')).toBe(false)
    const response = await fetch(url, { redirect: 'manual' })
    const parameters = new URL(response.headers.get('location') ?? '').searchParams
    const code = parameters.get('code') ?? ''
    const app = testSession(fake, whoopConnector, { now: () => NOW })
    return whoopConnector.exchange(app, { code, redirectUrl: REDIRECT, codeVerifier: 'v', parameters })
  }

  it('returns a token set with the granted scopes, and the person’s ID', async () => {
    const tokenSet = await signIn()
    expect(tokenSet).toMatchObject({ expiresAt: NOW + 3_600_000, scopes: whoopConnector.scopes.map(each => each.name) })
    expect(tokenSet.refreshToken).not.toBeNull()
    const profile = await whoopConnector.profile(testSession(fake, whoopConnector, { grant: tokenSet }))
    expect(profile).toEqual({ accountId: String(fake.person('ada').userId) })
  })

  it('refreshes with the scope offline, and gets a new token set', async () => {
    const tokenSet = await signIn()
    const refreshed = await whoopConnector.refresh(testSession(fake, whoopConnector), tokenSet)
    expect(refreshed.accessToken).not.toBe(tokenSet.accessToken)
    expect(refreshed.refreshToken).not.toBe(tokenSet.refreshToken)
    const { form } = fake.requests.at(-1) ?? {}
    expect(Object.fromEntries(form ?? [])).toMatchObject({ grant_type: 'refresh_token', scope: 'offline' })
    await expect(whoopConnector.refresh(testSession(fake, whoopConnector), tokenSet)).rejects.toMatchObject({
      kind: 'grant_lost',
    })
  })

  it('without offline cannot be refreshed', async () => {
    const tokenSet = await signIn(['read:profile', 'read:cycles'])
    expect(tokenSet.refreshToken).toBeNull()
    await expect(whoopConnector.refresh(testSession(fake, whoopConnector), tokenSet)).rejects.toMatchObject({
      kind: 'grant_lost',
    })
  })

  it('revokes the access at WHOOP, and does nothing if it has already ended', async () => {
    const tokenSet = await signIn()
    const ending = testSession(fake, whoopConnector, { grant: tokenSet })
    await whoopConnector.revoke(ending)
    expect(fake.revoked).toEqual(['ada'])
    await whoopConnector.revoke(ending)
  })
})

describe('pulling from WHOOP', () => {
  it('follows pages of 25 to the end', async () => {
    fake.people.set('many', whoopPerson(50, NOW, 60))
    const found = await pull(whoopConnector, session({ account: 'many' }), {
      collection: 'sleep',
      window: { from: NOW - 90 * DAY, to: NOW },
    })
    expect(found.pages.map(page => page.records.length)).toEqual([25, 25, 10])
    expect(new Set(found.records.map(each => each.id)).size).toBe(60)
  })

  it.each(['sleep', 'workout', 'cycle'])(
    'finds each record of %s in adjacent windows, always unchanged',
    async collection => {
      const person = whoopPerson(51, NOW, 40)
      fake.people.set('edges', person)
      const whole = await pull(whoopConnector, session({ account: 'edges' }), {
        collection,
        window: { from: NOW - 45 * DAY, to: NOW },
      })
      const expected = new Map(whole.records.map(each => [each.id, each]))
      const parts = new Map<string, unknown>()
      // an odd length, so that some boundaries fall into nights
      for (let to = NOW; to > NOW - 45 * DAY; to -= 2.3 * DAY) {
        const part = await pull(whoopConnector, session({ account: 'edges' }), {
          collection,
          window: { from: to - 2.3 * DAY, to },
          now: NOW,
        })
        for (const record of part.records) {
          expect(record).toEqual(expected.get(record.id))
          parts.set(record.id, record)
        }
      }
      expect([...parts.keys()].sort()).toEqual([...expected.keys()].sort())
    },
  )

  it('skips and counts items that are not records, and keeps the rest', async () => {
    const [workout] = whoopPerson(1, NOW, 3).workouts
    const records = [
      null,
      'text',
      {},
      { id: 5 },
      { ...workout, start: 'yesterday' },
      { ...workout, end: '2020-01-01T00:00:00Z' },
      workout,
    ]
    fake.fail({ path: /\/v2\/activity\/workout/, body: { records, next_token: '' } })
    const found = await pull(whoopConnector, session(), {
      collection: 'workout',
      window: { from: NOW - DAY, to: NOW },
    })
    expect(found.records.map(each => each.id)).toEqual([workout?.id])
    expect(found.unmapped['workout without id or times']).toBe(4)
  })
})

describe('a WHOOP notification', () => {
  const ID = whoopUuid(1, 1)

  /** Returns the notification of the fake provider, as it arrived. */
  async function sent(notification: Partial<Parameters<FakeWhoop['notify']>[0]>): Promise<IncomingNotification> {
    const sink = await openSink()
    fake.webhookUrl = sink.url
    await fake.notify({ type: 'sleep.updated', id: ID, userId: 7, traceId: 'trace-1', ...notification })
    const request = sink.received.at(-1)
    if (!request) throw new Error('nothing arrived')
    return {
      method: 'POST',
      header: name => String(request.headers[name] ?? '') || null,
      query: new URLSearchParams(),
      body: Buffer.from(request.body),
      receivedAt: NOW,
    }
  }

  const read = async (incoming: IncomingNotification): Promise<Reception> => {
    const secrets = { clientSecret: fake.clientSecret, verificationToken: '', issued: async () => [] }
    return (await receive?.(testSession(fake, whoopConnector), incoming, secrets)) as Reception
  }

  it.each([
    ['sleep.updated', { kind: 'record', collection: 'sleep' }],
    ['sleep.deleted', { kind: 'deleted', collection: 'sleep' }],
    // the ID of a recovery is its sleep's ID, and the sleep is read again without it
    ['recovery.updated', { kind: 'record', collection: 'sleep' }],
    ['recovery.deleted', { kind: 'record', collection: 'sleep' }],
    ['workout.updated', { kind: 'record', collection: 'workout' }],
    ['workout.deleted', { kind: 'deleted', collection: 'workout' }],
  ])('of %s leads to the right reads', async (type, hint) => {
    expect(await read(await sent({ type }))).toEqual({
      kind: 'received',
      status: 204,
      events: [{ eventId: 'trace-1', accountId: '7', hints: [{ ...hint, recordId: ID }] }],
    })
  })

  it('of an unknown type is accepted and has no effect', async () => {
    expect(await read(await sent({ type: 'mood.updated' }))).toMatchObject({ kind: 'received', events: [] })
  })

  it('is refused with a wrong or missing signature, and when its body was changed', async () => {
    const genuine = await sent({})
    for (const forged of [
      await sent({ secret: 'guessed' }),
      { ...genuine, header: () => null },
      { ...genuine, body: Buffer.from(genuine.body.toString().replace('7', '8')) },
      { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(' ')]) },
    ]) {
      expect(await read(forged)).toMatchObject({ kind: 'refused', status: 401 })
    }
  })

  it('is refused when it is older or newer than five minutes', async () => {
    for (const off of [-5 * 60_000, 5 * 60_000]) {
      expect(await read(await sent({ at: NOW + off }))).toMatchObject({ kind: 'received' })
      expect(await read(await sent({ at: NOW + off * 1.01 }))).toMatchObject({ kind: 'refused', status: 401 })
    }
  })

  it('is refused if its body is not a notification, even with a valid signature', async () => {
    for (const id of ['../../v2/user', '', 'x'.repeat(65)]) {
      expect(await read(await sent({ id }))).toMatchObject({ kind: 'refused', status: 400 })
    }
  })

  it('is not accepted with another method', async () => {
    expect(await read({ ...(await sent({})), method: 'GET' })).toMatchObject({ kind: 'answered', status: 405 })
  })

  it('arrives only after somebody has entered the URL by hand', () => {
    const { subscriptions, instructions } = whoopConnector.notifications ?? {}
    expect(subscriptions).toBeNull()
    const secrets = { clientSecret: 'the secret', verificationToken: 'the token', issued: async () => [] }
    const text = instructions?.('https://svc.example/n', secrets, testApp(fake, whoopConnector)).join('\n')
    expect(text).toContain('https://svc.example/n')
    expect(text).not.toContain('the secret')
  })
})
