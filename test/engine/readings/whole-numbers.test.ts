/**
 * Whole numbers in the interface: whatever a source sends, and whatever an older version stored, a strict client can decode every body.
 */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listedColumns, SUMMARY_TABLES } from '../../../src/catalogue/query-columns.ts'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import { Components } from '../../../src/contract/kernel/json-schema.ts'
import { openApiDocument } from '../../../src/contract/kernel/openapi.ts'
import { wholeDocument } from '../../../src/contract/readings/whole-numbers.ts'
import { ownedId, type UserId } from '../../../src/core/ids.ts'
import { SampleBatchBuilder, type SummaryKind, type SummaryRecord } from '../../../src/core/sample.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'
import { LIVE_CASES } from '../../providers/live-cases.ts'
import { linked, refresh } from '../live/linked-account.ts'
import { decoded } from './decoded.ts'
import { INTEGERS } from './strict-decoder.ts'

const DATE = '2026-11-19'
const AT = NOON - 20 * 3_600_000

const createUser = async (h: Harness, client_user_id = 'ada'): Promise<UserId> =>
  (await h.call('user.create', { body: { client_user_id, fallback_time_zone: 'Europe/Berlin' } })).user_id

/** A document of each kind in which all integers have a fraction. */
const FRACTIONS: Readonly<Partial<Record<SummaryKind, Readonly<Record<string, unknown>>>>> = Object.fromEntries(
  Object.entries(INTEGERS)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => [
      kind,
      Object.fromEntries(
        names.map((name, i) => [name, /_second$|_zones$|_type$/.test(name) ? [0.4, 60.5 + i] : 30_272.735 + i]),
      ),
    ]),
)
/** The rounded values. */
const ROUNDED = Object.fromEntries(
  Object.entries(FRACTIONS).map(([kind, document = {}]) => [
    kind,
    Object.fromEntries(
      Object.entries(document).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(each => Math.floor(each + 0.5)) : Math.floor((value as number) + 0.5),
      ]),
    ),
  ]),
)

/** The items of a push, or lines of a file, with fractions everywhere. */
function items(id: string): readonly object[] {
  const time = new Date(AT).toISOString()
  const source = { provider: 'garmin', source_type: 'watch' }
  return [
    ...Object.entries(FRACTIONS).map(([summary, document]) => ({
      summary,
      ...(summary === 'workouts' ? { id } : {}),
      ...source,
      at: time,
      document,
    })),
    { stream: id, ...source, at: time, time_ms: [AT, AT + 1000, AT + 2000], heartrate: [98.5, null, 101.4] },
    { resource: 'heart_rate_alert', type: 'high_heart_rate', ...source, start: time, value: 1.5 },
  ]
}

const ALL = [
  ...Object.entries(INTEGERS)
    .filter(([kind]) => kind !== 'meal')
    .flatMap(([kind, names]) => names.filter(name => name !== 'stage_type').map(name => `${kind}.${name}`)),
  'heart_rate_alert.value',
  'stream.heartrate',
]

async function expectRounded(h: Harness, user_id: UserId): Promise<void> {
  const { wrong, seen } = await decoded(h, user_id)
  expect(wrong).toEqual([])
  expect(ALL.filter(name => !seen.has(name))).toEqual([])
  for (const [resource, rounded] of Object.entries(ROUNDED)) {
    const query = resource === 'profile' ? {} : { start_date: '2026-11-01' }
    const reply = await h.call('summary.get', { params: { user_id, resource: resource as SummaryKind }, query })
    const [row] = resource === 'profile' ? [reply] : (Object.values(reply)[0] as object[])
    const { stage_type: _, ...figures } = rounded
    expect(row, resource).toMatchObject(figures)
  }
}

const imported = async (h: Harness, user_id: UserId, name: string, text: string, query: object = {}) => {
  const path = join(temporaryFolder(), name)
  writeFileSync(path, text)
  return h.call('import.create', { params: { user_id }, query, body: { kind: 'file', path } })
}

describe('the schemas', () => {
  type Json = { readonly [key: string]: Json }
  const isInteger = (schema: Json | undefined): boolean => {
    const { type, items, anyOf } = (schema ?? {}) as { type?: unknown; items?: Json; anyOf?: readonly Json[] }
    const inner = anyOf?.find(each => (each['type'] as unknown) !== 'null')
    if (inner) return isInteger(inner)
    return items ? isInteger(items) : [type].flat().includes('integer')
  }
  const document = JSON.parse(
    JSON.stringify(openApiDocument({ version: '9.9.9', serverUrl: 'http://127.0.0.1:1' })),
  ) as { components: { schemas: Record<string, Json> } }

  it('declare every one as an integer, in responses and in webhook bodies', () => {
    const wrong: string[] = []
    for (const [kind, names] of Object.entries(INTEGERS)) {
      const component = `${kind
        .split('_')
        .map(word => word.charAt(0).toUpperCase() + word.slice(1))
        .join('')}Summary`
      const components = new Components()
      components.schema(eventBody(`daily.data.${kind}.created`) as never, 'output')
      const inEvents = (components.all() as Record<string, Json>)[component]
      for (const name of names) {
        if (!isInteger(document.components.schemas[component]?.['properties']?.[name])) wrong.push(`${kind}.${name}`)
        if (!isInteger(inEvents?.['properties']?.[name])) wrong.push(`event ${kind}.${name}`)
      }
    }
    expect(wrong).toEqual([])
    expect(isInteger(document.components.schemas['WorkoutStream']?.['properties']?.['heartrate'])).toBe(true)
    const alert = JSON.stringify(
      new Components().schema(eventBody('daily.data.heart_rate_alert.created') as never, 'output'),
    )
    expect(alert).toContain('"value":{"type":"integer"')
  })
})

