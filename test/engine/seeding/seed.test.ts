/** A seed gives the same people everywhere, with lives that show in their data. Running it again adds only new data. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { ReplyBody } from '../../../src/contract/kernel/operation.ts'
import type { Operations } from '../../../src/contract/operations.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, formatDate, parseDate } from '../../../src/core/time.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

type Report = ReplyBody<Operations['engine.seed']>
type Person = Report['people'][number]

const DAYS = 80
/** Requests people until all of them are seeded, call after call. */
async function runSeed(h: Harness, body: Record<string, unknown> = {}): Promise<Report> {
  const people: Person[] = []
  for (let first: number | null = 1; ; ) {
    const report: Report = await h.call('engine.seed', { body: { people: 3, days: 4, seed: 42, ...body, first } })
    people.push(...report.people)
    if (report.next === null) return { ...report, people }
    first = report.next
  }
}

async function exported(h: Harness, userId: string): Promise<string> {
  const reply = await runOperation(h.engine.context, 'user.export', {
    input: { params: { user_id: userId }, query: {}, body: undefined },
    credentials: { kind: 'team', team: h.team, linkToken: null },
    accept: 'application/x-ndjson',
  })
  if (reply.kind !== 'bytes' || reply.bytes instanceof Uint8Array) throw new Error('bytes were expected')
  let text = ''
  for await (const piece of reply.bytes) text += Buffer.from(piece).toString()
  return text
}

const dates = (from: string, to: string): string[] => {
  const [first, last] = [parseDate(from) as number, parseDate(to) as number]
  return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, i) => formatDate(first + i * DAY_MS))
}

async function readSummaries(h: Harness, person: Person, kind: string): Promise<Map<string, Record<string, never>>> {
  const reply = await h.call('summary.get', {
    params: { resource: kind, user_id: person.user_id as UserId },
    query: { start_date: '2026-08-01', end_date: '2026-11-21' },
  } as never)
  const list = (reply as Record<string, Record<string, never>[]>)[kind] ?? []
  return new Map(list.map(each => [String(each['calendar_date']), each]))
}

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length

