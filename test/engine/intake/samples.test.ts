/** A push is stored completely or not at all, by the same rules as an import. */
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { PUSH_LIMIT_ITEMS } from '../../../src/engine/intake/pushed-items.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

const HEART = { resource: 'heartrate', timestamp: '2026-11-20T08:30:00+01:00', value: 61 }
const SPAN = { start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }

async function withUser(fields: object = {}): Promise<{ h: Harness; user_id: UserId }> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a', ...fields } })
  return { h, user_id }
}

const bytes = (body: unknown) => ({
  kind: 'stream' as const,
  stream: Readable.from([
    Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  ]),
})
const push = (h: Harness, user_id: UserId, body: unknown) =>
  h.call('samples.push', { params: { user_id }, body: bytes(body) })
const refusal = (h: Harness, user_id: UserId, body: unknown) =>
  h.refusal('samples.push', { params: { user_id }, body: bytes(body) })
const read = async (h: Harness, user_id: UserId, resource: string) => {
  const query = { start_date: '2000-01-01', end_date: '2100-01-01' }
  return (await h.call('timeseries.grouped', { params: { user_id, resource }, query })).groups
}

describe('a push', () => {
  it('can be a document of lists, a list, lines or one item, optionally in gzip', async () => {
    const { h, user_id } = await withUser()
    const two = [HEART, { ...HEART, timestamp: '2026-11-20T08:31:00+01:00', value: 62 }]
    const lines = two.map(each => JSON.stringify(each)).join('\n')
    const counts = async (body: unknown) => (await push(h, user_id, body)).stored['heartrate']
    expect(await counts({ samples: two })).toEqual({ samples: 2, replaced: 0, unchanged: 0 })
    for (const body of [two, `\ufeff${lines}\r\n\n`, gzipSync(lines), gzipSync(JSON.stringify({ samples: two }))]) {
      expect(await counts(body)).toEqual({ samples: 2, replaced: 0, unchanged: 2 })
    }
    expect(await counts({ ...HEART, value: 63 })).toEqual({ samples: 1, replaced: 1, unchanged: 0 })
    expect((await read(h, user_id, 'heartrate'))['manual']?.[0]).toMatchObject({
      source: { provider: 'manual', type: 'unknown' },
      data: [{ timestamp: '2026-11-20T07:30:00+00:00', timezone_offset: 3600, unit: 'bpm', value: 63 }, { value: 62 }],
    })
  })

  it('accepts the service’s own responses', async () => {
    const { h, user_id } = await withUser()
    const given = [
      { resource: 'blood_pressure', timestamp: SPAN.start, systolic: 120, diastolic: 80, source_type: 'cuff' },
      { resource: 'note', ...SPAN, value: 'after lunch', tags: ['food'], type: 'diary' },
      { resource: 'insulin_injection', ...SPAN, value: 4, type: 'rapid_acting', delivery_mode: 'bolus' },
    ]
    await push(h, user_id, given)
    for (const { resource } of given) {
      const groups = (await read(h, user_id, resource))['manual'] ?? []
      const again = groups.flatMap(({ source: { type: source_type, ...source }, data }) =>
        data.map(sample => ({ resource, ...source, source_type, ...sample })),
      )
      const { stored } = await push(h, user_id, again)
      expect(stored[resource], resource).toEqual({ samples: 1, replaced: 0, unchanged: 1 })
    }
  })

  it('creates the connection and the daily data events, and nothing the second time', async () => {
    const { h, user_id } = await withUser()
    const events = async () => (await h.engine.context.store.events.ofUser(user_id, 0, 100)).map(event => event.type)
    await push(h, user_id, [{ ...HEART, provider: 'whoop', source_type: 'watch' }])
    expect(await events()).toEqual(['provider.connection.created', 'daily.data.heartrate.created'])
    await push(h, user_id, [{ ...HEART, provider: 'whoop', source_type: 'watch' }])
    expect(await events()).toHaveLength(2)
    await push(h, user_id, [{ ...HEART, provider: 'whoop', source_type: 'watch', value: 70 }])
    expect((await events()).at(-1)).toBe('daily.data.heartrate.updated')
    const { providers } = await h.call('user.providers', { params: { user_id } })
    expect(providers.map(each => each.slug)).toEqual(['whoop'])
    expect((await h.call('import.list', { query: {} })).imports).toEqual([])
  })

  it('stores a workout, its stream and its samples under one ID, whatever ID the application uses', async () => {
    const { h, user_id } = await withUser()
    const body = {
      samples: [{ ...HEART, workout_id: 'run 7', sport: 'running' }],
      summaries: [
        {
          summary: 'workouts',
          id: 'run 7',
          at: '2026-11-20T08:30:00+01:00',
          document: {
            time_start: '2026-11-20T07:30:00+00:00',
            time_end: '2026-11-20T08:00:00+00:00',
            provider_id: 'run 7',
            distance: 5000,
          },
        },
      ],
      streams: [{ stream: 'run 7', time_ms: [Date.UTC(2026, 10, 20, 7, 30)], heartrate: [61] }],
    }
    expect(await push(h, user_id, body)).toMatchObject({
      summaries: { workouts: { created: 1, updated: 0, unchanged: 0 } },
      streams: { created: 1, updated: 0, unchanged: 0 },
    })
    const found = await h.call('summary.get', {
      params: { user_id, resource: 'workouts' },
      query: { start_date: '2026-11-20' },
    })
    const [workout] = found['workouts'] as { id: string; distance: number; calendar_date: string }[]
    expect(workout).toMatchObject({ distance: 5000, calendar_date: '2026-11-20' })
    const workout_id = workout?.id as string
    const stream = await h.call('timeseries.workout_stream', { params: { workout_id } })
    expect(stream.heartrate).toEqual([61])
    expect((await read(h, user_id, 'heartrate'))['manual']?.[0]?.source.workout_id).toBe(workout_id)
    expect(await push(h, user_id, body)).toMatchObject({
      stored: { heartrate: { unchanged: 1 } },
      summaries: { workouts: { unchanged: 1 } },
      streams: { unchanged: 1 },
    })
  })

  it('reads local times in the fallback time zone, converts units, and counts truncated and dropped values', async () => {
    const { h, user_id } = await withUser({ fallback_time_zone: 'Europe/Berlin', ingestion_start: '2026-11-01' })
    const report = await push(h, user_id, [
      { resource: 'glucose', timestamp: '2026-11-20T08:30:00.1234', value: 180.156, unit: 'mg/dL' },
      { resource: 'glucose', timestamp: '2026-10-01T08:30:00', value: 5 },
    ])
    expect(report).toMatchObject({ samples: 2, dropped: 1, truncated: 1, stored: { glucose: { samples: 1 } } })
    expect((await read(h, user_id, 'glucose'))['manual']?.[0]?.data).toMatchObject([
      { timestamp: '2026-11-20T07:30:00.123+00:00', timezone_offset: 3600, value: 10 },
    ])
  })

  it('can be empty, and then creates nothing', async () => {
    const { h, user_id } = await withUser()
    expect(await push(h, user_id, { samples: [] })).toMatchObject({ samples: 0, stored: {}, dropped: 0 })
    expect((await h.call('user.providers', { params: { user_id } })).providers).toEqual([])
  })
})