describe('the columns of queries', () => {
  it('contain integers where the documents do', () => {
    const wrong = SUMMARY_TABLES.flatMap(({ name: table, summary, columns }) =>
      columns.flatMap(({ name, type, origin }) => {
        const isWhole = origin.kind === 'document' && INTEGERS[summary ?? '']?.includes(origin.path[0] ?? '')
        return isWhole && type !== 'int' ? [`${table}.${name} ${type}`] : []
      }),
    )
    expect(wrong).toEqual([])
    const alerts = listedColumns('timeseries').find(({ column }) => column === 'heart_rate_alert.value')
    expect(alerts?.type).toBe('int')
  })
})

describe('fractions', () => {
  it('are rounded when they are pushed, halves up', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const body = { kind: 'stream' as const, stream: [Buffer.from(JSON.stringify(items('run')))] as never }
    await h.call('samples.push', { params: { user_id }, body })
    await expectRounded(h, user_id)
    // the repeated data is stored
    const again = await h.call('samples.push', {
      params: { user_id },
      body: { ...body, stream: [Buffer.from(JSON.stringify(items('run')))] as never },
    })
    expect(again.summaries['sleep']).toEqual({ created: 0, updated: 0, unchanged: 1 })
  })

  it('do not excuse values that are not numbers, or cannot be integers', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const at = new Date(AT).toISOString()
    const wrong = [{ summary: 'activity', at, document: { steps: '12', floors_climbed: 1e300, wheelchair_push: 1.5 } }]
    const body = { kind: 'stream' as const, stream: [Buffer.from(JSON.stringify(wrong))] as never }
    const { body: refusal } = await h.refusal('samples.push', { params: { user_id }, body })
    const issues = refusal['detail'] as readonly { loc: readonly unknown[] }[]
    expect(issues.map(({ loc }) => loc.at(-1))).toEqual(['steps', 'floors_climbed'])
  })

  it('are rounded when they are imported as items', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await imported(
      h,
      user_id,
      'items.ndjson',
      items('run')
        .map(each => JSON.stringify(each))
        .join('\n'),
    )
    const { wrong, seen } = await decoded(h, user_id)
    expect([wrong, ALL.filter(name => !seen.has(name))]).toEqual([[], []])
  })

  it('are rounded in files of other formats', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    const point = (second: number, beats: number) =>
      `<Trackpoint><Time>2026-11-19T08:00:0${second}.000Z</Time><DistanceMeters>${second * 3.3}</DistanceMeters>` +
      `<HeartRateBpm><Value>${beats}</Value></HeartRateBpm></Trackpoint>`
    const tcx =
      '<?xml version="1.0"?><TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">' +
      '<Activities><Activity Sport="Running"><Id>2026-11-19T08:00:00.000Z</Id><Lap StartTime="2026-11-19T08:00:00.000Z">' +
      '<TotalTimeSeconds>2.6</TotalTimeSeconds><AverageHeartRateBpm><Value>120.6</Value></AverageHeartRateBpm>' +
      `<Track>${point(0, 120.6)}${point(1, 121.5)}${point(2, 130.2)}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`
    await imported(h, user_id, 'run.tcx', tcx)
    const alerts = 'time,beats\n2026-11-19T08:00:00Z,1.4\n2026-11-19T09:00:00Z,0.5\n'
    await imported(h, user_id, 'alerts.csv', alerts, {
      format: 'csv',
      map: ['time=time', 'value=beats'],
      resource: 'heart_rate_alert',
      value_type: 'low_heart_rate',
    }).catch(() => null)
    const { wrong, seen } = await decoded(h, user_id)
    expect(wrong).toEqual([])
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['stream.heartrate', 'workouts.average_hr']))
  })
})

