/**
 * Every operation, embedded and over HTTP: with the same clock, chance and public URL the bodies are the same bytes (design 2).
 * One conversation is held twice, each time on a data folder of its own; what an answer said may be used further on.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions, ServiceClient } from '../../src/client/client.ts'
import { openEmbedded } from '../../src/client/embedded.ts'
import { openHttp } from '../../src/client/http.ts'
import { AGGREGATE_PARQUET } from '../../src/contract/aggregate.ts'
import type { CallerInput, Reply } from '../../src/contract/operation.ts'
import { type OperationId, type Operations, operationIds } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { seededRandom } from '../../src/core/random.ts'
import { SUMMARY_KINDS } from '../../src/core/sample.ts'
import { startServer } from '../../src/server/start.ts'

const NOW = Date.parse('2026-11-20T08:30:00Z')
const NOBODY = '00000000-0000-4000-8000-000000000000'
const PUBLIC_URL = 'https://health.example'
const RANGE = { start_date: '2026-11-01', end_date: '2026-11-20' }

const APPLE = `<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_GB"><ExportDate value="2026-11-20 10:00:00 +0000"/>
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:05:00 +0100" value="12"/>
 <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="W" unit="kg" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:00:00 +0100" value="70.5"/>
 <Record type="HKQuantityTypeIdentifierUnheardOf" sourceName="W" unit="x" startDate="2026-11-19 10:00:00 +0100" endDate="2026-11-19 10:00:00 +0100" value="1"/>
</HealthData>`

/** What earlier answers said, by the name of the step. */
type Memory = Readonly<Record<string, Record<string, unknown>>>
interface Step {
  readonly name: string
  readonly run: (client: ServiceClient, memory: Memory) => Promise<Reply<unknown>>
  readonly id: OperationId
}

const steps: Step[] = []

/** A step whose input may lean on earlier answers. Inputs that are wrong on purpose are why the type is loose. */
function step<K extends OperationId>(
  name: string,
  id: K,
  input: CallerInput<Operations[K]> | ((memory: Memory) => object),
  options: (memory: Memory) => CallOptions = () => ({}),
): void {
  const run: Step['run'] = (client, memory) => {
    const given = typeof input === 'function' ? (input(memory) as CallerInput<Operations[K]>) : input
    return client.call(id, given, options(memory))
  }
  steps.push({ name, id, run })
}

const text = (memory: Memory, name: string, field: string): string => String(memory[name]?.[field])
const user = (memory: Memory): string => text(memory, 'create a user', 'user_id')
const forUser = (memory: Memory) => ({ params: { user_id: user(memory) } })
const withToken =
  (name: string) =>
  (memory: Memory): CallOptions => ({ linkToken: text(memory, name, 'link_token') })
const token = (name: string, more: object = {}): void =>
  step(name, 'link.token', memory => ({ body: { user_id: user(memory), ...more } }))

/** A body of bytes, made anew each time it is sent. */
const inBytes = (body: object | string) => ({
  kind: 'stream' as const,
  stream: Readable.from([Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))]),
})

let exportFile = ''

step('who is calling', 'team.whoami', {})
step('the clock', 'clock.get', {})
step('create a user', 'user.create', {
  body: { client_user_id: 'a b/c@d', fallback_time_zone: 'Europe/Berlin', fallback_birth_date: '1990-02-03' },
})
step('create it again', 'user.create', { body: { client_user_id: 'a b/c@d' } })
step('create one that is wrong', 'user.create', () => ({ body: { fallback_time_zone: 'Mars', ingestion_end: 7 } }))
step('create one from nothing', 'user.create', () => ({}))
step('create another', 'user.create', { body: { client_user_id: 'second', ingestion_start: '2026-01-01' } })
step('get it', 'user.get', forUser)
step('get nobody', 'user.get', { params: { user_id: NOBODY } })
step('get what is no uuid', 'user.get', () => ({ params: { user_id: 'x' } }))
step('list', 'user.list', {})
step('list a page', 'user.list', { query: { offset: 1, limit: 1 } })
step('list too much', 'user.list', { query: { limit: 501 } })
step('resolve', 'user.resolve', { params: { client_user_id: 'a b/c@d' } })
step('resolve nobody', 'user.resolve', { params: { client_user_id: 'nobody' } })
step('providers of the service', 'provider.list', {})
step('providers of the service by type', 'provider.list', { query: { source_type: 'watch' } })
step('no connections yet', 'user.providers', forUser)
step('connections of nobody', 'user.providers', { params: { user_id: NOBODY } })

