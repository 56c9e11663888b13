/** Continuous queries: refusals, and how results follow the data, the gap, deletions and the priorities. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ServiceError } from '../../../src/core/errors.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import {
  type CreateBody,
  changeScans,
  changes,
  DAILY_STEPS,
  history,
  newUser,
  plainly,
  push,
  result,
  rowsOfEvent,
} from './continuous.ts'

const GAP = 30 * MINUTE_MS
const RUN = { ran: [{ kind: 'continuous_query', count: 1 }], left: [] }
const NOTHING = { ran: [], left: [] }

const create = (h: Harness, body: CreateBody = DAILY_STEPS) => h.call('continuous_query.create', { body })
const runDue = (h: Harness) => h.call('engine.run_due', {})

async function withUser(): Promise<{ h: Harness; user_id: UserId }> {
  const h = await openHarness()
  return { h, user_id: await newUser(h) }
}

async function plain(h: Harness, user_id: UserId, body: CreateBody = DAILY_STEPS): Promise<unknown> {
  const { results } = await h.call('aggregate.query', { params: { user_id }, body: plainly(body) })
  return results[0]?.table
}

const issues = (error: ServiceError) => {
  const { detail } = error.body as { detail: { loc: unknown[]; msg: string }[] }
  return detail.map(({ loc, msg }) => [loc.join('.'), msg])
}

describe('a definition', () => {
  it('is shown unchanged, by ID and by slug, and listed', async () => {
    const { h } = await withUser()
    const made = await create(h)
    expect(made).toMatchObject({
      ...DAILY_STEPS,
      query_config: null,
      scheduling_preferences: { minimum_gap_duration_second: 1800 },
      export_preferences: { data_events: { enabled: true }, fhir_observations: false },
      created_at: '2026-11-20T12:00:00+00:00',
    })
    for (const query_id_or_slug of [made.query_id, made.query_id.toUpperCase(), made.slug]) {
      expect(await h.call('continuous_query.get', { params: { query_id_or_slug } })).toEqual(made)
    }
    expect(await h.call('continuous_query.list', {})).toEqual({ continuous_queries: [made] })
  })

  it('needs a unique slug', async () => {
    const { h } = await withUser()
    await create(h)
    const error = await h.refusal('continuous_query.create', { body: { ...DAILY_STEPS, title: 'Another' } })
    expect([error.status, error.code]).toEqual([409, 'conflict'])
  })

  const { query } = DAILY_STEPS
  const day = query.group_by[0]
  it.each<[string, object, string, RegExp]>([
    ['a slug with a -- inside', { slug: 'a--b' }, 'body.slug', /a-z/],
    ['a slug that ends with -', { slug: 'a-' }, 'body.slug', /a-z/],
    ['a long title', { title: 'x'.repeat(51) }, 'body.title', /50/],
    [
      'a gap below 30 minutes',
      { scheduling_preferences: { minimum_gap_duration_second: 1799 } },
      'body.scheduling_preferences.minimum_gap_duration_second',
      /1800/,
    ],
    [
      'FHIR observations',
      { export_preferences: { fhir_observations: true } },
      'body.export_preferences.fhir_observations',
      /false/,
    ],
    [
      'no bucket',
      { query: { ...query, group_by: [{ timeseries: 'steps', field: 'source_type' }] } },
      'body.query.group_by',
      /exactly one date_trunc/,
    ],
    ['no group at all', { query: { select: query.select.slice(1) } }, 'body.query.group_by', /exactly one/],
    ['two buckets', { query: { ...query, group_by: [day, day] } }, 'body.query.group_by.1.date_trunc', /at most one/],
    [
      'a bucket of 11 years',
      { query: { ...query, group_by: [{ date_trunc: { unit: 'year', value: 11 }, arg: { index: 'timeseries' } }] } },
      'body.query.group_by.0.date_trunc',
      /10 years/,
    ],
    [
      'a key that is not selected',
      {
        query: {
          ...query,
          select: [{ group_key: 0 }, query.select[1]],
          group_by: [day, { source: 'source_provider' }],
        },
      },
      'body.query.select',
      /group key 1 is missing/,
    ],
    ['merged sources', { query: { ...query, merge: true } }, 'body.query.merge', /cannot merge/],
    ['kinds to split', { query: { ...query, mixed_kinds: 'split' } }, 'body.query.mixed_kinds', /must be warn/],
    ['kinds to refuse', { query: { ...query, mixed_kinds: 'refuse' } }, 'body.query.mixed_kinds', /must be warn/],
    ['an unknown column', { query: { ...query, where: 'stpes > 3' } }, 'body.query.where', /steps/],
    [
      'an unknown provider',
      { query_config: { provider_priority_overrides: ['ora'] } },
      'body.query_config.provider_priority_overrides.0',
      /oura/,
    ],
    [
      'a timeframe that is too long',
      { query: { ...query, timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'year', value: 21 } } } },
      'body.query.timeframe.past',
      /20 years/,
    ],
  ])('is refused with %s', async (_what, change, loc, says) => {
    const h = await openHarness()
    const error = await h.refusal('continuous_query.create', { body: { ...DAILY_STEPS, ...change } as CreateBody })
    expect(error.status).toBe(422)
    expect(issues(error)).toEqual([[loc, expect.stringMatching(says)]])
    expect(await h.call('continuous_query.list', {})).toEqual({ continuous_queries: [] })
  })
})

describe('a result', () => {
  it('matches the plain query for data from before and after the query was created, late data and replaced data', async () => {
    const { h, user_id } = await withUser()
    await push(h, user_id, 'steps', [
      { at: '2026-11-01T10:00:00+01:00', value: 10 },
      { at: '2026-11-01T11:00:00+01:00', value: 7, provider: 'garmin', type: 'watch' },
      { at: '2026-11-03T23:30:00-08:00', value: 5 },
    ])
    await create(h)
    expect(await runDue(h)).toEqual(RUN)
    expect(await runDue(h)).toEqual(NOTHING)
    expect(await result(h, user_id)).toEqual({
      'group_key.0': ['2026-11-01T00:00:00', '2026-11-03T00:00:00'],
      'sum.steps': [7, 5],
      'newest.steps.source_type': ['watch', 'ring'],
    })
    await push(h, user_id, 'steps', [
      { at: '2026-11-03T23:30:00-08:00', value: 6 },
      { at: '2019-02-28T10:00:00Z', value: 1 },
      { at: '2026-11-02T10:00:00Z', value: 3 },
    ])
    h.time.ms += GAP
    const table = await result(h, user_id)
    expect(table['sum.steps']).toEqual([1, 7, 3, 6])
    expect(table).toEqual(
      await plain(h, user_id, DAILY_STEPS).then(async () => {
        const body = plainly(DAILY_STEPS, 365 * 19)
        return (await h.call('aggregate.query', { params: { user_id }, body })).results[0]?.table
      }),
    )
  })

  it('has its columns even without rows, and is the same Parquet file as the plain one', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    expect(await result(h, user_id)).toEqual({ 'group_key.0': [], 'sum.steps': [], 'newest.steps.source_type': [] })
    await push(h, user_id, 'steps', [{ at: '2026-11-20T10:00:00Z', value: 10 }])
    h.time.ms += GAP
    const params = { user_id, query_id_or_slug: DAILY_STEPS.slug }
    const accept = 'application/vnd.apache.parquet'
    const { runOperation } = await import('../../../src/engine/engine.ts')
    const reply = await runOperation(h.engine.context, 'aggregate.result_table', {
      input: { params, query: {}, body: undefined },
      credentials: { kind: 'team', team: h.team, linkToken: null },
      accept,
    })
    if (reply.kind !== 'bytes' || !(reply.bytes instanceof Uint8Array)) throw new Error('no Parquet')
    expect(reply.mediaType).toBe(accept)
    const { runQueryBatch } = await import('../../../src/engine/aggregate/run.ts')
    const { toParquet } = await import('../../../src/table/parquet.ts')
    const { queryBatch } = await import('../../../src/contract/aggregates/aggregate.ts')
    const batch = queryBatch().parse(plainly(DAILY_STEPS))
    const who = { userId: user_id, fallbackTimeZone: null }
    const { store, providers } = h.engine.context
    const [table] = await runQueryBatch(store, who, batch, { now: NOON, providers, priorities: [] })
    expect(Buffer.from(reply.bytes).equals(await toParquet(table as never))).toBe(true)
    const refused = await h.refusal('aggregate.result_table', { params }, { accept: 'image/png' })
    expect([refused.status, refused.message]).toEqual([406, expect.stringContaining(accept)])
  })

  it('with several keys, with hours that do not divide the day, and with months is sorted and stored like the plain one', async () => {
    const { h, user_id } = await withUser()
    const body = (slug: string, unit: 'hour' | 'month' | 'week', value: number): CreateBody => ({
      ...DAILY_STEPS,
      slug,
      query: {
        select: [{ func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }, { group_key: '*' }],
        group_by: [
          { source: 'source_provider' },
          { date_trunc: { unit, value }, arg: { index: 'timeseries' } },
          { source: 'source_type' },
          { date_part: 'weekday', arg: { placeholder: true } },
        ],
      },
    })
    const bodies = [body('hours', 'hour', 7), body('months', 'month', 5), body('weeks', 'week', 3)]
    for (const each of bodies) await create(h, each)
    const sample = (i: number) => ({
      at: new Date(Date.UTC(2026, 8, 1) + i * 5_000_000).toISOString(),
      value: 50 + (i % 37),
      provider: i % 3 === 0 ? 'garmin' : 'oura',
      type: i % 5 === 0 ? 'watch' : 'ring',
    })
    for (let from = 0; from < 600; from += 150) {
      await push(
        h,
        user_id,
        'heartrate',
        Array.from({ length: 150 }, (_, i) => sample(((from + i) * 7) % 600)),
      )
      h.time.ms += GAP
      for (const each of bodies) expect(await result(h, user_id, each.slug)).toEqual(await plain(h, user_id, each))
    }
  })

  it('over cycles follows the first day of the period, whatever its listed date', async () => {
    const { h, user_id } = await withUser()
    const select = [{ group_key: '*' as const }, { func: 'count', arg: null }]
    const group_by = [{ date_trunc: { unit: 'month' as const, value: 1 }, arg: { index: 'menstrual_cycle' } }]
    await create(h, { slug: 'cycles', title: 'Cycles', query: { select, group_by } })
    expect(await runDue(h)).toEqual(RUN)
    for (const [period_start, months] of [
      ['2026-05-10', ['2026-05-01T00:00:00']],
      ['2026-08-10', ['2026-08-01T00:00:00']],
    ] as const) {
      h.time.ms += GAP
      const cycle = { summary: 'menstrual_cycle', provider: 'oura', source_type: 'ring', id: 'a', date: '2026-11-10' }
      const items = JSON.stringify([{ ...cycle, document: { period_start, is_predicted: false } }])
      const body = { kind: 'stream' as const, stream: Readable.from([Buffer.from(items)]) }
      await h.call('samples.push', { params: { user_id }, body })
      expect(await result(h, user_id, 'cycles')).toEqual({ 'group_key.0': months, count: [1] })
    }
  })

  it('with a limited timeframe contains nothing outside it', async () => {
    const { h, user_id } = await withUser()
    const past = { unit: 'day' as const, value: 2 }
    const bound = {
      ...DAILY_STEPS,
      query: { ...DAILY_STEPS.query, timeframe: { type: 'relative' as const, anchor: '2026-11-10', past } },
    }
    await create(h, bound)
    const days = Array.from({ length: 9 }, (_, i) => ({ at: `2026-11-0${i + 1}T12:00:00Z`, value: i + 1 }))
    await push(h, user_id, 'steps', days)
    expect((await result(h, user_id))['sum.steps']).toEqual([8, 9])
    await push(h, user_id, 'steps', [{ at: '2026-10-01T12:00:00Z', value: 1 }])
    h.time.ms += GAP
    expect((await result(h, user_id))['sum.steps']).toEqual([8, 9])
    expect((await history(h, user_id)).map(each => each.status)).toEqual(['skipped', 'completed'])
  })

  it('is updated after a deletion, an import and its undo', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    await runDue(h)
    const path = join(temporaryFolder(), 'items.ndjson')
    const item = (day: number, value: number) =>
      JSON.stringify({ resource: 'steps', timestamp: `2026-11-0${day}T08:00:00Z`, value })
    writeFileSync(path, `${item(1, 100)}\n${item(2, 200)}\n`)
    const next = async (): Promise<unknown> => {
      h.time.ms += GAP
      return (await result(h, user_id))['sum.steps']
    }
    const { import_id } = await h.call('import.create', { params: { user_id }, body: { kind: 'file', path } })
    expect(await next()).toEqual([100, 200])
    const range = { start_date: '2026-11-01', end_date: '2026-11-01' }
    await h.call('timeseries.delete', { params: { user_id, resource: 'steps' }, query: { ...range, provider: '' } })
    expect(await next()).toEqual([200])
    await h.call('import.undo', { params: { import_id: import_id ?? '' } })
    expect(await next()).toEqual([])
    const told = (await changes(h, user_id)).map(each => (rowsOfEvent(each) as Record<string, unknown>)['sum.steps'])
    // for removed rows, the event only says that something changed
    expect(told).toEqual([[100, 200], [], []])
  })

  it('over summaries is updated after a link, and equals the plain result', async () => {
    const { h, user_id } = await withUser()
    const body = (slug: string, table: string, select: readonly object[]): CreateBody =>
      ({
        ...DAILY_STEPS,
        slug,
        query: {
          select: [{ group_key: '*' }, ...select],
          group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: table } }],
        },
      }) as CreateBody
    const bodies = [
      body('nights', 'sleep', [{ func: 'mean', arg: { sleep: 'efficiency' } }]),
      body('days', 'activity', [{ func: 'max', arg: { activity: 'steps' } }]),
    ]
    for (const each of bodies) await create(h, each)
    await runDue(h)
    h.time.ms += GAP
    const { link_token } = await h.call('link.token', { body: { user_id } })
    const params = { provider: 'whoop' } as const
    await h.call('link.password', { params, body: { username: 'me', password: 'p' } }, { linkToken: link_token })
    for (const each of bodies) {
      const table = await result(h, user_id, each.slug)
      expect(table['group_key.0']?.length).toBeGreaterThan(10)
      expect(table).toEqual(await plain(h, user_id, each))
    }
  })
})

describe('the event of a continuous query', () => {
  it('contains only new or changed rows, under the query', async () => {
    const { h, user_id } = await withUser()
    const { query_id } = await create(h)
    await push(h, user_id, 'steps', [
      { at: '2026-11-01T10:00:00Z', value: 10 },
      { at: '2026-11-02T10:00:00Z', value: 20 },
    ])
    await runDue(h)
    h.time.ms += GAP
    await push(h, user_id, 'steps', [{ at: '2026-11-02T11:00:00Z', value: 1 }])
    await runDue(h)
    const [first, second, ...more] = await changes(h, user_id)
    expect(more).toEqual([])
    expect(first).toEqual({
      kind: 'continuous_query',
      data: [
        {
          query_id,
          query_slug: 'daily-steps',
          data: {
            'group_key.0': ['2026-11-01T00:00:00', '2026-11-02T00:00:00'],
            'sum.steps': [10, 20],
            'newest.steps.source_type': ['ring', 'ring'],
          },
        },
      ],
    })
    expect(rowsOfEvent(second)).toEqual({
      'group_key.0': ['2026-11-02T00:00:00'],
      'sum.steps': [21],
      'newest.steps.source_type': ['ring'],
    })
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('is not recorded if nothing changed or if events are disabled', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    const silent = { ...DAILY_STEPS, slug: 'silent', export_preferences: { data_events: { enabled: false } } }
    await create(h, silent)
    // the watch still counts for the day
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 10, type: 'watch' }])
    await runDue(h)
    h.time.ms += GAP
    await push(h, user_id, 'steps', [{ at: '2026-11-01T11:00:00Z', value: 99, type: 'phone' }])
    expect(await runDue(h)).toEqual({ ran: [{ kind: 'continuous_query', count: 2 }], left: [] })
    expect(await changes(h, user_id)).toHaveLength(1)
    expect((await result(h, user_id, 'silent'))['sum.steps']).toEqual([10])
  })

  it('is split if it would exceed 1 MiB, with different rows in each part', async () => {
    const { h, user_id } = await withUser()
    const minutely = {
      ...DAILY_STEPS,
      query: {
        ...DAILY_STEPS.query,
        group_by: [{ date_trunc: { unit: 'minute', value: 1 }, arg: { placeholder: true } }],
      },
    } satisfies CreateBody
    await create(h, minutely)
    await runDue(h)
    h.time.ms += GAP
    const minute = (i: number) => new Date(Date.UTC(2026, 9, 1) + i * MINUTE_MS).toISOString()
    await push(
      h,
      user_id,
      'steps',
      Array.from({ length: 29_000 }, (_, i) => ({ at: minute(i), value: i })),
    )
    await runDue(h)
    const documents = await changes(h, user_id)
    expect(documents.length).toBeGreaterThan(1)
    for (const each of documents) expect(Buffer.byteLength(JSON.stringify(each))).toBeLessThan(1024 * 1024)
    const sums = documents.flatMap(each => (rowsOfEvent(each) as { 'sum.steps': number[] })['sum.steps'])
    expect(sums).toEqual(Array.from({ length: 29_000 }, (_, i) => i))
  })
})

describe('a run of a continuous query', () => {
  it('is due at once, and later after the minimum gap, if the data that it reads changed', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    expect(await runDue(h)).toEqual(RUN)
    await push(h, user_id, 'heartrate', [{ at: '2026-11-01T10:00:00Z', value: 60 }])
    h.time.ms += DAY_MS
    expect(await runDue(h)).toEqual(NOTHING)
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 60 }])
    expect(await runDue(h)).toEqual(RUN)
    const ranAt = h.time.ms
    await push(h, user_id, 'steps', [{ at: '2026-11-01T11:00:00Z', value: 1 }])
    h.time.ms = ranAt + GAP - 1
    await push(h, user_id, 'steps', [{ at: '2026-11-05T11:00:00Z', value: 2 }])
    expect(await runDue(h)).toEqual(NOTHING)
    expect((await result(h, user_id))['sum.steps']).toEqual([60])
    expect((await history(h, user_id))[0]).toMatchObject({
      status: 'scheduled',
      scheduled_at: '2026-11-21T12:30:00+00:00',
      started_at: null,
      ended_at: null,
    })
    h.time.ms += 1
    expect(await runDue(h)).toEqual(RUN)
    expect((await result(h, user_id))['sum.steps']).toEqual([61, 2])
    expect((await history(h, user_id)).map(each => each.status)).toEqual(['completed', 'completed', 'completed'])
  })

  it('is due at once if the clock was set back to before the last run', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    await h.call('clock.set', { body: { advance: '400d' } })
    await runDue(h)
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 60 }])
    expect(await runDue(h)).toEqual(NOTHING)
    await h.call('clock.set', { body: { advance: '-400d' } })
    expect((await result(h, user_id))['sum.steps']).toEqual([60])
    await h.call('clock.set', { body: { advance: '-1d' } })
    await push(h, user_id, 'steps', [{ at: '2026-11-01T11:00:00Z', value: 1 }])
    expect((await result(h, user_id))['sum.steps']).toEqual([61])
    await push(h, user_id, 'steps', [{ at: '2026-11-01T12:00:00Z', value: 1 }])
    expect((await result(h, user_id))['sum.steps']).toEqual([61])
  })

  it('happens once if several callers request it at the same time, and all of them read its result', async () => {
    const { h, user_id } = await withUser()
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 60 }])
    await create(h)
    const asked = Array.from({ length: 4 }, async () => (await result(h, user_id))['sum.steps'])
    expect(await Promise.all([...asked, runDue(h)])).toEqual([[60], [60], [60], [60], expect.anything()])
    expect((await history(h, user_id)).map(each => each.status)).toEqual(['completed'])
    expect(await changes(h, user_id)).toHaveLength(1)
  })

  it('in another process makes readers wait for it', async () => {
    const { h, user_id } = await withUser()
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 60 }])
    await create(h)
    const other = await openHarness({ dataDir: h.dataDir })
    const slowly = (of: Harness, begun: () => Promise<unknown>) =>
      changeScans(
        of,
        scan =>
          async function* (...asked) {
            await begun()
            yield* scan(...asked)
          },
      )
    let taken: Promise<unknown> | undefined
    let inTheMidst = (): void => {}
    const overtaken = new Promise<void>(resolve => {
      inTheMidst = resolve
    })
    slowly(other, async () => {
      inTheMidst()
      await new Promise(resolve => setTimeout(resolve, 300))
    })
    slowly(h, async () => {
      taken ??= runDue(other)
      await overtaken
    })
    expect((await result(h, user_id))['sum.steps']).toEqual([60])
    await taken
  })

  it('is not caused by writing an existing value again', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    const same = [{ at: '2026-11-01T10:00:00Z', value: 60 }]
    await push(h, user_id, 'steps', same)
    await runDue(h)
    h.time.ms += GAP
    await push(h, user_id, 'steps', same)
    expect(await runDue(h)).toEqual(NOTHING)
  })

  it('follows the team priorities for the data that it reads', async () => {
    const { h, user_id } = await withUser()
    await push(h, user_id, 'steps', [
      { at: '2026-11-01T10:00:00Z', value: 1, provider: 'garmin', type: 'watch' },
      { at: '2026-11-01T11:00:00Z', value: 2, provider: 'polar', type: 'watch' },
    ])
    await create(h)
    expect((await result(h, user_id))['sum.steps']).toEqual([1])
    h.time.ms += GAP
    const set = (data_type: string) =>
      h.call('source_priority.replace', { body: [{ data_type, provider: 'polar', priority: 1 }] })
    await set('sleep')
    expect(await runDue(h)).toEqual(NOTHING)
    await set('timeseries')
    expect((await result(h, user_id))['sum.steps']).toEqual([2])
    h.time.ms += GAP
    await set('timeseries')
    expect(await runDue(h)).toEqual(NOTHING)
  })

  it('records a refused query, and loses no changes', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    await runDue(h)
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 1 }])
    h.time.ms += GAP
    let fails = true
    changeScans(h, scan => (...asked) => {
      if (fails) throw new Error('MARK')
      return scan(...asked)
    })
    await runDue(h)
    fails = false
    expect((await history(h, user_id))[0]).toMatchObject({
      status: 'error',
      error_details: expect.not.stringContaining('MARK'),
    })
    expect((await result(h, user_id))['sum.steps']).toEqual([])
    h.time.ms += GAP
    expect((await result(h, user_id))['sum.steps']).toEqual([1])
  })
})

describe('a title', () => {
  it('can be changed, and the results stay', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 1 }])
    await runDue(h)
    const params = { query_id_or_slug: 'daily-steps' }
    const { title: _, ...before } = await h.call('continuous_query.get', { params })
    const renamed = await h.call('continuous_query.rename', { params, body: { title: 'Steps' } })
    expect(renamed).toEqual({ ...before, title: 'Steps' })
    expect(await h.call('continuous_query.list', {})).toEqual({ continuous_queries: [renamed] })
    expect((await result(h, user_id))['sum.steps']).toEqual([1])
    expect((await h.refusal('continuous_query.rename', { params, body: { title: '' } })).status).toBe(422)
    const unknown = { query_id_or_slug: 'nothing' }
    expect((await h.refusal('continuous_query.rename', { params: unknown, body: { title: 'a' } })).status).toBe(404)
  })
})

describe('deletion', () => {
  it('of a query removes its results and frees its slug; nothing of it can be read', async () => {
    const { h, user_id } = await withUser()
    const other = await newUser(h, 'bob')
    await create(h)
    for (const each of [user_id, other]) await push(h, each, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 1 }])
    await runDue(h)
    expect(await h.call('engine.status', {})).toMatchObject({ continuous_queries: 1, result_rows: 2 })
    const params = { query_id_or_slug: 'daily-steps' }
    expect(await h.call('continuous_query.delete', { params })).toEqual({ success: true })
    expect(await h.call('engine.status', {})).toMatchObject({ continuous_queries: 0, result_rows: 0, due_jobs: 0 })
    for (const error of [
      await h.refusal('continuous_query.delete', { params }),
      await h.refusal('continuous_query.get', { params }),
      await h.refusal('aggregate.result_table', { params: { ...params, user_id } }),
      await h.refusal('aggregate.task_history', { params: { ...params, user_id } }),
    ]) {
      expect([error.status, error.message]).toEqual([404, 'Continuous query not found'])
    }
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
    await create(h)
    expect((await result(h, other))['sum.steps']).toEqual([1])
  })

  it('of a user skips its runs; after a restore it counts again; after the purge nothing is left', async () => {
    const { h, user_id } = await withUser()
    await create(h)
    await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: 1 }])
    await h.call('user.delete', { params: { user_id } })
    expect(await runDue(h)).toEqual(RUN)
    expect(
      (await h.refusal('aggregate.result_table', { params: { user_id, query_id_or_slug: 'daily-steps' } })).code,
    ).toBe('user_not_found')
    await h.call('user.undo_delete', { body: { user_id } })
    h.time.ms += GAP
    expect((await result(h, user_id))['sum.steps']).toEqual([1])
    expect((await history(h, user_id)).map(each => [each.status, each.error_details])).toEqual([
      ['completed', null],
      ['skipped', 'the user is deleted'],
    ])
    await push(h, user_id, 'steps', [{ at: '2026-11-02T10:00:00Z', value: 1 }])
    await h.call('user.delete', { params: { user_id } })
    h.time.ms += 7 * DAY_MS
    await runDue(h)
    expect(await h.call('engine.status', {})).toMatchObject({ users: 0, deleted_users: 0, result_rows: 0, due_jobs: 0 })
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true, problems: [] })
  })
})

describe('the task history', () => {
  it('is paged, newest first, with cursors for this user and query only', async () => {
    const { h, user_id } = await withUser()
    const other = await newUser(h, 'bob')
    await create(h)
    await create(h, { ...DAILY_STEPS, slug: 'another' })
    for (let i = 0; i < 5; i++) {
      await push(h, user_id, 'steps', [{ at: '2026-11-01T10:00:00Z', value: i }])
      await runDue(h)
      h.time.ms += GAP
    }
    const page = (next_cursor?: string, slug = 'daily-steps', user = user_id) =>
      h.call('aggregate.task_history', {
        params: { user_id: user, query_id_or_slug: slug },
        query: { limit: 2, ...(next_cursor === undefined ? {} : { next_cursor }) },
      })
    const first = await page()
    const second = await page(first.next_cursor as string)
    const third = await page(second.next_cursor as string)
    const times = [first, second, third].flatMap(each => each.data.map(task => task.started_at))
    expect(times).toEqual([...times].sort().reverse())
    expect([times.length, third.next_cursor]).toEqual([5, null])
    const cursor = first.next_cursor as string
    const refused = async (next_cursor: string, slug = 'daily-steps', user = user_id) =>
      (
        await h.refusal('aggregate.task_history', {
          params: { user_id: user, query_id_or_slug: slug },
          query: { next_cursor },
        })
      ).code
    expect(await refused(cursor, 'another')).toBe('invalid_cursor')
    expect(await refused(cursor, 'daily-steps', other)).toBe('invalid_cursor')
    expect(await refused(`${cursor.slice(0, 5)}${cursor[5] === 'A' ? 'B' : 'A'}${cursor.slice(6)}`)).toBe(
      'invalid_cursor',
    )
    expect(await refused('rubbish')).toBe('invalid_cursor')
  })
})