describe('values that an older version stored', () => {
  /** Writes like the older version, without rounding. */
  async function stored(h: Harness, user_id: UserId): Promise<void> {
    const source = { provider: 'garmin', sourceType: 'watch', appId: null, deviceId: null }
    const summaries = Object.entries(FRACTIONS).map(
      ([kind, document = {}]): SummaryRecord => ({
        kind: kind as SummaryKind,
        id: ownedId(user_id, kind, AT),
        ...source,
        at: AT,
        date: DATE,
        offset: 3600,
        document,
      }),
    )
    const alerts = new SampleBatchBuilder({ ...source, resource: 'heart_rate_alert', type: 'high_heart_rate' })
    for (const [i, value] of [1.5, 0.4, 2.25].entries()) alerts.push({ start: AT + i * 60_000, value })
    await h.engine.context.store.data.write(user_id, {
      at: h.time.ms,
      teamId: h.team.teamId,
      batches: [alerts.take()],
      summaries,
      streams: [
        {
          workoutId: ownedId(user_id, 'workouts', AT),
          ...source,
          at: AT,
          offset: null,
          providerId: 'x',
          sport: null,
          n: 2,
          time: Float64Array.of(AT, AT + 1000),
          columns: new Map([['heartrate', Float64Array.of(99.5, Number.NaN)]]),
        },
      ],
      events: { kind: 'daily' },
      importing: null,
      connections: [],
      consumeToken: null,
    })
  }

  it('are rounded wherever they appear: responses, files, the export and webhook bodies', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await stored(h, user_id)
    await expectRounded(h, user_id)
  })

  it('are rounded before they are added up, so that a sum is the sum of the shown values', async () => {
    const h = await openHarness()
    const user_id = await createUser(h)
    await stored(h, user_id)
    const arg = (table: string, column: string) => ({ [table]: column })
    const sum = (given: object) => ({ select: [{ func: 'sum' as const, arg: given }] })
    const reply = await h.call('aggregate.query', {
      params: { user_id },
      body: {
        timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 1 } },
        queries: [
          sum(arg('sleep', 'heart_rate_mean')),
          sum(arg('workout', 'heart_rate_zone_2')),
          sum({ timeseries: 'heart_rate_alert', field: 'value' }),
          sum(arg('sleep', 'duration_second')),
        ],
      } as never,
    })
    const { results } = reply as unknown as { results: { table: { sum: number[] } }[] }
    const rounded = ROUNDED as Record<string, Record<string, number & number[]>>
    expect(results.map(({ table }) => table.sum[0])).toEqual([
      rounded['sleep']?.['hr_average'],
      rounded['workouts']?.['hr_zones']?.[1],
      2 + 0 + 2,
      rounded['sleep']?.['duration'],
    ])
  })
})

describe('a number that is too large for an integer', () => {
  it('is null where null is allowed, and otherwise the largest integer', () => {
    const most = Number.MAX_SAFE_INTEGER
    expect(wholeDocument('sleep', { duration: 1e300, total: -1e300, score: 1e300 })).toEqual({
      duration: most,
      total: -most,
      score: null,
    })
    expect(wholeDocument('workouts', { hr_zones: [0.5, 1e300], steps: 1e300 })).toEqual({
      hr_zones: [1, most],
      steps: null,
    })
  })
})

describe('simulated people', () => {
  it('have whole numbers', async () => {
    const h = await openHarness()
    const names = ['whoop', 'my_fitness_pal', 'kardia', 'peloton', 'zwift', 'eight_sleep', 'beurer_api', 'hammerhead']
    const seen = new Set<string>()
    for (const provider of names) {
      const user_id = await createUser(h, provider)
      const { link_token } = await h.call('link.token', { body: { user_id } })
      const input = { params: { provider }, body: { username: 'u', password: 'p' } }
      expect((await h.call('link.password', input, { linkToken: link_token })).state).toBe('success')
      h.time.ms += 6 * 3_600_000
      const decoder = await decoded(h, user_id)
      expect(decoder.wrong, provider).toEqual([])
      for (const name of decoder.seen.keys()) seen.add(name)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['sleep.hr_average', 'activity.steps', 'stream.heartrate']))
  })
})

describe.each(LIVE_CASES)('a live connection to $provider', ({ provider, open }) => {
  it('supplies whole numbers, whatever fractions the provider sends', async () => {
    const { fake, settings = {}, historyDays } = await open()
    const url = await fractional(fake.url)
    const h = await openHarness()
    h.time.ms = Date.now()
    const user_id = await linked(h, { ...fake, url }, provider, settings)
    if (historyDays !== undefined) {
      const ingestion_start = new Date(h.time.ms - historyDays * 86_400_000).toISOString().slice(0, 10)
      await h.call('user.patch', { params: { user_id }, body: { ingestion_start } })
    }
    await refresh(h, user_id, provider)
    const { wrong, seen } = await decoded(h, user_id)
    expect(wrong).toEqual([])
    if (provider !== 'dexcom_v3') expect(seen.size).toBeGreaterThan(1)
  })
})

/** Starts a proxy for a fake provider that adds a fraction to every figure in its responses. Returns its URL. */
async function fractional(target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers
    const method = request.method ?? 'GET'
    const reply = await fetch(target + request.url, {
      method,
      headers: headers as Record<string, string>,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.concat(pieces) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json') && text !== ''
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' })
    response.end(isJson ? JSON.stringify(withFractions(JSON.parse(text))) : text)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => new Promise<void>(resolve => server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Names of numbers that are figures rather than IDs, times, states or scales. */
const FIGURE =
  /hr_|_hr|heart|bpm|steps|_milli|sleep_time|_sleep$|score|_rate$|percentage|height|duration|latency|floors|awake|calories|total_|time_in_bed/

function withFractions(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map(each => withFractions(each, name))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFractions(each, key)]))
  }
  return typeof value === 'number' && FIGURE.test(name) ? value + 0.735 : value
}