describe('an invalid push', () => {
  it.each([
    ['a value', { ...HEART, value: 'S3CRET' }, ['value']],
    ['a provider', { ...HEART, provider: 's3cret' }, ['provider']],
    ['a source type', { ...HEART, source_type: 's3cret' }, ['source_type']],
    ['a device', { ...HEART, device_id: 'S3CRET' }, ['device_id']],
    ['an end before the start', { resource: 'steps', start: SPAN.end, end: SPAN.start, value: 1 }, ['end']],
    ['the day after tomorrow', { ...HEART, timestamp: '2026-11-22T00:00:00Z' }, ['start']],
    ['a time before 1970', { ...HEART, timestamp: '1969-12-31T23:59:59Z' }, ['start']],
    ['a unit', { ...HEART, unit: 'S3CRET' }, ['unit']],
    ['a resource', { ...HEART, resource: 'S3CRET' }, ['resource']],
    ['a document', { summary: 'sleep', at: SPAN.start, document: { duration: 'S3CRET' } }, ['document', 'duration']],
    ['a field of a document', { summary: 'sleep', at: SPAN.start, document: { duraton: 1 } }, ['document']],
  ])('in %s is refused with its position, never its value, and nothing is stored', async (_, item, path) => {
    const { h, user_id } = await withUser()
    const error = await refusal(h, user_id, { samples: [HEART, item] })
    expect([error.status, error.code]).toEqual([422, 'invalid_request'])
    expect((error.body['detail'] as { loc: unknown }[])[0]?.loc).toEqual(['body', 'samples', 1, ...path])
    expect(JSON.stringify([error.body, error.message])).not.toMatch(/s3cret/i)
    expect(await read(h, user_id, 'heartrate')).toEqual({})
    expect((await h.call('user.providers', { params: { user_id } })).providers).toEqual([])
  })

  it('is reported with its line in NDJSON', async () => {
    const { h, user_id } = await withUser()
    const lines = [HEART, HEART, { ...HEART, value: null }].map(each => JSON.stringify(each)).join('\n')
    const error = await refusal(h, user_id, lines)
    expect((error.body['detail'] as { loc: unknown }[])[0]?.loc).toEqual(['body', 'line 3', 'value'])
    expect((await refusal(h, user_id, `${lines}\n{`)).message).toContain('line 4')
  })

  it('is reported with a limited number of positions', async () => {
    const { h, user_id } = await withUser()
    const error = await refusal(h, user_id, Array(500).fill({ ...HEART, value: null }))
    expect(error.body['detail']).toHaveLength(20)
  })

  it.each([
    ['nothing', ''],
    ['no JSON', 'S3CRET'],
    ['half a document', '{"samples": [{"resource": "S3CRET"'],
    ['a number', '7'],
    ['a document of something else', '{"S3CRET": []}'],
    ['no list', '{"samples": {}}'],
    ['a list of texts', '["S3CRET"]'],
    ['no UTF-8', Buffer.from([0x5b, 0xff, 0x5d])],
    ['half a gzip', gzipSync(JSON.stringify([HEART])).subarray(0, 30)],
  ])('as a whole (%s) is a 422', async (_, body) => {
    const { h, user_id } = await withUser()
    const error = await refusal(h, user_id, body)
    expect(error.status).toBe(422)
    expect(JSON.stringify([error.body, error.message])).not.toContain('S3CRET')
  })

  it('over a limit is a 413 that suggests an import', async () => {
    const { h, user_id } = await withUser()
    const line = `${JSON.stringify(HEART)}\n`
    const many = await refusal(h, user_id, line.repeat(PUSH_LIMIT_ITEMS + 1))
    const bomb = await refusal(h, user_id, gzipSync(Buffer.alloc(33 * 1024 * 1024, ' ')))
    const long = await refusal(h, user_id, Buffer.alloc(33 * 1024 * 1024, ' '))
    for (const error of [many, bomb, long]) {
      expect([error.status, error.code]).toEqual([413, 'body_too_large'])
      expect(error.message).toContain('/imports')
    }
    expect(await read(h, user_id, 'heartrate')).toEqual({})
  })

  it('with too many items is a 413 whatever they are, before they are processed', async () => {
    const { h, user_id } = await withUser()
    const ones = Array.from({ length: PUSH_LIMIT_ITEMS + 1 }, () => 1)
    const half = ones.slice(PUSH_LIMIT_ITEMS / 2)
    for (const body of [ones, { summaries: ones }, { samples: half, streams: half }, ones.join('\n')]) {
      expect((await refusal(h, user_id, body)).status).toBe(413)
    }
  })

  it('does not repeat the food of a meal', async () => {
    const { h, user_id } = await withUser()
    const document = { data: { S3CRET: { energy: 'much' } } }
    const error = await refusal(h, user_id, { summaries: [{ summary: 'meal', date: '2026-11-19', document }] })
    expect(error.status).toBe(422)
    expect(JSON.stringify([error.body, error.message])).not.toContain('S3CRET')
  })

  it('for a resource name that stands for several lists them', async () => {
    const { h, user_id } = await withUser()
    const error = await refusal(h, user_id, [{ ...HEART, resource: 'cholesterol' }])
    expect(error.body).toMatchObject({ detail: [{ loc: ['body', 0, 'type'], type: 'value_error' }] })
  })

  it('is a 404 if the user does not exist', async () => {
    const { h } = await withUser()
    const error = await refusal(h, '00000000-0000-4000-8000-000000000000' as UserId, [HEART])
    expect(error.code).toBe('user_not_found')
  })
})