token('a token', { redirect_url: 'https://app.example/done' })
step('a token for nobody', 'link.token', { body: { user_id: NOBODY } })
step('a token for an unknown provider', 'link.token', memory => ({ body: { user_id: user(memory), provider: 'x' } }))
const signIn = (name: string, body: object, from = 'a token', provider = 'whoop'): void =>
  step(name, 'link.password', () => ({ params: { provider }, body }), withToken(from))
signIn('sign in with a wrong password', { username: 'me', password: 'wrong' })
signIn('sign in at an unknown provider', { username: 'me', password: 'p' }, 'a token', 'whop')
signIn('sign in without a password', { username: 'me' })
signIn('sign in without a region', { username: 'me', password: 'p' }, 'a token', 'abbott_libreview')
signIn('sign in', { username: 'me', password: 'right' })
signIn('sign in with a used token', { username: 'me', password: 'right' })
step(
  'sign in with no such token',
  'link.password',
  () => ({ params: { provider: 'zwift' }, body: { username: 'a', password: 'b' } }),
  () => ({ linkToken: 'none' }),
)
token('a second token')
signIn('sign in with a code', { username: 'mfa-sms@sandbox.test', password: 'p' }, 'a second token', 'zwift')
const code = (name: string, mfaCode: string): void =>
  step(
    name,
    'link.complete_mfa',
    { params: { provider: 'zwift' }, body: { mfa_code: mfaCode } },
    withToken('a second token'),
  )
code('a wrong code', '000000')
code('the right code', '123456')
token('a third token')
signIn('sign in with a code by mail', { username: 'mfa-email@sandbox.test', password: 'p' }, 'a third token', 'kardia')
step('complete it for the user', 'link.complete_mfa_for_user', memory => ({
  params: { user_id: user(memory), provider: 'kardia' },
  body: { mfa_code: '123456' },
}))
step('complete nothing', 'link.complete_mfa_for_user', memory => ({
  params: { user_id: user(memory), provider: 'kardia' },
  body: { mfa_code: '123456' },
}))
step('connections', 'user.providers', forUser)

const samples = (name: string, resource: string, query: (memory: Memory) => object): void =>
  step(name, 'timeseries.grouped', memory => ({ params: { user_id: user(memory), resource }, query: query(memory) }))
samples('steps', 'steps', () => RANGE)
samples('more steps', 'steps', memory => ({ ...RANGE, next_cursor: text(memory, 'steps', 'next_cursor') }))
samples('a cursor of something else', 'heartrate', memory => ({
  ...RANGE,
  next_cursor: text(memory, 'steps', 'next_cursor'),
}))
samples('heart rate of one provider', 'heartrate', () => ({
  start_date: '2026-11-19T00:00:00+01:00',
  provider: 'whoop',
}))
samples('an unknown resource', 'step', () => RANGE)
samples('no date', 'steps', () => ({}))
step('steps of nobody', 'timeseries.grouped', { params: { user_id: NOBODY, resource: 'steps' }, query: RANGE })

const summaries = (name: string, resource: string, query: object): void =>
  step(name, 'summary.get', memory => ({ params: { user_id: user(memory), resource }, query }))
for (const kind of SUMMARY_KINDS) summaries(kind, kind, kind === 'profile' ? {} : RANGE)
summaries('workouts of one provider', 'workouts', { start_date: '2026-10-01T00:00:00+01:00', provider: 'zwift' })
summaries('summaries of an unknown kind', 'workout', RANGE)
summaries('summaries without a range', 'sleep', {})
summaries('date-times where dates are', 'sleep_cycle', { start_date: '2026-11-01T00:00:00Z' })
summaries('an end before the start', 'body', { start_date: '2026-11-02', end_date: '2026-11-01' })
step('summaries of nobody', 'summary.get', { params: { user_id: NOBODY, resource: 'sleep' }, query: RANGE })
/** The id of the first summary in an answer. */
const firstId = (memory: Memory, name: string, key: string): string =>
  (memory[name]?.[key] as { id: string }[] | undefined)?.[0]?.id ?? 'none'
