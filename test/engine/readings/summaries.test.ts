/** Reading summaries: every kind with its documented keys, ranges of dates and of instants, replacement by id. */
import { describe, expect, it } from 'vitest'
import { deriveIdentity } from '../../../src/connectors/synthetic/identity.ts'
import { drawTraits } from '../../../src/connectors/synthetic/traits.ts'
import { summaryReply } from '../../../src/contract/readings/summary.ts'
import { ownedId, type UserId } from '../../../src/core/ids.ts'
import { SUMMARY_KINDS, type SummaryKind, type SummaryRecord } from '../../../src/core/sample.ts'
import { DAY_MS, HOUR_MS, type IsoDate, parseDate } from '../../../src/core/time.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

async function createUser(h: Harness, client_user_id = 'a'): Promise<UserId> {
  const { user_id } = await h.call('user.create', {
    body: { client_user_id, fallback_time_zone: 'Europe/Berlin' },
  })
  return user_id
}

async function link(h: Harness, user_id: UserId, provider: string): Promise<void> {
  const { link_token } = await h.call('link.token', { body: { user_id } })
  const input = { params: { provider }, body: { username: 'u', password: 'p' } }
  expect((await h.call('link.password', input, { linkToken: link_token })).state).toBe('success')
}

type Query = { start_date?: string; end_date?: string; provider?: string }
const ask = (h: Harness, user_id: UserId, resource: SummaryKind, query: Query = {}) =>
  h.call('summary.get', { params: { user_id, resource }, query })

/** Returns the list in a response, under any key. */
async function list(
  h: Harness,
  user_id: UserId,
  resource: SummaryKind,
  query: Query,
): Promise<Record<string, never>[]> {
  const [rows, ...more] = Object.values(await ask(h, user_id, resource, query))
  expect(more).toEqual([])
  return rows as Record<string, never>[]
}

function record(userId: string, kind: SummaryKind, at: number, date: IsoDate, more: Partial<SummaryRecord> = {}) {
  const source = { provider: 'garmin', sourceType: 'watch', appId: null, deviceId: null }
  return { kind, id: ownedId(userId, kind, at), ...source, at, date, offset: 3600, document: {}, ...more }
}

async function store(h: Harness, userId: UserId, ...summaries: SummaryRecord[]): Promise<void> {
  await h.engine.context.store.data.write(userId, {
    at: h.time.ms,
    teamId: h.team.teamId,
    batches: [],
    streams: [],
    summaries,
    events: { kind: 'daily' },
    importing: null,
    connections: [],
    consumeToken: null,
  })
}

describe('a summary of synthetic people', () => {
  /** Providers that together supply all kinds. */
  const PROVIDERS = ['whoop', 'my_fitness_pal', 'kardia']

  /** Only women have menstrual cycles. */
  async function woman(h: Harness): Promise<UserId> {
    const { seed } = h.engine.context
    for (let i = 0; ; i++) {
      const userId = await createUser(h, `user ${i}`)
      if (deriveIdentity(seed, userId, drawTraits(seed, userId)).sex === 'female') return userId
    }
  }

  it('has exactly the documented keys for its kind', async () => {
    const h = await openHarness()
    const user_id = await woman(h)
    for (const provider of PROVIDERS) await link(h, user_id, provider)
    // a cycle is listed under its first day, which may be weeks ago
    const start = (kind: SummaryKind) => (kind === 'menstrual_cycle' ? '2026-10-01' : '2026-11-12')
    for (const kind of SUMMARY_KINDS) {
      const response = await ask(h, user_id, kind, kind === 'profile' ? {} : { start_date: start(kind) })
      expect(summaryReply(kind).strict().parse(response), kind).toEqual(response)
      const rows = (kind === 'profile' ? [response] : Object.values(response)[0]) as Record<string, unknown>[]
      expect(rows.length, kind).toBeGreaterThan(0)
      const [first] = rows as [Record<string, unknown>]
      expect(first['user_id']).toBe(user_id)
      expect(Object.keys(first['source'] as object)).toEqual(['provider', 'type', 'app_id', 'device_id'])
      expect(first['created_at']).toBe('2026-11-20T12:00:00+00:00')
    }
  })

  it('is under the key of its resource: meals under meals, a profile at the top level', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await link(h, user_id, 'my_fitness_pal')
    expect(Object.keys(await ask(h, user_id, 'meal', { start_date: '2026-11-19' }))).toEqual(['meals'])
    expect(Object.keys(await ask(h, user_id, 'sleep_cycle', { start_date: '2026-11-19' }))).toEqual(['sleep_cycle'])
    expect(await ask(h, user_id, 'profile')).toMatchObject({
      height: expect.any(Number),
      source: { provider: 'my_fitness_pal' },
    })
  })

  it('has the provider’s name in its source only for dates before 2024-07-31', async () => {
    const h = await openHarness()
    h.time.ms = Date.UTC(2024, 6, 30, 12)
    const user_id = await createUser(h)
    await link(h, user_id, 'whoop')
    const sourceOf = async () => (await list(h, user_id, 'activity', { start_date: '2024-07-29' }))[0]?.['source']
    expect(await sourceOf()).toMatchObject({
      provider: 'whoop',
      name: 'Whoop',
      slug: 'whoop',
      logo: expect.any(String),
    })
    h.time.ms = Date.UTC(2024, 6, 31)
    expect(await sourceOf()).toEqual({ provider: 'whoop', type: 'watch', app_id: null, device_id: null })
  })
})

