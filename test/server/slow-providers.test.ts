/** A provider that is slow or unreachable, for one team or for all, does not affect anyone else. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { NotifiedEvent } from '../../src/connectors/notifications.ts'
import type { TeamId, UserId } from '../../src/core/ids.ts'
import { DAY_MS, SECOND_MS } from '../../src/core/time.ts'
import { runLiveDue } from '../../src/engine/live/due-live.ts'
import { receiveNotification } from '../../src/engine/live/notifications/notification-queue.ts'
import { openAppSecrets } from '../../src/engine/live/oauth-apps/app-secrets.ts'
import { type LiveWork, startLiveWork } from '../../src/server/live/live-work.ts'
import { linkOfOther } from '../engine/live/linked-of-other.ts'
import { REDIRECT_URL } from '../engine/live/live-harness.ts'
import { openPull, type PullHarness } from '../engine/live/pull-harness.ts'
import { changeConnector, OTHER_PROVIDER } from '../engine/live/pulled-connectors.ts'
import { until } from '../kit/until.ts'
import { DAYS, signed } from '../providers/pulled-connector.ts'
import { openSlowProvider, SLOWNESS, type Slowness, type SlowProvider } from '../providers/slow-provider.ts'
import { TEST_PROVIDER } from '../providers/test-connector.ts'

vi.mock('../../src/connectors/live/live-connectors.ts', () => import('../engine/live/pulled-connectors.ts'))

const PEOPLE = 100
const WITHIN_MS = 2 * SECOND_MS
const STOPS_MS = 3 * SECOND_MS

let pulled: PullHarness
/** A person of team B at the same provider. The person of `pulled.key` belongs to team A, and also has another provider. */
let ofOther: UserId

beforeAll(async () => {
  changeConnector({ responseTimeoutMs: 30_000 })
  pulled = await openPull()
  const { live } = pulled
  for (let i = 1; i < PEOPLE; i++) {
    const { user_id } = await live.h.call('user.create', { body: { client_user_id: `person-${i}` } })
    live.fake.consent = { account: `account-${i}` }
    await live.link(await live.newToken(user_id))
  }
  live.fake.consent = { account: 'account-of-another-team' }
  ofOther = await linkOfOther(pulled)
  const params = { provider: OTHER_PROVIDER }
  await live.h.call('provider.setup', { params, body: appAt(live.fake.url) })
  live.fake.consent = { account: 'ada-elsewhere' }
  const { state, oauth_url } = await live.h.call('link.oauth', { params }, { linkToken: await live.newToken() })
  const parameters = await live.consent(oauth_url ?? '')
  await live.h.call('link.oauth_callback', { params, body: { parameters } }, { linkToken: state })
}, 120_000)

function appAt(api_url: string) {
  const { clientId, clientSecret, authorizeUrl, tokenUrl } = pulled.live.fake
  return {
    client_id: clientId,
    client_secret: clientSecret,
    redirect_url: REDIRECT_URL,
    authorize_url: authorizeUrl,
    token_url: tokenUrl,
    api_url,
  }
}

/** Makes the provider slow for team A, and all of team A's work there due. */
async function slow(slowness: Slowness): Promise<SlowProvider> {
  const provider = await openSlowProvider(slowness)
  const { h } = pulled.live
  await h.call('provider.setup', { params: { provider: TEST_PROVIDER }, body: appAt(provider.url) })
  const { pulls } = pulled.context.store.live
  for (const key of await pulls.list(h.team.teamId, TEST_PROVIDER, null, 1_000))
    await pulls.hasten(key, null, h.time.ms)
  return provider
}

/** Makes a connection due, and returns how long it takes until its provider gets a request for data. */
async function firstRequest(userId: UserId, provider: string, work: Pick<LiveWork, 'look'>): Promise<number> {
  const { fake, h } = pulled.live
  fake.forget()
  const began = performance.now()
  await pulled.context.store.live.pulls.hasten({ userId, provider }, null, h.time.ms)
  work.look()
  const request = await until(() => fake.requests.find(({ path }) => path.startsWith('/data')), { mostMs: 60_000 })
  return request.at - began
}

/** Sends the provider's notifications to a team. */
async function notify(teamId: TeamId, events: readonly NotifiedEvent[]): Promise<void> {
  const { context, live } = pulled
  const app = await context.store.live.oauthApps.find(teamId, TEST_PROVIDER)
  if (!app) throw new Error('nothing is set up')
  const { notificationToken, clientSecret } = openAppSecrets(context, app)
  const body = Buffer.from(JSON.stringify(events))
  const signature = signed(body, clientSecret)
  const reply = await receiveNotification(
    context,
    { provider: TEST_PROVIDER, token: notificationToken },
    {
      method: 'POST',
      header: name => (name === 'x-signature' ? signature : null),
      query: new URLSearchParams(),
      body,
      receivedAt: live.h.time.ms,
    },
  )
  expect(reply).toEqual({ status: 204 })
}

