/** The live connector's data for a person with a Dexcom sensor. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PulledPage, PullRequest } from '../../../src/connectors/connector.ts'
import { dexcomConnector as connector } from '../../../src/connectors/live/dexcom/connector.ts'
import type { TokenSet } from '../../../src/connectors/token-set.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { NO_OFFSET, textAt } from '../../../src/core/sample.ts'
import { busyAccount, type FakeDexcom, local, openDexcom, reading } from '../../providers/dexcom/dexcom.ts'
import { testApp, testSession } from '../../providers/test-session.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000
const USER = '11111111-2222-4333-8444-555555555555' as UserId
let dexcom: FakeDexcom

beforeEach(async () => {
  dexcom = await openDexcom()
})
afterEach(() => dexcom.close())

function account() {
  const found = dexcom.accounts.get('person-1')
  if (!found) throw new Error('no account')
  return found
}

function session(settings: Readonly<Record<string, string>> = {}) {
  const { accessToken, refreshToken } = dexcom.issue('person-1', ['offline_access'])
  const tokenSet: TokenSet = { accessToken, refreshToken, expiresAt: null, scopes: ['offline_access'], extra: {} }
  const app = testApp(dexcom, connector)
  return testSession(dexcom, connector, {
    grant: tokenSet,
    app: { ...app, settings: { ...app.settings, ...settings } },
  })
}

async function pull(
  collection: string,
  asked: Partial<PullRequest> = {},
  open: ReturnType<typeof session> = session(),
): Promise<PulledPage> {
  const pages: PulledPage[] = []
  const request = {
    userId: USER,
    collection,
    window: { from: NOW - DAY, to: NOW },
    resources: connector.resources,
    timeZone: null,
    now: NOW,
    ...asked,
  }
  for await (const page of connector.pull(open, request)) pages.push(page)
  const unmapped: Record<string, number> = {}
  for (const page of pages) {
    for (const [kind, n] of Object.entries(page.unmapped)) unmapped[kind] = (unmapped[kind] ?? 0) + n
  }
  return { records: pages.flatMap(each => each.records), batches: pages.flatMap(each => each.batches), unmapped }
}

const rows = ({ batches }: Pick<PulledPage, 'batches'>) =>
  batches.flatMap(({ series, n, start, end, value, offset }) =>
    Array.from({ length: n }, (_, i) => ({
      series: `${series.resource} ${series.type ?? ''} ${series.sourceType}`.replace('  ', ' '),
      at: start[i],
      end: end?.[i] ?? start[i],
      value: value[i],
      offset: offset?.[i] ?? NO_OFFSET,
    })),
  )

const event = (more: Readonly<Record<string, unknown>>) => ({
  recordId: 'e-1',
  systemTime: '2026-11-20T08:00:00',
  displayTime: '2026-11-20T09:00:00',
  eventStatus: 'created',
  ...more,
})

describe('sensor readings', () => {
  it('are converted to mmol/L, at the system time, with the display’s offset', async () => {
    account().egvs.push(reading(NOW - 300_000, 180))
    // 180 mg/dL ÷ 18.0156 = 9.99134…
    const [row] = rows(await pull('egvs'))
    expect(row).toMatchObject({ series: 'glucose automatic', at: NOW - 300_000, offset: 3600 })
    expect(row?.value).toBeCloseTo(9.991341, 6)
  })

  it('keep values in mmol/L, and count those in an unknown unit', async () => {
    account().egvs.push(
      { ...reading(NOW - 600_000, 5.5), unit: 'mmol/L' },
      { ...reading(NOW - 300_000, 100), unit: 'unknown' },
      { ...reading(NOW - 200_000, 100), value: null },
    )
    const page = await pull('egvs')
    expect(rows(page).map(row => row.value)).toEqual([5.5])
    expect(page.unmapped['egvs without a value in a known unit']).toBe(2)
  })

  it('have the display’s offset rounded to a quarter of an hour, whether it is stated or derived', async () => {
    const at = NOW - 300_000
    account().egvs.push(
      { ...reading(at, 100), displayTime: local(at + (5.5 * 60 + 4) * 60_000) },
      {
        ...reading(at + 1000, 100),
        systemTime: `${local(at + 1000)}Z`,
        displayTime: `${local(at - 8 * 3_600_000)}-08:00`,
      },
      { ...reading(at + 60_000, 100), systemTime: local(at + 60_000).slice(0, 16), displayTime: undefined },
      // stated with clock drift, as in recorded responses
      { ...reading(at + 61_000, 100), displayTime: `${local(at - 25_137_000)}-06:59:58` },
      // Nepal, stated and derived
      { ...reading(at + 62_000, 100), displayTime: `${local(at + 20_762_000)}+05:45` },
      { ...reading(at + 63_000, 100), displayTime: local(at + 63_000 + 345 * 60_000) },
    )
    expect(rows(await pull('egvs')).map(row => [row.at, row.offset])).toEqual([
      [at, 19_800],
      [at + 1000, -28_800],
      [at + 60_000, NO_OFFSET],
      [at + 61_000, -25_200],
      [at + 62_000, 20_700],
      [at + 63_000, 20_700],
    ])
  })

  it('can have times without leading zeros, in records and in the account’s range', async () => {
    const window = { from: Date.parse('2026-04-30T00:00:00Z'), to: Date.parse('2026-05-01T00:00:00Z') }
    account().egvs.push(
      { ...reading(0, 100), systemTime: '2026-4-30T5:00Z', displayTime: '2026-4-30T7:00+02:00' },
      { ...reading(0, 101), systemTime: '2026-4-30T15:05:07Z', displayTime: '2026-4-30T8:05:07-07:00' },
    )
    dexcom.fail({ path: /dataRange/, body: { egvs: { start: { systemTime: '2026-4-3T5:00Z' } } } })
    expect(rows(await pull('egvs', { window })).map(row => [row.at, row.offset])).toEqual([
      [Date.parse('2026-04-30T05:00:00Z'), 7200],
      [Date.parse('2026-04-30T15:05:07Z'), -25_200],
    ])
    dexcom.fail({ path: /dataRange/, body: { egvs: { start: { systemTime: '2026-6-3T5:00Z' } } } })
    dexcom.forget()
    expect(rows(await pull('egvs', { window }))).toEqual([])
    expect(dexcom.requests.map(each => each.path)).toEqual(['/v3/users/self/dataRange'])
  })

  it('are left out beyond the sensor’s range, unless the setting keeps them', async () => {
    account().egvs.push(
      { ...reading(NOW - 600_000, 39), status: 'low' },
      { ...reading(NOW - 300_000, 401), status: 'high', value: null },
      { ...reading(NOW - 200_000, 90), status: null },
    )
    const left = await pull('egvs')
    expect(rows(left)).toHaveLength(1)
    expect(left.unmapped['egvs outside the range of the sensor']).toBe(2)
    const kept = await pull('egvs', {}, session({ out_of_range: 'keep' }))
    expect(rows(kept)).toHaveLength(2)
    expect(kept.unmapped['egvs outside the range of the sensor']).toBe(1)
  })

  it('are also checked by value, because the status may be absent', async () => {
    const { status: _, ...plain } = reading(0, 0)
    const values = [39, 40, 400, 401].map((value, i) => ({
      ...plain,
      value,
      systemTime: local(NOW - (9 - i) * 60_000),
    }))
    const millimoles = [2.1, 2.2, 22.2, 22.3].map((value, i) => ({
      ...{ ...plain, value, unit: 'mmol/L', status: 'ok' },
      systemTime: local(NOW - (5 - i) * 60_000),
    }))
    account().egvs.push(...values, ...millimoles)
    const left = await pull('egvs')
    expect(rows(left).map(row => Math.round((row.value ?? 0) * 10) / 10)).toEqual([2.2, 22.2, 2.2, 22.2])
    expect(left.unmapped['egvs outside the range of the sensor']).toBe(4)
    expect(rows(await pull('egvs', {}, session({ out_of_range: 'keep' })))).toHaveLength(8)
  })

  it.each(['both', 'start', 'neither'] as const)(
    'are each read once at window boundaries (bounds: %s)',
    async bounds => {
      dexcom.bounds = bounds
      dexcom.accounts.set('person-1', busyAccount(NOW, 60))
      const windowMs = 28 * DAY
      const found: unknown[] = []
      for (let to = NOW; to > NOW - 61 * DAY; to -= windowMs) {
        found.push(...rows(await pull('egvs', { window: { from: to - windowMs, to } })).map(row => row.at))
      }
      expect(found.length).toBe(60 * 288)
      expect(new Set(found).size).toBe(60 * 288)
    },
  )

  it('from before the first one need only a request for the range', async () => {
    account().egvs.push(reading(NOW - 40 * DAY, 100))
    await pull('egvs', { window: { from: NOW - 110 * DAY, to: NOW - 82 * DAY } })
    expect(dexcom.requests.map(each => each.path)).toEqual(['/v3/users/self/dataRange'])
    const old = await pull('egvs', { window: { from: NOW - 60 * DAY, to: NOW - 32 * DAY } })
    expect(rows(old)).toHaveLength(1)
  })

  it('are read despite unknown fields, nulls and entries that are not records', async () => {
    dexcom.fail({
      path: /egvs/,
      status: 200,
      body: { records: [{ ...reading(NOW - 300_000, 100), novelty: 1 }, null, 'x', { value: 5 }] },
    })
    const page = await pull('egvs')
    expect(rows(page)).toHaveLength(1)
    expect(page.unmapped).toMatchObject({ 'egvs in an unknown form': 2, 'egvs without a time': 1 })
  })
})

describe('entries by the person', () => {
  it('become carbohydrates, insulin, finger sticks and workouts', async () => {
    account().events.push(
      event({ recordId: 'c', eventType: 'carbs', value: '45.5', unit: 'grams' }),
      event({ recordId: 'i', eventType: 'insulin', eventSubType: 'longActing', value: 12, unit: 'units' }),
      event({ recordId: 'b', eventType: 'bloodGlucose', value: '90.078', unit: 'mg/dL' }),
      event({ recordId: 'x', eventType: 'exercise', eventSubType: 'heavy', value: 30, unit: 'minutes' }),
    )
    const { records } = await pull('events')
    const at = Date.parse('2026-11-20T08:00:00Z')
    // 90.078 mg/dL ÷ 18.0156 = 5 mmol/L
    expect(records.flatMap(rows)).toEqual([
      { series: 'carbohydrates app', at, end: at, value: 45.5, offset: 3600 },
      { series: 'insulin_injection long_acting app', at, end: at, value: 12, offset: 3600 },
      { series: 'glucose fingerprick', at, end: at, value: 5, offset: 3600 },
      { series: 'workout_duration app', at, end: at + 1_800_000, value: 30, offset: 3600 },
    ])
    const workout = records.at(-1)?.summaries[0]
    expect(workout).toMatchObject({ kind: 'workouts', at, date: '2026-11-20', offset: 3600, sourceType: 'app' })
    expect(workout?.document).toMatchObject({
      moving_time: 1800,
      time_end: '2026-11-20T08:30:00+00:00',
    })
    expect(workout?.document).not.toHaveProperty('distance')
  })

  it('include a dose of a type unknown to Dexcom', async () => {
    account().events.push(
      event({ recordId: '1', eventType: 'insulin', value: '4', unit: 'units' }),
      event({ recordId: '2', eventType: 'insulin', eventSubType: null, value: '5', unit: 'units' }),
      event({ recordId: '3', eventType: 'insulin', eventSubType: 'unknown', value: '6', unit: 'units' }),
    )
    const { records, unmapped } = await pull('events')
    expect(records.flatMap(rows).map(row => [row.series, row.value])).toEqual([
      ['insulin_injection unknown app', 4],
      ['insulin_injection unknown app', 5],
      ['insulin_injection unknown app', 6],
    ])
    expect(unmapped).toEqual({})
  })

  it('become notes with their text', async () => {
    account().events.push(
      // the form of the published example, with a note in place of its insulin
      event({ recordId: '1', eventType: 'notes', eventSubType: null, value: 'Felt dizzy after lunch', unit: null }),
      event({ recordId: '2', eventType: 'note', value: '12.5' }),
    )
    const { records, unmapped } = await pull('events')
    const notes = records.flatMap(({ batches }) => batches)
    expect(
      notes.map(({ series, text }) => [series.resource, series.sourceType, textAt(text.get('content'), 0)]),
    ).toEqual([
      ['note', 'app', 'Felt dizzy after lunch'],
      ['note', 'app', '12.5'],
    ])
    expect(unmapped).toEqual({})
  })

  it('replace their earlier versions, and disappear when they are deleted', async () => {
    const events = account().events
    events.push(event({ eventType: 'carbs', value: 10, unit: 'grams' }))
    const [first] = (await pull('events')).records
    events[0] = event({ eventType: 'carbs', value: 20, unit: 'grams', eventStatus: 'updated' })
    const [second] = (await pull('events')).records
    expect(second?.id).toBe(first?.id)
    expect(second?.version).not.toBe(first?.version)
    events[0] = event({ eventType: 'carbs', value: 20, eventStatus: 'deleted' })
    expect((await pull('events')).records).toMatchObject([{ id: 'e-1', isDeleted: true, batches: [], summaries: [] }])
  })

  it('are counted by type if no resource fits them', async () => {
    account().events.push(
      event({ recordId: '1', eventType: 'health', eventSubType: 'cycle' }),
      event({ recordId: '2', eventType: 'notes', value: ' ' }),
      event({ recordId: '3', eventType: 'constructor', value: 1, unit: 'units' }),
      event({ recordId: '4', eventType: 'carbs', value: 'many', unit: 'grams' }),
      event({ recordId: '', eventType: 'carbs', value: 1 }),
    )
    const { unmapped, records } = await pull('events')
    expect(unmapped).toEqual({
      'events health': 1,
      'events notes without a text': 1,
      'events constructor': 1,
      'events carbs without a value in a known unit': 1,
      'events without an id': 1,
    })
    expect(records.flatMap(rows)).toEqual([])
  })

  it('of calibrations are finger sticks with IDs', async () => {
    account().calibrations.push({ ...reading(NOW - 60_000, 180.156), recordId: 'cal-1' })
    const { records } = await pull('calibrations')
    expect(records.map(each => each.id)).toEqual(['cal-1'])
    expect(records.flatMap(rows)).toMatchObject([{ series: 'glucose fingerprick', value: 10 }])
  })
})

describe('the account', () => {
  const asked = { state: 'state-1', codeChallenge: 'challenge', redirectUrl: 'http://localhost:8484/callback' }

  it.each([
    ['us', 'https://api.dexcom.com/v3/oauth2/login'],
    ['eu', 'https://api.dexcom.eu/v3/oauth2/login'],
    ['jp', 'https://api.dexcom.jp/v3/oauth2/login'],
    ['sandbox', 'https://sandbox-api.dexcom.com/v3/oauth2/login'],
  ])('of region %s uses its own host for consent', (region, authorizeUrl) => {
    const app = { ...testApp(dexcom, connector), ...connector.defaults }
    const url = connector.authorizationUrl({ ...app, settings: { ...app.settings, region } }, asked)
    expect(url.origin + url.pathname).toBe(authorizeUrl)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: asked.redirectUrl,
      scope: 'offline_access',
      state: 'state-1',
    })
  })

  it('is linked, gets a new token set with each refresh, and keeps its region', async () => {
    const app = testApp(dexcom, connector)
    const open = testSession(dexcom, connector, {
      app: { ...app, settings: { ...app.settings, region: 'eu', pkce: 'yes' } },
    })
    const codeChallenge = 'qjrzSW9gMiUgpUvqgEPE4_-8swvyCtfOVvg55o5S_es'
    const consent = connector.authorizationUrl(open.app, { ...asked, codeChallenge })
    const back = await fetch(consent, { redirect: 'manual' })
    const parameters = new URL(back.headers.get('location') ?? '').searchParams
    const tokenSet = await connector.exchange(open, {
      code: parameters.get('code') ?? '',
      redirectUrl: asked.redirectUrl,
      codeVerifier: 'M25iVXpKU3puUjFaYWg3T1NDTDQtcW1ROUY5YXlwalNoc0hhakxifmZHag',
      parameters,
    })
    expect(tokenSet).toMatchObject({ scopes: ['offline_access'], extra: { region: 'eu' } })
    const next = await connector.refresh(open, tokenSet)
    expect(next.refreshToken).not.toBe(tokenSet.refreshToken)
    expect(next.extra).toEqual({ region: 'eu' })
    expect(await connector.profile(testSession(dexcom, connector, { grant: next }))).toEqual({ accountId: 'person-1' })
    await expect(connector.refresh(open, tokenSet)).rejects.toMatchObject({ kind: 'grant_lost' })
  })

  it('distinguishes a window that is too long from access that has ended', async () => {
    await expect(pull('egvs', { window: { from: NOW - 31 * DAY, to: NOW } })).rejects.toMatchObject({
      kind: 'bad_request',
    })
    const open = session()
    for (const tokenSet of dexcom.tokenSets) tokenSet.isRevoked = true
    await expect(pull('egvs', {}, open)).rejects.toMatchObject({ kind: 'access_refused' })
  })

  it('can be revoked only by the person, unless a URL for it is set', async () => {
    const before = dexcom.requests.length
    await connector.revoke(session())
    expect(dexcom.requests.length).toBe(before)
    dexcom.fail({ path: /revoke/, status: 200, body: {} })
    await connector.revoke(session({ revoke_url: `${dexcom.url}/revoke` }))
    expect(dexcom.requests.at(-1)?.form.get('token')).toMatch(/^rt-/)
  })
})
