/** Consent, token sets and notifications of the live connector for Google Health. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { googleHealthConnector as connector } from '../../../../src/connectors/live/google-health/connector.ts'
import type { NotificationReader } from '../../../../src/connectors/notifications.ts'
import {
  type FakeGoogleHealth,
  openGoogleHealth,
  SCOPE_PREFIX,
} from '../../../providers/google-health/google-health.ts'
import { forgedSignature } from '../../../providers/google-health/signer.ts'
import { testSession } from '../../../providers/test-session.ts'
import { appOfGoogle, HOUR, NOW, openSession } from './session.ts'

let google: FakeGoogleHealth
beforeEach(async () => {
  google = await openGoogleHealth()
})
afterEach(() => google.close())

const redirectUrl = 'http://localhost:8484/callback'
// verifier and challenge from RFC 7636, appendix B
const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const codeChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const asked = { state: 'state-1', codeChallenge, redirectUrl }

async function link(verifier = codeVerifier) {
  const open = testSession(google, connector, { app: appOfGoogle(google) })
  const back = await fetch(connector.authorizationUrl(open.app, asked), { redirect: 'manual' })
  const parameters = new URL(back.headers.get('location') ?? '').searchParams
  const code = parameters.get('code') ?? ''
  return connector.exchange(open, { code, redirectUrl, codeVerifier: verifier, parameters })
}

describe('the consent page', () => {
  it('requests offline access, with a challenge and the full names of the scopes', () => {
    const url = connector.authorizationUrl({ ...appOfGoogle(google), ...connector.defaults }, asked)
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'true',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      scope: [
        'activity_and_fitness.readonly',
        'health_metrics_and_measurements.readonly',
        'sleep.readonly',
        'nutrition.readonly',
        'ecg.readonly',
        'settings.readonly',
      ]
        .map(name => SCOPE_PREFIX + name)
        .join(' '),
    })
  })

  it('requests menstrual cycles only with the setting', () => {
    const url = connector.authorizationUrl(appOfGoogle(google, { menstrual_cycle: 'yes' }), asked)
    expect(url.searchParams.get('scope')).toContain('googlehealth.reproductive_health.readonly')
  })
})

describe('a token set', () => {
  it('has the scopes that stayed ticked, and keeps its refresh token through a token refresh', async () => {
    google.consent = { scopes: [`${SCOPE_PREFIX}activity_and_fitness.readonly`, `${SCOPE_PREFIX}settings.readonly`] }
    const tokenSet = await link()
    expect(tokenSet.scopes).toEqual(['activity_and_fitness.readonly', 'settings.readonly'])
    const open = testSession(google, connector, { grant: tokenSet, app: appOfGoogle(google) })
    expect(await connector.profile(open)).toEqual({ accountId: 'person-1', timeZone: 'Europe/Berlin' })
    const next = await connector.refresh(open, tokenSet)
    expect(next.accessToken).not.toBe(tokenSet.accessToken)
    expect(next.refreshToken).toBe(tokenSet.refreshToken)
    expect(next.scopes).toEqual(tokenSet.scopes)
  })

  it('requires the verifier of its challenge', async () => {
    await expect(link('another-verifier-another-verifier-another-verifier')).rejects.toMatchObject({
      kind: 'code_refused',
    })
  })

  it('without the settings scope has no time zone', async () => {
    expect(await connector.profile(openSession(google, ['sleep.readonly']))).toEqual({ accountId: 'person-1' })
    google.fail({ path: /settings/, status: 403 })
    expect(await connector.profile(openSession(google))).toEqual({ accountId: 'person-1' })
  })

  it('is revoked at Google, even if it has already ended', async () => {
    const tokenSet = await link()
    const open = testSession(google, connector, { grant: tokenSet, app: appOfGoogle(google) })
    await connector.revoke(open)
    expect(google.tokenSets[0]?.isRevoked).toBe(true)
    await connector.revoke(open)
    await expect(connector.refresh(open, tokenSet)).rejects.toMatchObject({ kind: 'grant_lost' })
    google.fail({ path: /revoke/, status: 400, body: { error: 'invalid_request' } })
    await expect(connector.revoke(open)).rejects.toMatchObject({ kind: 'bad_request' })
  })
})

describe('notifications', () => {
  const reader = connector.notifications as NotificationReader
  const secrets = { clientSecret: 'fake-client-secret', verificationToken: 'verify-1', issued: async () => [] }
  const upsert = (more: Readonly<Record<string, unknown>> = {}) => ({
    data: {
      version: '1',
      clientProvidedSubscriptionName: 'svc',
      healthUserId: 'person-1',
      operation: 'UPSERT',
      dataType: 'steps',
      intervals: [{ physicalTimeInterval: { startTime: '2026-11-20T08:00:00Z', endTime: '2026-11-20T08:30:00Z' } }],
      ...more,
    },
  })

  function receive(
    sent: unknown,
    headers: Readonly<Record<string, string>>,
    { now = NOW, method = 'POST' as const } = {},
  ) {
    const body = Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent))
    const open = testSession(google, connector, { app: appOfGoogle(google), now: () => now })
    const header = (name: string) => headers[name] ?? null
    return reader.receive(open, { method, header, query: new URLSearchParams(), body, receivedAt: now }, secrets)
  }
  const signed = (sent: unknown, name = 'google-health-api-signature', options = {}) =>
    receive(sent, { [name]: google.signer.sign(Buffer.from(JSON.stringify(sent)), options) })

  it('begin with a handshake that requires the secret', async () => {
    const handshake = { type: 'verification' }
    expect(await receive(handshake, { authorization: 'Bearer verify-1' })).toEqual({ kind: 'answered', status: 201 })
    for (const authorization of ['', 'Bearer verify-2', 'verify-1', 'Bearer verify-1 ']) {
      expect(await receive(handshake, { authorization })).toEqual({ kind: 'answered', status: 401 })
    }
  })

  it.each(['google-health-api-signature', 'x-healthapi-signature'])(
    'are accepted with a signature in %s',
    async name => {
      const reception = await signed(upsert(), name)
      expect(reception).toMatchObject({
        kind: 'received',
        status: 204,
        events: [
          {
            accountId: 'person-1',
            // one more hour at both ends
            hints: [
              {
                kind: 'window',
                collection: 'steps',
                window: { from: Date.parse('2026-11-20T07:00:00Z'), to: Date.parse('2026-11-20T09:30:00Z') },
              },
              { kind: 'window', collection: 'activity' },
            ],
          },
        ],
      })
    },
  )

  it('are refused when they are forged, changed or not signed', async () => {
    const body = Buffer.from(JSON.stringify(upsert()))
    const genuine = google.signer.sign(body)
    const legacy = Buffer.from(genuine, 'base64')
    legacy[0] = 0
    for (const signature of [
      forgedSignature(google.signer, body),
      google.signer.sign(Buffer.from(`${body} `)),
      google.signer.sign(body, { keyId: 7 }),
      legacy.toString('base64'),
      genuine.slice(0, 4),
      'no base64!',
      '',
    ]) {
      expect(await receive(upsert(), { 'google-health-api-signature': signature })).toMatchObject({
        kind: 'refused',
        status: 401,
      })
    }
    expect(await receive(upsert(), {})).toMatchObject({ kind: 'refused', status: 401 })
    // the secret alone is not enough
    expect(await receive(upsert(), { authorization: 'Bearer verify-1' })).toMatchObject({ kind: 'refused' })
  })

  it('are refused with a wrong secret before any key is read, and accepted without one', async () => {
    const body = Buffer.from(JSON.stringify(upsert()))
    const signature = { 'google-health-api-signature': google.signer.sign(body) }
    expect(await receive(upsert(), { ...signature, authorization: 'Bearer verify-2' })).toMatchObject({
      kind: 'refused',
      status: 401,
    })
    expect(google.requests.filter(each => each.path === '/keyset')).toEqual([])
    expect(await receive(upsert(), { ...signature, authorization: 'Bearer verify-1' })).toMatchObject({
      kind: 'received',
    })
    expect(await receive(upsert(), signature)).toMatchObject({ kind: 'received' })
  })

  it('are verified with new keys after a rotation, which are not read more than once a minute', async () => {
    await signed(upsert())
    const reads = () => google.requests.filter(each => each.path === '/keyset').length
    expect(reads()).toBe(1)
    await signed(upsert())
    expect(reads()).toBe(1)
    google.signer.rotate({ drops: true })
    const body = Buffer.from(JSON.stringify(upsert()))
    const headers = { 'google-health-api-signature': google.signer.sign(body) }
    expect(await receive(upsert(), headers, { now: NOW + 30_000 })).toMatchObject({ kind: 'refused' })
    expect(reads()).toBe(1)
    expect(await receive(upsert(), headers, { now: NOW + 61_000 })).toMatchObject({ kind: 'received' })
    expect(reads()).toBe(2)
  })

  it('are left to be sent again while the provider’s keys cannot be read', async () => {
    google.fail({ path: /keyset/, status: 503 })
    await expect(signed(upsert())).rejects.toMatchObject({ kind: 'unavailable' })
    google.fail({ path: /keyset/, body: { key: [{ keyId: 1, status: 'ENABLED', keyData: { value: '////' } }, null] } })
    await expect(signed(upsert())).rejects.toMatchObject({ kind: 'bad_answer' })
    expect(await signed(upsert())).toMatchObject({ kind: 'received' })
  })

  it('arrive in lists, and identify a deleted record', async () => {
    const sent = [
      upsert({ dataType: 'heart-rate', intervals: [] }),
      upsert({
        operation: 'DELETE',
        dataType: 'sleep',
        recordId: 'users/1/dataTypes/sleep/dataPoints/s-1',
        intervals: [],
      }),
      upsert({ operation: 'DELETE', dataType: 'weight', recordId: 'w-1', intervals: [] }),
      upsert({ operation: 'DELETE', dataType: 'steps' }),
      upsert({ dataType: 'altitude' }),
      { data: { healthUserId: 5 } },
      null,
    ]
    const reception = await signed(sent)
    if (reception.kind !== 'received') throw new Error(`it was ${reception.kind}`)
    expect(reception.events.map(each => each.hints)).toMatchObject([
      [{ kind: 'window', collection: 'heart-rate', window: { from: NOW - 72 * HOUR, to: NOW + HOUR } }],
      [{ kind: 'deleted', collection: 'sleep', recordId: 's-1' }],
      [{ kind: 'deleted', collection: 'body', recordId: 'weight/w-1' }],
      [
        { kind: 'window', collection: 'steps' },
        { kind: 'window', collection: 'activity' },
      ],
      [],
    ])
    expect(new Set(reception.events.map(each => each.eventId)).size).toBe(5)
    const again = await receive(sent, {
      'google-health-api-signature': google.signer.sign(Buffer.from(JSON.stringify(sent))),
    })
    expect(again).toMatchObject({ kind: 'received' })
  })

  it('of a local interval are read with the largest possible offset from UTC', async () => {
    const civil = { civilIso8601TimeInterval: { startTime: '2026-11-20T08:00:00', endTime: '2026-11-20T09:00:00' } }
    const parts = {
      civilDateTimeInterval: {
        startDateTime: { date: { year: 2026, month: 11, day: 20 }, time: { hours: 8 } },
        endDateTime: { date: { year: 2026, month: 11, day: 20 }, time: { hours: 9 } },
      },
    }
    const window = { from: Date.parse('2026-11-19T17:00:00Z'), to: Date.parse('2026-11-21T00:00:00Z') }
    for (const interval of [civil, parts]) {
      expect(await signed(upsert({ dataType: 'heart_rate', intervals: [interval] }))).toMatchObject({
        events: [{ hints: [{ collection: 'heart-rate', window }] }],
      })
    }
  })

  it('have the same IDs when the same delivery arrives again', async () => {
    const headers = { 'google-health-api-signature': google.signer.sign(Buffer.from(JSON.stringify(upsert()))) }
    expect(await receive(upsert(), headers)).toEqual(await receive(upsert(), headers))
  })

  it('are set up by hand with the URL and the secret', () => {
    const lines = reader
      .instructions('https://svc.example/providers/google_health/notifications/t-1', secrets, appOfGoogle(google))
      .join('\n')
    expect(lines).toContain('"endpointUri":"https://svc.example/providers/google_health/notifications/t-1"')
    expect(lines).toContain('"secret":"Bearer verify-1"')
    expect(lines).toContain('"dataTypes":["steps",')
    expect(lines).not.toContain(secrets.clientSecret)
  })
})

describe('the documented mapping', () => {
  it('describes how a value is converted', () => {
    expect(connector.mapping.find(each => each.to === 'glucose')).toMatchObject({
      from: 'bloodGlucose.bloodGlucoseMilligramsPerDeciliter',
      to: 'glucose',
      rule: 'mg/dL ÷ 18.0156',
    })
  })
})