step('the stream of a workout', 'timeseries.workout_stream', memory => ({
  params: { workout_id: firstId(memory, 'workouts of one provider', 'workouts') },
}))
step('the stream of no workout', 'timeseries.workout_stream', { params: { workout_id: NOBODY } })
step('the stream of a night', 'timeseries.sleep_stream', memory => ({
  params: { sleep_id: firstId(memory, 'sleep', 'sleep') },
}))
step('the stream of no night', 'timeseries.sleep_stream', { params: { sleep_id: NOBODY } })
step('the stream of what is no uuid', 'timeseries.sleep_stream', () => ({ params: { sleep_id: 'x' } }))

const batch = {
  timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 2 } },
  queries: [
    {
      select: [
        { group_key: '*' },
        { func: 'sum', arg: { timeseries: 'steps', field: 'value' } },
        { func: 'count', arg: { timeseries: 'steps', field: 'value' } },
      ],
      group_by: [{ date_trunc: { unit: 'day', value: 1 }, arg: { index: 'timeseries' } }],
    },
    { select: [{ func: 'mean', arg: { sleep: 'efficiency' } }] },
  ],
} as const
step('aggregate', 'aggregate.query', memory => ({ ...forUser(memory), body: batch }))
step(
  'aggregate as Parquet',
  'aggregate.query',
  memory => ({ ...forUser(memory), body: batch }),
  () => ({ accept: AGGREGATE_PARQUET }),
)
step(
  'aggregate as a picture',
  'aggregate.query',
  memory => ({ ...forUser(memory), body: batch }),
  () => ({ accept: 'image/png' }),
)
step('aggregate an unknown column', 'aggregate.query', memory => ({
  ...forUser(memory),
  body: { ...batch, queries: [{ select: [{ func: 'mean', arg: { sleep: 'efficency' } }] }] },
}))
step('explain an aggregate', 'aggregate.explain', memory => ({
  ...forUser(memory),
  body: { query: batch, diff: ['garmin'] },
}))
step('explain for nobody', 'aggregate.explain', () => ({ params: { user_id: NOBODY }, body: { query: batch } }))
step('aggregate of nobody', 'aggregate.query', () => ({ params: { user_id: NOBODY }, body: batch }))

const DAILY = { date_trunc: { unit: 'day', value: 1 }, arg: { placeholder: true } } as const
const watched = {
  slug: 'daily-steps',
  title: 'Steps by the day',
  query: { select: batch.queries[0].select, group_by: [DAILY] },
} as const
const watch = (name: string, body: object): void => step(name, 'continuous_query.create', () => ({ body }))
watch('watch', watched)
watch('watch it again', watched)
watch('watch without a bucket', { ...watched, query: batch.queries[1] })
step('watches', 'continuous_query.list', {})
step('a watch', 'continuous_query.get', { params: { query_id_or_slug: 'daily-steps' } })
step('no watch', 'continuous_query.get', { params: { query_id_or_slug: 'dayly-steps' } })
const watchOf = (memory: Memory, slug = 'daily-steps') => ({
  params: { user_id: user(memory), query_id_or_slug: slug },
})
step('what it came to', 'aggregate.result_table', memory => watchOf(memory))
step(
  'what it came to as Parquet',
  'aggregate.result_table',
  memory => watchOf(memory),
  () => ({ accept: 'application/vnd.apache.parquet' }),
)
step('what no watch came to', 'aggregate.result_table', memory => watchOf(memory, 'dayly-steps'))
step('its runs', 'aggregate.task_history', memory => ({ ...watchOf(memory), query: { limit: 1 } }))
step('its runs behind a cursor of nothing', 'aggregate.task_history', memory => ({
  ...watchOf(memory),
  query: { next_cursor: 'AAAA' },
}))
step('watch no more', 'continuous_query.delete', { params: { query_id_or_slug: 'daily-steps' } })
step('watch no more again', 'continuous_query.delete', { params: { query_id_or_slug: 'daily-steps' } })
const PRIORITY = { data_type: 'sleep', provider: 'oura', source_type: 'ring', priority: 3 }
step('no priorities', 'source_priority.list', {})
step('set priorities', 'source_priority.replace', { body: [PRIORITY, { ...PRIORITY, source_type: null }] })
step('set wrong ones', 'source_priority.replace', () => ({ body: [{ ...PRIORITY, provider: 'ora', priority: 0.5 }] }))
step('priorities of a data type', 'source_priority.list', { query: { data_type: 'sleep' } })
step('priorities of no data type', 'source_priority.list', { query: { data_type: 'slep' } })
step('clear priorities', 'source_priority.replace', { query: { data_type: 'sleep' }, body: [] })

