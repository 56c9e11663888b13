import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withingsConnector } from '../../../src/connectors/live/withings/connector.ts'
import type { Reception, SubscriptionCalls } from '../../../src/connectors/notifications.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { testApp, testSession } from '../../providers/test-session.ts'
import { type FakeWithings, openWithings } from '../../providers/withings/withings.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const REDIRECT = 'http://localhost:8484/callback'
const reader = withingsConnector.notifications
if (reader === null) throw new Error('Withings sends notifications')

let withings: FakeWithings
let receiver: Server
let callback = ''
const receptions: Reception[] = []
beforeAll(async () => {
  withings = await openWithings({ now: () => NOW })
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reception = await received(Buffer.concat(chunks).toString(), request.method as 'HEAD')
    receptions.push(reception)
    response.writeHead(reception.status).end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  callback = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/n`
})
afterAll(async () => {
  receiver.close()
  await withings.close()
})

const now = () => NOW

async function consent(account: string): Promise<URLSearchParams> {
  withings.consent = { account }
  const asked = { state: 'state-1', codeChallenge: 'unused', redirectUrl: REDIRECT }
  const consentUrl = withingsConnector.authorizationUrl(testApp(withings, withingsConnector), asked)
  expect(consentUrl.searchParams.get('scope')).toBe('user.metrics,user.activity,user.info')
  const response = await fetch(consentUrl, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '').searchParams
}

function exchange(parameters: URLSearchParams, clientSecret = withings.clientSecret) {
  const app = testApp(withings, withingsConnector, { clientSecret })
  const code = parameters.get('code') ?? ''
  const granted = { code, redirectUrl: REDIRECT, codeVerifier: 'unused', parameters }
  return withingsConnector.exchange(testSession(withings, withingsConnector, { app, now }), granted)
}

describe('access to Withings', () => {
  it('returns a token set that identifies the person', async () => {
    const tokenSet = await exchange(await consent('4711'))
    expect(tokenSet).toMatchObject({
      scopes: ['user.metrics', 'user.activity', 'user.info'],
      expiresAt: NOW + 10_800_000,
      extra: { userid: '4711' },
    })
    const session = testSession(withings, withingsConnector, { grant: tokenSet, now })
    expect(await withingsConnector.profile(session)).toEqual({ accountId: '4711' })
  })

  it('gets a new token set with each refresh, and is lost when its refresh token is refused', async () => {
    const tokenSet = await exchange(await consent('2'))
    const session = testSession(withings, withingsConnector, { now })
    const next = await withingsConnector.refresh(session, tokenSet)
    expect(next.refreshToken).not.toBe(tokenSet.refreshToken)
    expect(next.extra).toEqual({ userid: '2' })
    await expect(withingsConnector.refresh(session, tokenSet)).rejects.toMatchObject({ kind: 'grant_lost' })
    withings.fail({ path: /oauth2/, body: { status: 601, body: {} } })
    await expect(withingsConnector.refresh(session, next)).rejects.toMatchObject({ kind: 'rate_limited' })
    withings.fail({ path: /oauth2/, body: { status: 522, body: {} } })
    await expect(withingsConnector.refresh(session, next)).rejects.toMatchObject({ kind: 'unavailable' })
    withings.fail({ path: /oauth2/, body: { status: 0, body: { access_token: 'a' } } })
    await expect(withingsConnector.refresh(session, next)).rejects.toMatchObject({ kind: 'bad_answer' })
  })

  it('is revoked with a signed call, and revoking it again does no harm', async () => {
    const tokenSet = await exchange(await consent('3'))
    const session = testSession(withings, withingsConnector, { grant: tokenSet, now })
    await withingsConnector.revoke(session)
    await withingsConnector.revoke(session)
    expect(withings.tokenSets.filter(each => each.account === '3').every(each => each.isRevoked)).toBe(true)
  })
})

function received(body: string, method: 'GET' | 'HEAD' | 'POST' = 'POST', receivedAt = NOW): Promise<Reception> {
  const incoming = { method, header: () => null, query: new URLSearchParams(), body: Buffer.from(body), receivedAt }
  const secrets = { clientSecret: '', verificationToken: '', issued: async () => [] }
  return reader!.receive(testSession(withings, withingsConnector), incoming, secrets)
}

describe('notifications', () => {
  it('are hints about windows of collections that may have changed', async () => {
    const weight = await received('userid=4711&appli=1&startdate=1795000000&enddate=1795000001')
    const window = { from: 1_795_000_000_000 - DAY_MS, to: 1_795_000_001_000 + DAY_MS }
    expect(weight).toMatchObject({
      kind: 'received',
      status: 200,
      events: [{ accountId: '4711', hints: [{ kind: 'window', collection: 'getmeas', window }] }],
    })
    const day = await received('userid=4711&appli=16&date=2026-11-20')
    const around = { from: Date.parse('2026-11-19'), to: Date.parse('2026-11-22') }
    expect(day).toMatchObject({
      events: [
        {
          hints: [
            { kind: 'window', collection: 'getactivity', window: around },
            { kind: 'window', collection: 'getintradayactivity', window: around },
            { kind: 'window', collection: 'getworkouts', window: around },
          ],
        },
      ],
    })
    const night = await received('userid=4711&appli=44&startdate=1795000000&enddate=1795020000')
    expect(night).toMatchObject({ events: [{ hints: [{ collection: 'sleep' }] }] })
  })

  it('with the same text count as repeated within a minute, and as new later', async () => {
    const text = 'userid=4711&appli=16&date=2026-11-20'
    const id = async (at: number) => {
      const reception = await received(text, 'POST', at)
      return reception.kind === 'received' ? reception.events[0]?.eventId : undefined
    }
    expect(await id(NOW + 10_000)).toBe(await id(NOW))
    expect(await id(NOW + 3_600_000)).not.toBe(await id(NOW))
  })

  it('report when the person ended the access, and nothing when the person only changed', async () => {
    for (const action of ['delete', 'unlink']) {
      const ended = await received(`userid=4711&appli=46&action=${action}`)
      expect(ended).toMatchObject({ events: [{ accountId: '4711', hints: [{ kind: 'revoked' }] }] })
    }
    const unheard = { kind: 'received', status: 200, events: [] }
    expect(await received('userid=4711&appli=46&action=update')).toEqual(unheard)
    expect(await received('userid=4711&appli=50&date=1795000000&deviceid=x')).toEqual(unheard)
    expect(await received('userid=4711&appli=1&startdate=9&enddate=1')).toEqual(unheard)
  })

  it('are refused without a person, and a probe gets 200', async () => {
    expect(await received('appli=1&startdate=1&enddate=2')).toMatchObject({ kind: 'refused', status: 400 })
    expect(await received('\u0000{}')).toMatchObject({ kind: 'refused', status: 400 })
    expect(await received('', 'HEAD')).toEqual({ kind: 'answered', status: 200 })
  })

  it('need a subscription for each person and kind, which is probed, found again, and removed', async () => {
    const calls = reader!.subscriptions as SubscriptionCalls
    const tokenSet = await exchange(await consent('77'))
    const session = testSession(withings, withingsConnector, { grant: tokenSet, now })
    expect(calls.owner).toBe('person')
    expect(calls.wanted(['user.metrics', 'user.info'], session.app).map(each => each.name)).toEqual([
      'appli:1',
      'appli:2',
      'appli:4',
      'appli:54',
      'appli:46',
    ])
    const asked = { name: 'appli:44', callbackUrl: callback, verificationToken: '' }
    const made = await calls.subscribe(session, asked)
    await calls.renew?.(session, made, asked)
    expect(withings.subscriptions).toEqual([{ account: '77', appli: 44, callbackurl: callback }])
    expect(receptions).toEqual([{ kind: 'answered', status: 200 }])
    expect(await withings.notify('77', 44, { startdate: '1795000000', enddate: '1795020000' })).toEqual([200])
    expect(receptions.at(-1)).toMatchObject({ kind: 'received', events: [{ accountId: '77' }] })
    await calls.remove(session, made, asked)
    await calls.remove(session, made, asked)
    expect(withings.subscriptions).toEqual([])
    for (const appli of [1, 16, 46]) await calls.subscribe(session, { ...asked, name: `appli:${appli}` })
    await calls.removeAll?.(session, url => url === 'http://127.0.0.1:9/theirs')
    expect(withings.subscriptions).toHaveLength(3)
    await calls.removeAll?.(session, url => url === callback)
    expect(withings.subscriptions).toEqual([])
    const wrong = { ...asked, callbackUrl: 'http://127.0.0.1:9/nobody' }
    await expect(calls.subscribe(session, wrong)).rejects.toMatchObject({ kind: 'bad_request' })
  })
})