describe('three seeded people over eighty days', () => {
  let h: Harness
  let report: Report
  beforeAll(async () => {
    h = await openHarness()
    report = await runSeed(h, { days: DAYS })
  }, 120_000)

  it('are users with names, time zones and accounts, newest first in the list', async () => {
    const { users, total } = await h.call('user.list', {})
    expect(total).toBe(3)
    expect(users.map(each => each.client_user_id)).toEqual(['person-003', 'person-002', 'person-001'])
    expect(users.map(each => each.user_id)).toEqual(report.people.map(each => each.user_id).reverse())
    for (const user of users) {
      expect(user.fallback_time_zone?.id).toMatch(/\//)
      expect(user.fallback_birth_date?.value).toMatch(/^(19|20)\d\d-/)
      expect(user.connected_sources.length).toBeGreaterThan(0)
    }
  })

  it('include one with a connection in error and no data in the last days', async () => {
    const person = report.people[2] as Person
    const broken = person.connections.find(each => each.status === 'error')
    const { providers } = await h.call('user.providers', { params: { user_id: person.user_id } })
    const entry = providers.find(each => each.slug === broken?.provider)
    expect(entry?.error_details).toMatchObject({
      error_type: 'token_refresh_failed',
      errored_at: '2026-11-16T12:00:00+00:00',
    })
    const days = [...(await readSummaries(h, person, 'activity')).keys()].sort()
    expect(days.at(-1)).toBe('2026-11-16')
  })

  it('fall ill: on the worst days their heart rate is higher, and they sleep and walk less', async () => {
    const person = report.people[0] as Person
    const [sleeps, activities] = [await readSummaries(h, person, 'sleep'), await readSummaries(h, person, 'activity')]
    // the first day of an illness is mild
    const worst = new Set(person.illnesses.flatMap(({ from, to }) => dates(from, to).slice(1, 3)))
    const ill = person.illnesses.flatMap(({ from, to }) => dates(from, to))
    const well = [...sleeps.keys()].filter(date => !ill.includes(date))
    const sick = [...sleeps.keys()].filter(date => worst.has(date))
    expect(sick.length).toBeGreaterThan(1)
    const of = (list: readonly string[], from: Map<string, Record<string, never>>, field: string): number =>
      mean(list.flatMap(date => (from.has(date) ? [Number(from.get(date)?.[field])] : [])))
    expect(of(sick, sleeps, 'hr_resting')).toBeGreaterThan(of(well, sleeps, 'hr_resting') + 5)
    expect(of(sick, sleeps, 'temperature_delta')).toBeGreaterThan(of(well, sleeps, 'temperature_delta') + 0.7)
    expect(of(sick, sleeps, 'total')).toBeLessThan(of(well, sleeps, 'total') - 1200)
    expect(of(sick, activities, 'steps')).toBeLessThan(0.6 * of(well, activities, 'steps'))
  })

  it('travel: days and nights of a trip have the local offset', async () => {
    const person = report.people[0] as Person
    expect(person.trips.length).toBeGreaterThan(0)
    const sleeps = await readSummaries(h, person, 'sleep')
    const abroad = person.trips.flatMap(({ from, to }) => dates(from, to))
    const offsets = (list: readonly string[]) =>
      new Set(list.flatMap(date => (sleeps.has(date) ? [Number(sleeps.get(date)?.['timezone_offset'])] : [])))
    const away = offsets(abroad)
    const home = offsets([...sleeps.keys()].filter(date => !abroad.includes(date)))
    expect(away.size).toBeGreaterThan(0)
    for (const offset of away) expect(home.has(offset)).toBe(false)
    const activity = await readSummaries(h, person, 'activity')
    const zones = new Set(abroad.flatMap(date => activity.get(date)?.['time_zone'] ?? []))
    expect(zones).toEqual(new Set(person.trips.map(each => each.time_zone)))
  })

  it('sleep once a night wherever they are, and never in two places at once', async () => {
    const sleeps = [...(await readSummaries(h, report.people[0] as Person, 'sleep')).values()]
      .map(each => [Date.parse(String(each['bedtime_start'])), Date.parse(String(each['bedtime_stop']))] as const)
      .sort((a, b) => a[0] - b[0])
    expect(sleeps.length).toBeGreaterThanOrEqual(DAYS - 1)
    for (let i = 1; i < sleeps.length; i++) expect(sleeps[i]?.[0]).toBeGreaterThan(sleeps[i - 1]?.[1] as number)
  })

  it('sometimes forget their devices: no summary on such a day, and one on every other day', async () => {
    const person = report.people[1] as Person
    expect(person.gaps.length).toBeGreaterThan(0)
    const activity = await readSummaries(h, person, 'activity')
    const missing = new Set(person.gaps.flatMap(({ from, to }) => dates(from, to)))
    for (const date of dates(formatDate(NOON - (DAYS - 1) * DAY_MS), formatDate(NOON))) {
      expect([date, activity.has(date)]).toEqual([date, !missing.has(date)])
    }
  })

  it('are created without events for their samples: only for connections, devices, errors and finished pulls', async () => {
    const types = new Set<string>()
    for (const { user_id } of report.people) {
      const events = await h.engine.context.store.events.ofUser(user_id as UserId, 0, 1_000)
      for (const each of events) types.add(each.type)
    }
    expect([...types].filter(type => type.startsWith('daily.'))).toEqual([])
    expect(types).toContain('provider.connection.created')
    expect(types).toContain('provider.connection.error')
    expect(types).toContain('historical.data.sleep.created')
  })

  it('add nothing when seeded again, and new data when the clock has moved', async () => {
    const sequences = async () =>
      Promise.all(
        report.people.map(
          async each => (await h.engine.context.store.events.ofUser(each.user_id as UserId, 0, 1_000)).length,
        ),
      )
    const before = await sequences()
    const again = await runSeed(h, { days: DAYS })
    expect(again.people.map(each => [each.state, each.samples])).toEqual(Array(3).fill(['unchanged', 0]))
    expect(await sequences()).toEqual(before)
    const earlier = await runSeed(h, { days: 3, until: '2026-11-19T06:00:00Z' })
    expect(earlier.people.map(each => each.state)).toEqual(Array(3).fill('unchanged'))
    expect(await sequences()).toEqual(before)
    await h.call('user.refresh', { params: { user_id: report.people[0]?.user_id as UserId }, query: {} })
    expect(await sequences()).toEqual(before)
    await h.call('clock.set', { body: { advance: '2d' } })
    const later = await runSeed(h, { days: 3 })
    expect(later.people.map(each => each.state)).toEqual(['updated', 'updated', 'updated'])
    await h.call('clock.set', { body: { follow: 'real_time' } })
  })
})

describe('a seed', () => {
  it('gives the same bytes in every folder, and different people for another seed', async () => {
    const [a, b, c] = [await openHarness(), await openHarness(), await openHarness()]
    const [first, second, third] = [await runSeed(a), await runSeed(b), await runSeed(c, { seed: 43 })]
    expect(second).toEqual(first)
    for (const { user_id } of first.people) expect(await exported(b, user_id)).toBe(await exported(a, user_id))
    expect(third.people.map(each => each.user_id)).not.toEqual(first.people.map(each => each.user_id))
    const texts = await Promise.all([
      exported(a, first.people[0]?.user_id ?? ''),
      exported(c, third.people[0]?.user_id ?? ''),
    ])
    expect(texts[0]?.length).not.toBe(texts[1]?.length)
  })

  it('leaves existing people unchanged when more are requested', async () => {
    const h = await openHarness()
    const few = await runSeed(h, { people: 1 })
    const more = await runSeed(h, { people: 2 })
    expect(more.people.map(each => each.state)).toEqual(['unchanged', 'created'])
    expect(more.people[0]?.user_id).toBe(few.people[0]?.user_id)
  })

  it('ends on the requested date', async () => {
    const h = await openHarness()
    const report = await runSeed(h, { people: 1, until: '2026-11-10T06:00:00Z' })
    expect(report.until).toBe('2026-11-10T06:00:00+00:00')
    const { groups } = await h.call('timeseries.grouped', {
      params: { user_id: report.people[0]?.user_id as UserId, resource: 'heartrate' },
      query: { start_date: '2026-11-01', end_date: '2026-11-20' },
    })
    const times = Object.values(groups).flatMap(group => group.flatMap(each => each.data.map(sample => sample.start)))
    expect(times.toSorted().at(-1)).toBe('2026-11-10T06:00:00+00:00')
  })

  it('is refused as a whole if another user has one of its names, a person was deleted, or it would end in the future', async () => {
    const h = await openHarness()
    await h.call('user.create', { body: { client_user_id: 'person-002' } })
    const taken = await h.refusal('engine.seed', { body: { people: 3, days: 1 } })
    expect(taken).toMatchObject({ code: 'conflict', status: 409 })
    expect(taken.message).toContain('person-002')
    expect((await h.call('user.list', {})).total).toBe(1)

    const other = await openHarness()
    const { people } = await runSeed(other, { people: 1, days: 1 })
    await other.call('user.delete', { params: { user_id: people[0]?.user_id as UserId } })
    const deleted = await other.refusal('engine.seed', { body: { people: 1, days: 1 } })
    expect(deleted).toMatchObject({ code: 'conflict' })
    expect(deleted.message).toContain('deleted')

    const future = await other.refusal('engine.seed', { body: { until: '2027-01-01' } })
    expect(future).toMatchObject({ code: 'invalid_request', status: 422 })
    expect(await other.refusal('engine.seed', { body: { people: 0 } })).toMatchObject({ status: 422 })
  })

  it('applies to one team: another team in the store can use the same seed', async () => {
    const h = await openHarness()
    const mine = await runSeed(h, { people: 1, days: 1 })
    const made = await h.call('team.create', { body: { name: 'second' } })
    const { context } = h.engine
    const team = await context.store.teams.find(made.team_id as never)
    const reply = await runOperation(context, 'engine.seed', {
      input: { params: {}, query: {}, body: { people: 1, days: 1 } },
      credentials: { kind: 'team', team: team as never, linkToken: null },
      accept: 'application/json',
    })
    const theirs = (reply as { body: Report }).body
    expect(theirs.people[0]?.client_user_id).toBe('person-001')
    expect(theirs.people[0]?.user_id).not.toBe(mine.people[0]?.user_id)
  })
})
