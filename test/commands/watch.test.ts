/** Continuous queries and source priorities on the command line, with and without a server. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()
const WATCH = ['aggregate', 'watch']
const RESULT = [...WATCH, 'result', 'ada', 'daily-steps']

const items = (...values: readonly [string, number][]): string =>
  values
    .map(([timestamp, value]) =>
      JSON.stringify({ resource: 'steps', timestamp, value, provider: 'oura', source_type: 'ring' }),
    )
    .join('\n')
const load = (...values: readonly [string, number][]) => {
  writeFileSync(path.join(sandbox.folder, 'items.ndjson'), items(...values))
  return sandbox.json(['import', 'items.ndjson', '--user', 'ada'])
}
const print = async (args: readonly string[], format: string): Promise<string> => {
  const run = await sandbox.run([...args, '--output', format])
  expect(run.status, run.stderr).toBe(0)
  return run.stdout
}

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada', '--fallback-time-zone', 'Europe/Berlin'])
  await load(['2026-11-01T10:00:00+01:00', 10], ['2026-11-02T10:00:00+01:00', 20])
})

test('saves a query from flags and reads its result as table, csv, ndjson, json and Parquet', async () => {
  const flags = ['--select', 'sum(steps)', '--group-by', '1d', '--where', 'steps > 0', '--priority', 'oura,garmin']
  const made = await sandbox.json<object>([
    ...WATCH,
    'create',
    'daily-steps',
    ...flags,
    '--gap',
    '60min',
    '--no-events',
  ])
  expect(made).toMatchObject({
    query: { where: 'steps > 0' },
    query_config: { provider_priority_overrides: ['oura', 'garmin'] },
    scheduling_preferences: { minimum_gap_duration_second: 3600 },
    export_preferences: { data_events: { enabled: false } },
  })
  expect(await print(RESULT, 'csv')).toBe('group_key.0,sum\n2026-11-01T00:00:00,10\n2026-11-02T00:00:00,20\n')
  expect(await print(RESULT, 'ndjson')).toContain('{"group_key.0":"2026-11-01T00:00:00","sum":10}\n')
  expect(await print(RESULT, 'table')).toMatch(/^day +sum\n.*\n2026-11-01T00:00:00 +10\n/)
  expect(await sandbox.json(RESULT)).toEqual({
    table: { 'group_key.0': ['2026-11-01T00:00:00', '2026-11-02T00:00:00'], sum: [10, 20] },
  })
  await sandbox.json([...RESULT, '-o', 'steps.parquet'])
  const { buffer } = new Uint8Array(readFileSync(path.join(sandbox.folder, 'steps.parquet')))
  expect(await parquetReadObjects({ file: buffer })).toMatchObject([{ sum: 10 }, { sum: 20 }])
  const history = await print([...WATCH, 'history', 'ada', 'daily-steps'], 'table')
  expect(history).toMatch(/^status .*\n.*\ncompleted /)
  expect(await print([...WATCH, 'list'], 'csv')).toMatch(/\ndaily-steps,daily-steps,.*,3600,false,/)
})

test('reads a file with a query, or with an aggregate query body that contains one query', async () => {
  const query = {
    select: [{ group_key: '*' }, { func: 'count', arg: { timeseries: 'steps', field: 'value' } }],
    group_by: [{ date_trunc: { unit: 'month', value: 1 }, arg: { placeholder: true } }],
  }
  const create = (slug: string, document: object) =>
    sandbox.run([...WATCH, 'create', slug, '-'], { input: JSON.stringify(document) })
  expect((await create('alone', query)).status).toBe(0)
  const config = { provider_priority_overrides: ['oura'] }
  expect((await create('whole', { timeframe: { placeholder: true }, queries: [query], config })).status).toBe(0)
  expect(await sandbox.json([...WATCH, 'show', 'whole'])).toMatchObject({
    query_config: config,
    query: { select: query.select },
  })
  expectRefusal(
    await create('two', { timeframe: { placeholder: true }, queries: [query, query] }),
    2,
    /one query, but the file has 2/,
  )
  expectRefusal(await create('whole', query), 5, /already has a continuous query with this slug/)
  for (const slug of ['alone', 'whole']) {
    expect(await sandbox.json([...WATCH, 'result', 'ada', slug])).toEqual({
      table: { 'group_key.0': ['2026-11-01T00:00:00'], count: [2] },
    })
  }
})

test('lets a server execute due runs by itself, and lets reading commands respond without waiting', async () => {
  await sandbox.json(['engine', 'clock', 'advance', '2h'])
  await load(['2026-11-03T10:00:00+01:00', 30])
  const server = await serve(sandbox)
  try {
    await until(async () => {
      const { json } = await server.ask('GET', '/svc/v1/status')
      return (json as { due_jobs: number }).due_jobs === 0
    })
    expect(await sandbox.json(RESULT)).toMatchObject({ table: { sum: [10, 20, 30] } })
    await sandbox.json(['engine', 'clock', 'advance', '2h'])
    await load(['2026-11-04T10:00:00+01:00', 40])
    const reads = await Promise.all([1, 2, 3].map(() => sandbox.json<object>(RESULT)))
    for (const each of reads) expect(Object.keys(each)).toEqual(['table'])
    expect(await sandbox.json(RESULT)).toMatchObject({ table: { sum: [10, 20, 30, 40] } })
  } finally {
    await server.stop('SIGTERM')
  }
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true })
})

test('removes the stored result of a deleted query', async () => {
  expectRefusal(await sandbox.run([...WATCH, 'delete', 'daily-steps']), 2, /--yes/)
  for (const slug of ['daily-steps', 'alone', 'whole']) await sandbox.json([...WATCH, 'delete', slug, '--yes'])
  expectRefusal(await sandbox.run(RESULT), 3, /Continuous query not found/)
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ continuous_queries: 0, result_rows: 0, due_jobs: 0 })
})

test('sets, shows and clears priorities, and queries follow them', async () => {
  const PRIORITIES = ['aggregate', 'priorities']
  expect(await print(PRIORITIES, 'table')).toMatch(/^No priorities/)
  await sandbox.json([...PRIORITIES, 'set', 'sleep', 'whoop=1'])
  const both = await print([...PRIORITIES, 'set', 'timeseries', 'oura=2', 'garmin:watch=-1'], 'csv')
  expect(both).toBe(
    'data_type,provider,source_type,priority\nsleep,whoop,,1\ntimeseries,oura,,2\ntimeseries,garmin,watch,-1\n',
  )
  expect(await sandbox.json([...PRIORITIES, 'set', 'timeseries', '--clear'])).toHaveLength(1)
  expectRefusal(await sandbox.run([...PRIORITIES, 'set', 'timeseries']), 2, /--clear/)
  expectRefusal(await sandbox.run([...PRIORITIES, 'set', 'sleep', 'oura=2', '--clear']), 2, /cannot be used together/)
  expectRefusal(await sandbox.run([...PRIORITIES, 'set', 'sleep', 'oura=two']), 2, /PROVIDER=NUMBER/)
})