describe.each(SLOWNESS)('while a team’s provider %s', slowness => {
  it('another team, another provider and a sign-in wait at most 2 s, and the server stops in time', async () => {
    const provider = await slow(slowness)
    const { live, context, key } = pulled
    const work = startLiveWork(context, { log: () => {}, lookMs: 200 })
    try {
      if (slowness !== 'refuses') await until(() => provider.requestCount >= 16, { mostMs: 20_000 })
      expect(await firstRequest(ofOther, TEST_PROVIDER, work)).toBeLessThan(WITHIN_MS)
      expect(await firstRequest(key.userId, OTHER_PROVIDER, work)).toBeLessThan(WITHIN_MS)
      const began = performance.now()
      const { user_id } = await live.h.call('user.create', { body: { client_user_id: `newcomer, it ${slowness}` } })
      live.fake.consent = { account: `newcomer ${slowness}` }
      if (slowness !== 'refuses') expect((await live.link(await live.newToken(user_id))).state).toBe('success')
      expect(performance.now() - began).toBeLessThan(WITHIN_MS)
    } finally {
      const began = performance.now()
      await work.stop()
      expect(performance.now() - began).toBeLessThan(STOPS_MS)
      await provider.close()
    }
  })
})

describe('while a team’s provider hangs', () => {
  it('a run of all due work calls other providers at once, and can be cancelled', async () => {
    const provider = await slow('hangs')
    const controller = new AbortController()
    let running: Promise<unknown> | undefined
    const look = (): void => {
      running = runLiveDue(pulled.context, controller.signal).catch(error => error)
    }
    expect(await firstRequest(pulled.key.userId, OTHER_PROVIDER, { look })).toBeLessThan(WITHIN_MS)
    await until(() => provider.requestCount >= 16, { mostMs: 20_000 })
    const began = performance.now()
    controller.abort(new Error('cancelled'))
    expect(await running).toMatchObject({ message: 'cancelled' })
    expect(performance.now() - began).toBeLessThan(STOPS_MS)
    await provider.close()
  })

  it('a person’s refresh pulls data from another provider', async () => {
    const provider = await slow('hangs')
    const { live, key } = pulled
    live.fake.forget()
    const params = { user_id: key.userId }
    const { refreshed_sources, in_progress_sources } = await live.h.call('user.refresh', {
      params,
      query: { timeout: 5 },
    })
    expect(refreshed_sources).toEqual(expect.arrayContaining([`${OTHER_PROVIDER}/steps`]))
    expect(in_progress_sources).toEqual(expect.arrayContaining([`${TEST_PROVIDER}/steps`]))
    await provider.close()
  })

  it('another team’s notifications are read at once', async () => {
    const { live, context, key } = pulled
    const { teamId } = live.h.team
    const other = (await context.store.users.byId(ofOther))?.teamId ?? teamId
    const event = (i: number, accountId: string): NotifiedEvent => ({
      eventId: `event ${i}`,
      accountId,
      hints: [{ kind: 'record', collection: DAYS, recordId: `named-${i}` }],
    })
    // more than are processed together, and all of them earlier
    const many = Array.from({ length: 600 }, (_, i) => event(i, `account-${1 + (i % (PEOPLE - 1))}`))
    const provider = await slow('hangs')
    await notify(teamId, many)
    live.h.time.ms += 1
    await notify(other, [event(1_000, 'account-of-another-team')])
    live.fake.forget()
    const began = performance.now()
    const work = startLiveWork(context, { log: () => {}, lookMs: 200 })
    try {
      const path = `/data/${DAYS}/named-1000`
      const read = await until(() => live.fake.requests.find(each => each.path === path), { mostMs: 60_000 })
      expect(read.at - began).toBeLessThan(WITHIN_MS)
      // on a slow machine some have already waited too long, and are due again later
      const waiting = await context.store.live.notifications.due(live.h.time.ms + DAY_MS, teamId, 1_000)
      expect(waiting.filter(each => each.provider === key.provider)).toHaveLength(many.length)
    } finally {
      await work.stop()
      await provider.close()
    }
  })

  it('another team’s access is revoked at once', async () => {
    const provider = await slow('hangs')
    const { context, live } = pulled
    const { pulls } = context.store.live
    const some = await pulls.list(live.h.team.teamId, TEST_PROVIDER, null, 30)
    for (const { userId } of some) await context.store.connections.remove(userId, TEST_PROVIDER)
    await context.store.connections.remove(ofOther, TEST_PROVIDER)
    live.h.time.ms = Date.now() + 1_000
    live.fake.forget()
    const began = performance.now()
    const work = startLiveWork(context, { log: () => {}, lookMs: 200 })
    try {
      const ended = await until(() => live.fake.requests.find(({ path }) => path === '/access'), { mostMs: 60_000 })
      expect(ended.at - began).toBeLessThan(WITHIN_MS)
    } finally {
      await work.stop()
      await provider.close()
    }
  })
})