describe('a range', () => {
  it('of dates includes summaries listed under them, including the last date', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await link(h, user_id, 'whoop')
    const dates = async (kind: SummaryKind, query: Query) =>
      (await list(h, user_id, kind, query)).map(each => each['calendar_date'])
    const range = { start_date: '2026-11-10', end_date: '2026-11-12' }
    for (const kind of ['activity', 'sleep', 'sleep_cycle'] as const) {
      expect(await dates(kind, range), kind).toEqual(['2026-11-10', '2026-11-11', '2026-11-12'])
    }
    // without an end up to today; an empty end is ignored
    expect(await dates('activity', { start_date: '2026-11-18' })).toEqual(['2026-11-18', '2026-11-19', '2026-11-20'])
    expect(await dates('activity', { start_date: '2026-11-20', end_date: '' })).toEqual(['2026-11-20'])
    expect(await dates('activity', { start_date: '2026-11-21' })).toEqual([])
  })

  it('of date-times uses the instant: the end of a sleep, the start of a workout; for a day its date', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const woke = Date.UTC(2026, 10, 10, 6, 30)
    await store(
      h,
      user_id,
      record(user_id, 'sleep', woke, '2026-11-10'),
      record(user_id, 'workouts', woke, '2026-11-10'),
      record(user_id, 'activity', parseDate('2026-11-10') as number, '2026-11-10'),
    )
    const count = async (kind: SummaryKind, start_date: string, end_date = '2026-11-30T00:00:00Z') =>
      (await list(h, user_id, kind, { start_date, end_date })).length
    for (const kind of ['sleep', 'workouts'] as const) {
      expect(await count(kind, '2026-11-10T06:30:00Z')).toBe(1)
      expect(await count(kind, '2026-11-10T06:30:00.001Z')).toBe(0)
      expect(await count(kind, '2026-11-10T08:30:00+02:00', '2026-11-10T06:30:00Z')).toBe(1)
      expect(await count(kind, '2026-11-01', '2026-11-10T06:29:59Z')).toBe(0)
      expect(await count(kind, '2026-11-10', '2026-11-10')).toBe(1)
    }
    expect(await count('activity', '2026-11-10T23:00:00Z', '2026-11-10T23:30:00Z')).toBe(1)
    expect(await count('activity', '2026-11-11T00:00:00Z')).toBe(0)
    // the whole range of dates
    expect(await count('sleep', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z')).toBe(1)
  })

  it('includes today wherever the user is', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await store(h, user_id, record(user_id, 'activity', NOON + DAY_MS, '2026-11-21'))
    h.time.ms = Date.UTC(2026, 10, 20, 9, 59)
    expect(await list(h, user_id, 'activity', { start_date: '2026-11-20' })).toEqual([])
    // the 21st has started in Kiritimati
    h.time.ms = Date.UTC(2026, 10, 20, 10)
    expect(await list(h, user_id, 'activity', { start_date: '2026-11-20' })).toHaveLength(1)
  })

  it('is required, must be valid, and must be in order', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const refusal = async (resource: string, query: Query) =>
      (await h.refusal('summary.get', { params: { user_id, resource: resource as SummaryKind }, query })).body['detail']
    expect(await refusal('sleep', {})).toEqual([
      { loc: ['query', 'start_date'], msg: 'Field required', type: 'missing' },
    ])
    const notADate = [{ loc: ['query', 'start_date'], type: 'date_from_datetime_parsing' }]
    for (const kind of ['sleep_cycle', 'menstrual_cycle', 'electrocardiogram']) {
      expect(await refusal(kind, { start_date: '2026-11-10T00:00:00Z' })).toMatchObject(notADate)
    }
    expect(await refusal('sleep', { start_date: 'yesterday' })).toMatchObject(notADate)
    const backwards = [{ loc: ['query', 'end_date'], msg: 'must not be before start_date' }]
    expect(await refusal('body', { start_date: '2026-11-10', end_date: '2026-11-09' })).toMatchObject(backwards)
    expect(
      await refusal('meal', { start_date: '2026-11-10T10:00:00Z', end_date: '2026-11-10T09:00:00Z' }),
    ).toMatchObject(backwards)
    expect(await refusal('sleep', { start_date: '2026-11-10', provider: 'whop' })).toMatchObject([
      { loc: ['query', 'provider'], msg: expect.stringContaining('"whoop"') },
    ])
    expect(await refusal('workout', { start_date: '2026-11-10' })).toMatchObject([
      { loc: ['path', 'resource'], msg: expect.stringContaining('"workouts"') },
    ])
  })

  it('can be limited to a provider', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await link(h, user_id, 'whoop')
    await link(h, user_id, 'zwift')
    const providers = async (query: Query) =>
      (await list(h, user_id, 'activity', { start_date: '2026-11-19', end_date: '2026-11-19', ...query })).map(
        each => (each['source'] as unknown as { provider: string }).provider,
      )
    expect((await providers({})).sort()).toEqual(['whoop', 'zwift'])
    expect(await providers({ provider: 'zwift' })).toEqual(['zwift'])
    expect(await providers({ provider: 'garmin' })).toEqual([])
  })
})

