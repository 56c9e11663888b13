/** Google Health, Oura and Dexcom from the link to the disconnect, with the real connectors and their fake providers. */
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { receiveNotification } from '../../../src/engine/live/notifications/notification-queue.ts'
import { dueNotifications, processNotified } from '../../../src/engine/live/notifications/notified.ts'
import { openAppSecrets } from '../../../src/engine/live/oauth-apps/app-secrets.ts'
import { refreshLive } from '../../../src/engine/live/pulling/refresh-live.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { busyAccount, openDexcom } from '../../providers/dexcom/dexcom.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../providers/google-health/google-health.ts'
import { busyPerson, emptyPerson, interval } from '../../providers/google-health/person.ts'
import { openOura } from '../../providers/oura/oura.ts'
import { linked, refresh, values } from './linked-account.ts'

/** The night before `NOON` at the fake provider. */
const NEWEST_NIGHT = 'sleep-2026-11-20'

/** Sends a signed notification to the OAuth app's notification URL, and runs the resulting work. Returns the status. */
async function notify(h: Harness, google: FakeGoogleHealth, events: unknown) {
  const { context } = h.engine
  const oauthApp = await context.store.live.oauthApps.find(h.team.teamId, 'google_health')
  if (!oauthApp) throw new Error('it is not set up')
  const body = Buffer.from(JSON.stringify(events))
  const signature = google.signer.sign(body)
  const response = await receiveNotification(
    context,
    { provider: 'google_health', token: openAppSecrets(context, oauthApp).notificationToken },
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
  return response?.status
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
    expect(google.tokenSets[0]?.refreshes).toBe(1)

    const deleted = { healthUserId: 'person-1', operation: 'DELETE', dataType: 'sleep', recordId: NEWEST_NIGHT }
    expect(await notify(h, google, [{ data: deleted }])).toBe(204)
    expect(await nights()).toHaveLength(20)

    await h.call('user.disconnect', { params: { user_id, provider: 'google_health' } })
    expect(google.tokenSets[0]?.isRevoked).toBe(true)
  })
})

describe('a person with Google Health who eats, drinks and measures', () => {
  it('has meals, water and electrocardiograms, which are removed one by one', async () => {
    const h = await openHarness()
    const google = await openGoogleHealth({ now: () => h.time.now() })
    const person = emptyPerson()
    google.people.set('person-1', person)
    const at = NOON - 3 * HOUR_MS
    const when = interval(at, at + 60_000)
    person.points['nutrition-log'] = [
      { id: 'n-1', body: { interval: when, foodDisplayName: 'Phulka', totalCarbohydrate: { grams: 60 } } },
    ]
    person.points['hydration-log'] = [
      { id: 'h-1', body: { interval: when, amountConsumed: { milliliters: 250 } } },
      {
        id: 'h-2',
        body: { interval: interval(at - 300 * DAY_MS, at - 300 * DAY_MS), amountConsumed: { milliliters: 100 } },
      },
    ]
    const reading = { waveformSamples: [0, 100, -50], samplingFrequencyHertz: 250, millivoltsScalingFactor: 200 }
    person.points['electrocardiogram'] = [
      { id: 'e-1', body: { interval: interval(at, at), resultClassification: 'ATRIAL_FIBRILLATION', ...reading } },
      { id: 'e-2', body: { interval: interval(at - 900 * DAY_MS, at - 900 * DAY_MS), ...reading } },
    ]
    const own = { revoke_url: `${google.url}/revoke`, keyset_url: `${google.url}/keyset` }
    const user_id = await linked(h, google, 'google_health', own)
    await refresh(h, user_id, 'google_health')
    const query = { start_date: '2020-01-01', end_date: '2026-11-21', provider: '' }
    const summaries = async (resource: 'meal' | 'electrocardiogram', key: string) =>
      (await h.call('summary.get', { params: { user_id, resource }, query }))[key]
    expect(await summaries('meal', 'meals')).toMatchObject([
      { name: 'Phulka', calendar_date: '2026-11-20', macros: { carbs: 60 }, source: { type: 'app' } },
    ])
    expect(await summaries('electrocardiogram', 'electrocardiogram')).toMatchObject([
      { classification: null },
      { classification: 'atrial_fibrillation', voltage_sample_count: 3 },
    ])
    const water = () => values(h, user_id, 'water', 'google_health')
    expect(await water()).toMatchObject([{ value: 250, unit: 'ml' }])
    expect(await values(h, user_id, 'carbohydrates', 'google_health')).toMatchObject([{ value: 60 }])
    expect(await values(h, user_id, 'electrocardiogram_voltage', 'google_health')).toMatchObject([
      { value: 0, type: 'lead_1', unit: 'mV' },
      { value: 0.5 },
      { value: -0.25 },
    ])
    const deleted = { healthUserId: 'person-1', operation: 'DELETE', dataType: 'hydration-log', recordId: 'h-1' }
    expect(await notify(h, google, { data: deleted })).toBe(204)
    expect(await water()).toEqual([])
  })

  it('sees what is wrong with the OAuth app’s project', async () => {
    const h = await openHarness()
    const google = await openGoogleHealth({ now: () => h.time.now() })
    const own = { revoke_url: `${google.url}/revoke`, keyset_url: `${google.url}/keyset` }
    const user_id = await linked(h, google, 'google_health', own)
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'USER_PROJECT_DENIED' }]
    const body = { error: { code: 403, message: 'denied', status: 'PERMISSION_DENIED', details } }
    google.fail({ path: /dataTypes/, status: 403, body, times: 99 })
    await refreshLive(
      h.engine.context,
      { userId: user_id, provider: 'google_health' },
      { mostMs: 60_000, signal: undefined },
    )
    const [connection] = (await h.call('user.providers', { params: { user_id } })).providers
    expect(connection).toMatchObject({ status: 'error', error_details: { error_type: 'provider_credential_error' } })
    expect(connection?.error_details?.error_message).toContain('Google Cloud project')
  })
})

