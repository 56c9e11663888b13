/** Google Health and Dexcom from the link to the disconnect, with the real connectors and their stand-ins. */
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { receiveNotification } from '../../../src/engine/live/notifications/notification-queue.ts'
import { dueNotifications, processNotified } from '../../../src/engine/live/notifications/notified.ts'
import { secretsOf } from '../../../src/engine/live/setups/setup-secrets.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { busyAccount, openDexcom } from '../../providers/dexcom/dexcom.ts'
import { type GoogleHealthStandIn, openGoogleHealth } from '../../providers/google-health/google-health.ts'
import { busyPerson } from '../../providers/google-health/person.ts'
import { linked, refresh, values } from './linked-account.ts'

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