step('labs', 'labs.list', {})
step('markers', 'labs.markers', {})
step('markers by name', 'labs.markers', {
  query: { name: 'glucose', size: 5, lab_id: [6, 27], a_la_carte_enabled: 'true' },
})
step('markers past the end', 'labs.markers', { query: { page: 10_000 } })
step('markers of size 0', 'labs.markers', { query: { size: 0 } })

step('import', 'import.create', memory => ({ ...forUser(memory), body: { kind: 'file', path: exportFile } }))
step('import of an unknown format', 'import.create', memory => ({
  ...forUser(memory),
  query: { format: 'nonsense' },
  body: { kind: 'file', path: exportFile },
}))
step('import for nobody', 'import.create', () => ({
  params: { user_id: NOBODY },
  body: { kind: 'file', path: exportFile },
}))
samples('steps after the import', 'steps', () => ({ start_date: '2026-11-19', provider: 'apple_health_kit' }))

const push = (name: string, body: () => object | string, to: (memory: Memory) => object = forUser): void =>
  step(name, 'samples.push', memory => ({ ...to(memory), body: inBytes(body()) }))
const PUSHED = { resource: 'glucose', timestamp: '2026-11-19T08:30:00+01:00', value: 5.5 }
push('push samples', () => ({ samples: [PUSHED], summaries: [] }))
push('push them again as lines', () => `${JSON.stringify(PUSHED)}\n`)
push('push what is wrong', () => [PUSHED, { ...PUSHED, value: null }])
push('push rubbish', () => 'rubbish')
push(
  'push for nobody',
  () => [PUSHED],
  () => ({ params: { user_id: NOBODY } }),
)
samples('glucose after the push', 'glucose', () => RANGE)
const exported = (name: string, params: (memory: Memory) => object): void => step(name, 'user.export', params as never)
exported('export the user', forUser)
exported('export nobody', () => ({ params: { user_id: NOBODY } }))
const removal = (name: string, query: object, user_id?: string): void =>
  step(name, 'timeseries.delete', memory => ({
    params: { user_id: user_id ?? user(memory), resource: 'glucose' },
    query: { provider: 'manual', ...query },
  }))
removal('delete the pushed samples', RANGE)
removal('delete them again', RANGE)
removal('delete without an end', { start_date: '2026-11-01' })
removal('delete of nobody', RANGE, NOBODY)
step('import as a dry run', 'import.create', memory => ({
  ...forUser(memory),
  query: { dry_run: true },
  body: { kind: 'file', path: exportFile },
}))
step('import of a provider that there is not', 'import.create', memory => ({
  ...forUser(memory),
  query: { provider: 'whop' },
  body: { kind: 'file', path: exportFile },
}))
step('import by a mapping that cannot be right', 'import.create', memory => ({
  ...forUser(memory),
  query: { mapping: '{"columns":{"strat":"Time"}}' },
  body: { kind: 'file', path: exportFile },
}))
step('imports', 'import.list', {})
step('imports of the user', 'import.list', memory => ({ query: { user_id: user(memory), limit: 1 } }))
step('imports of nobody', 'import.list', { query: { user_id: NOBODY } })
const undo = (name: string): void =>
  step(name, 'import.undo', memory => ({ params: { import_id: text(memory, 'import', 'import_id') } }))
undo('undo the import')
undo('undo the import again')
step('undo no import', 'import.undo', { params: { import_id: NOBODY } })

step('the figures of the store', 'engine.status', {})
step('check it', 'engine.check', {})
step('run what is due: nothing', 'engine.run_due', {})

step('delete', 'user.delete', forUser)
step('delete again', 'user.delete', forUser)
step('get the deleted one', 'user.get', forUser)
step('undo the deletion', 'user.undo_delete', { body: { client_user_id: 'a b/c@d' } })
step('undo it again', 'user.undo_delete', memory => ({ body: { user_id: user(memory) } }))
step('undo for both', 'user.undo_delete', memory => ({ body: { user_id: user(memory), client_user_id: 'x' } }))
step('undo for nobody', 'user.undo_delete', { body: { client_user_id: 'nobody' } })
step('delete once more', 'user.delete', forUser)
step('advance the clock', 'clock.set', { body: { advance: '8d' } })
step('undo too late', 'user.undo_delete', memory => ({ body: { user_id: user(memory) } }))
step('set the clock', 'clock.set', { body: { set: '2027-01-01T00:00:00Z' } })
step('set it to nonsense', 'clock.set', () => ({ body: { set: 'tomorrow' } }))
step('follow real time', 'clock.set', { body: { follow: 'real_time' } })