describe('the ID of a summary', () => {
  it('has one version, the newest, with the creation time of the first', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const at = Date.UTC(2026, 10, 10, 17)
    const version = (distance: number, date = '2026-11-10') =>
      record(user_id, 'workouts', at, date, { id: ownedId(user_id, 'w'), document: { distance } })
    await store(h, user_id, version(1000))
    const [first] = await list(h, user_id, 'workouts', { start_date: '2026-11-01' })
    h.time.ms += HOUR_MS
    await store(h, user_id, version(2000, '2026-11-11'))
    const [second, ...more] = await list(h, user_id, 'workouts', { start_date: '2026-11-01' })
    expect(more).toEqual([])
    expect(second).toEqual({
      ...first,
      distance: 2000,
      calendar_date: '2026-11-11',
      updated_at: '2026-11-20T13:00:00+00:00',
    })
    // the same data is not a newer version
    h.time.ms += HOUR_MS
    await store(h, user_id, version(2000, '2026-11-11'))
    expect(await list(h, user_id, 'workouts', { start_date: '2026-11-01' })).toEqual([second])
  })

  it('gets every required key, even if a source gave no values', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    for (const kind of SUMMARY_KINDS) {
      await store(h, user_id, record(user_id, kind, NOON, '2026-11-20', { document: { unheard_of: 1, name: null } }))
      const response = await ask(h, user_id, kind, kind === 'profile' ? {} : { start_date: '2026-11-20' })
      expect(summaryReply(kind).strict().parse(response)).toEqual(response)
      expect(JSON.stringify(response)).not.toContain('unheard_of')
    }
  })
})

describe('the user of a summary', () => {
  it('must be in the team: 404 for an unknown and a deleted user, and for a user without a profile', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const refusal = async (user: UserId, resource: SummaryKind) => {
      const query = resource === 'profile' ? {} : { start_date: '2026-11-01' }
      const { status, message } = await h.refusal('summary.get', { params: { user_id: user, resource }, query })
      return [status, message]
    }
    expect(await refusal(user_id, 'profile')).toEqual([404, 'No provider has sent a profile of this user yet.'])
    const nobody = '00000000-0000-4000-8000-000000000000' as UserId
    for (const kind of SUMMARY_KINDS) expect(await refusal(nobody, kind)).toEqual([404, 'User not found'])
    await h.call('user.delete', { params: { user_id } })
    expect(await refusal(user_id, 'sleep')).toEqual([404, 'User not found'])
  })

  it('has the newest profile, or that of the requested provider', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const profile = (provider: string, height: number) =>
      record(user_id, 'profile', NOON, '2026-11-20', { id: ownedId(user_id, provider), provider, document: { height } })
    await store(h, user_id, profile('garmin', 170))
    h.time.ms += 1000
    await store(h, user_id, profile('oura', 171))
    expect(await ask(h, user_id, 'profile')).toMatchObject({ height: 171, source: { provider: 'oura' } })
    expect(await ask(h, user_id, 'profile', { provider: 'garmin' })).toMatchObject({ height: 170 })
    const { status } = await h.refusal('summary.get', {
      params: { user_id, resource: 'profile' },
      query: { provider: 'whoop' },
    })
    expect(status).toBe(404)
  })
})
