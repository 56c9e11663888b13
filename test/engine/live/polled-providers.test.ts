/** Google Health and Dexcom from the link to the disconnect, with the real connectors and their stand-ins. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { receiveNotification } from '../../../src/engine/live/notifications/notification-queue.ts'
import { dueNotifications, processNotified } from '../../../src/engine/live/notifications/notified.ts'
import { refreshLive } from '../../../src/engine/live/pulling/refresh-live.ts'
import { secretsOf } from '../../../src/engine/live/setups/setup-secrets.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { busyAccount, openDexcom } from '../../providers/dexcom/dexcom.ts'
import { type GoogleHealthStandIn, openGoogleHealth } from '../../providers/google-health/google-health.ts'
import { busyPerson } from '../../providers/google-health/person.ts'
import type { StandIn } from '../../providers/stand-in.ts'

const REDIRECT_URL = 'http://localhost:8484/callback'

/** Sets a provider up at its stand-in, and links an account of a new user. */
async function linked(h: Harness, standIn: StandIn, provider: string, settings: Readonly<Record<string, string>> = {}) {
  atEndOfFile(() => standIn.close())
  const params = { provider }
  const { user_id } = await h.call('user.create', { body: { client_user_id: provider } })
  const body = {
    client_id: standIn.clientId,
    client_secret: standIn.clientSecret,
    redirect_url: REDIRECT_URL,
    authorize_url: standIn.authorizeUrl,
    token_url: standIn.tokenUrl,
    api_url: standIn.url,
    settings,
  }
  await h.call('provider.setup', { params, body })
  const { link_token } = await h.call('link.token', { body: { user_id, redirect_url: 'https://app.example/back' } })
  const { state, oauth_url } = await h.call('link.oauth', { params }, { linkToken: link_token })
  const { headers } = await fetch(oauth_url ?? '', { redirect: 'manual' })
  const parameters = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
  const answer = await h.call('link.oauth_callback', { params, body: { parameters } }, { linkToken: state })
  expect(answer).toMatchObject({ state: 'success', connected: true })
  return user_id
}

function page(h: Harness, user_id: UserId, resource: string, provider: string, next_cursor: string) {
  const query = { start_date: '2026-08-01', end_date: '2026-11-21', provider, next_cursor }
  return h.call('timeseries.grouped', { params: { user_id, resource }, query })
}

async function values(h: Harness, user_id: UserId, resource: string, provider: string) {
  const found: Readonly<Record<string, unknown>>[] = []
  let cursor: string | null | undefined = ''
  while (typeof cursor === 'string') {
    const { groups, next_cursor }: Awaited<ReturnType<typeof page>> = await page(h, user_id, resource, provider, cursor)
    found.push(...(groups[provider]?.flatMap(group => group.data) ?? []))
    cursor = next_cursor
  }
  return found
}

/** Pulls everything that is due now. */
async function refresh(h: Harness, userId: UserId, provider: string): Promise<void> {
  const asked = { mostMs: 60_000, signal: undefined }
  expect(await refreshLive(h.engine.context, { userId, provider }, asked)).toBe('refreshed')
}

/** The night before `NOON` at the stand-in. */
const NEWEST_NIGHT = 'sleep-2026-11-20'

/** Sends a signed notification to the address of the set-up, and does what it asks for. Returns the status. */
async function notify(h: Harness, google: GoogleHealthStandIn, events: unknown) {
  const { context } = h.engine
  const setup = await context.store.live.setups.find(h.team.teamId, 'google_health')
  if (!setup) throw new Error('it is not set up')
  const body = Buffer.from(JSON.stringify(events))
  const signature = google.signer.sign(body)
  const answer = await receiveNotification(
    context,
    { provider: 'google_health', token: secretsOf(context, setup).notificationToken },
    {
      method: 'POST',
      header: name => (name === 'google-health-api-signature' ? signature : null),
      query: new URLSearchParams(),
      body,
      receivedAt: h.time.now(),
    },
  )
  for (const each of await dueNotifications(context)) {
    expect(await processNotified(context, each, { holder: 'test', signal: undefined })).toBe(true)
  }
  return answer?.status
}

describe('a person with Google Health', () => {
  it('is linked, pulled, polled, notified and disconnected', async () => {
    const h = await openHarness()
    const google = await openGoogleHealth({ now: () => h.time.now() })
    google.people.set('person-1', busyPerson(NOON, 20))
    const own = { revoke_url: `${google.url}/revoke`, keyset_url: `${google.url}/keyset` }
    const user_id = await linked(h, google, 'google_health', own)
    await refresh(h, user_id, 'google_health')
    const query = { start_date: '2026-08-01', end_date: '2026-11-21', provider: '' }
    const nights = async () => (await h.call('summary.get', { params: { user_id, resource: 'sleep' }, query }))['sleep']
    // 20 days of 48 quarters, and the morning of the last one: 8:00 to 12:00, both included
    expect(await values(h, user_id, 'steps', 'google_health')).toHaveLength(20 * 48 + 17)
    expect(await nights()).toHaveLength(21)

    h.time.ms += 2 * HOUR_MS
    const person = google.people.get('person-1')
    const [last] = person?.points['steps']?.splice(-1) ?? []
    person?.points['steps']?.push({ body: { ...last?.body, count: '999' } })
    await refresh(h, user_id, 'google_health')
    const steps = await values(h, user_id, 'steps', 'google_health')
    expect(steps).toHaveLength(20 * 48 + 17)
    expect(steps.filter(each => each['value'] === 999)).toHaveLength(1)
    expect(google.grants[0]?.renewals).toBe(1)

    const deleted = { healthUserId: 'person-1', operation: 'DELETE', dataType: 'sleep', recordId: NEWEST_NIGHT }
    expect(await notify(h, google, [{ data: deleted }])).toBe(204)
    expect(await nights()).toHaveLength(20)

    await h.call('user.disconnect', { params: { user_id, provider: 'google_health' } })
    expect(google.grants[0]?.isRevoked).toBe(true)
  })
})

describe('a person with Dexcom', () => {
  it('is linked, pulled, polled and disconnected', async () => {
    const h = await openHarness()
    const dexcom = await openDexcom({ now: () => h.time.now() })
    const account = busyAccount(NOON, 60)
    dexcom.accounts.set('person-1', account)
    const user_id = await linked(h, dexcom, 'dexcom_v3', { region: 'eu' })
    await refresh(h, user_id, 'dexcom_v3')
    const carbohydrates = () => values(h, user_id, 'carbohydrates', 'dexcom_v3')
    // readings, and one calibration a day
    expect(await values(h, user_id, 'glucose', 'dexcom_v3')).toHaveLength(60 * 288 + 60)
    expect(await carbohydrates()).toHaveLength(60)

    h.time.ms += DAY_MS
    const last = account.events.pop()
    account.events.push({ ...last, eventStatus: 'deleted' })
    await refresh(h, user_id, 'dexcom_v3')
    expect(await carbohydrates()).toHaveLength(59)
    expect(dexcom.reuses).toBe(0)
    expect(dexcom.grants[0]?.renewals).toBe(1)
    expect(await h.call('user.disconnect', { params: { user_id, provider: 'dexcom_v3' } })).toEqual({ success: true })
  })
})