describe('a person with Oura who did not grant daytime heart rate', () => {
  it('has the heart rate of nights, meditations and tags', async () => {
    const h = await openHarness()
    const oura = await openOura({ now: () => h.time.now() })
    oura.consent = { account: 'ada', scopes: ['daily', 'heart_health', 'personal', 'session', 'tag'] }
    const { documents } = oura.person('ada')
    documents['sleep'] = [
      {
        id: 'n-1',
        day: '2026-11-20',
        type: null,
        bedtime_start: '2026-11-19T23:00:00+01:00',
        bedtime_end: '2026-11-20T06:00:00+01:00',
        heart_rate: { interval: 300, items: [52, null, 49.5], timestamp: '2026-11-19T23:00:00+01:00' },
      },
    ]
    const times = { start_datetime: '2026-11-20T08:00:00+01:00', end_datetime: '2026-11-20T08:10:00+01:00' }
    documents['session'] = [{ id: 's-1', day: '2026-11-20', type: 'breathing', ...times }]
    documents['enhanced_tag'] = [
      {
        id: 't-1',
        start_day: '2026-11-20',
        start_time: '2026-11-20T09:00:00+01:00',
        tag_type_code: 'tag_generic_caffeine',
      },
    ]
    const user_id = await linked(h, oura, 'oura', { revoke_url: `${oura.url}/oauth/revoke` })
    await refresh(h, user_id, 'oura')
    expect((await values(h, user_id, 'heartrate', 'oura')).map(each => each['value'])).toEqual([52, 49.5])
    expect(await values(h, user_id, 'mindfulness_minutes', 'oura')).toMatchObject([{ value: 10, unit: 'min' }])
    expect(await values(h, user_id, 'note', 'oura')).toMatchObject([{ value: 'caffeine' }])
    const query = { start_date: '2026-11-01', end_date: '2026-11-21', provider: '' }
    const { sleep } = await h.call('summary.get', { params: { user_id, resource: 'sleep' }, query })
    expect(sleep).toMatchObject([{ type: 'long_sleep', calendar_date: '2026-11-20' }])
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
    expect(dexcom.tokenSets[0]?.refreshes).toBe(1)
    expect(await h.call('user.disconnect', { params: { user_id, provider: 'dexcom_v3' } })).toEqual({ success: true })
  })
})