interface Outcome {
  readonly answer: string
  readonly status: number | null
  /** The body, byte for byte. */
  readonly body: string
}

async function converse(client: ServiceClient): Promise<Map<string, Outcome>> {
  const memory: Record<string, Record<string, unknown>> = {}
  const outcomes = new Map<string, Outcome>()
  for (const { name, run } of steps) {
    outcomes.set(
      name,
      await outcomeOf(run(client, memory), body => {
        memory[name] = body
      }),
    )
  }
  return outcomes
}

async function outcomeOf(
  call: Promise<Reply<unknown>>,
  remember: (body: Record<string, unknown>) => void,
): Promise<Outcome> {
  try {
    const reply = await call
    if (reply.kind === 'json') {
      remember(reply.body as Record<string, unknown>)
      // the server has written its key beside
      const body = JSON.stringify(reply.body).replaceAll(/"(file|wal)_bytes":\d+/g, '"$1_bytes":0')
      return { answer: 'json', status: reply.status, body }
    }
    const hash = createHash('sha256')
    if (reply.bytes instanceof Uint8Array) hash.update(reply.bytes)
    else for await (const chunk of reply.bytes) hash.update(chunk)
    return { answer: reply.mediaType, status: reply.status, body: hash.digest('hex') }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { answer: `${error.code}: ${error.message}`, status: error.status, body: JSON.stringify(error.body) }
  }
}

let folder = ''
let embedded: Map<string, Outcome>
let remote: Map<string, Outcome>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-both-ways-'))
  exportFile = join(folder, 'export.xml')
  await writeFile(exportFile, APPLE)
  // cursors are signed with it
  process.env['SVC_MASTER_KEY'] = '11'.repeat(32)
  const engine = () => ({
    time: { now: () => NOW },
    random: seededRandom('both ways'),
    seed: 'both ways',
    pageSize: 500,
  })

  const near = await openEmbedded({ dataDir: join(folder, 'near'), publicUrl: PUBLIC_URL, engine: engine() })
  embedded = await converse(near)
  await near.close()

  const server = await startServer({
    dataDir: join(folder, 'far'),
    host: '127.0.0.1',
    port: 0,
    acceptHeaderPrefixes: [],
    apiKey: null,
    publicUrl: PUBLIC_URL,
    insecureHttp: false,
    log: () => {},
    engine: engine(),
  })
  const far = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 60_000 })
  remote = await converse(far)
  await far.close()
  await server.close()
}, 120_000)

afterAll(async () => {
  delete process.env['SVC_MASTER_KEY']
  await rm(folder, { recursive: true, force: true })
})

describe('embedded and over HTTP', () => {
  it('has a case for every operation, one of them a success', () => {
    for (const id of operationIds) {
      const own = steps.filter(each => each.id === id)
      expect(own.length, `no case for ${id}`).toBeGreaterThan(0)
      expect(
        own.some(each => embedded.get(each.name)?.status === 200),
        `no success for ${id}`,
      ).toBe(true)
    }
  })

  it.each(steps.map(each => [each.name, each.id]))('answers the same: %s (%s)', name => {
    const near = embedded.get(name)
    expect(near).toBeDefined()
    expect(remote.get(name)).toEqual(near)
  })

  it('reaches every kind of answer', () => {
    const statuses = new Set([...embedded.values()].map(outcome => outcome.status))
    expect([...statuses].sort()).toEqual([200, 400, 404, 406, 409, 422])
    expect(JSON.parse(embedded.get('steps')?.body ?? '')).toMatchObject({ next_cursor: expect.any(String) })
    expect(embedded.get('more steps')?.status).toBe(200)
    for (const name of ['sign in', 'the right code', 'complete it for the user']) {
      expect(JSON.parse(embedded.get(name)?.body ?? ''), name).toMatchObject({ state: 'success' })
    }
  })
})
