/** A user's export is complete, and an import gives the same data again, for the same user and for another one elsewhere. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { RESOURCES } from '../../../src/catalogue/resources.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { inBytes } from '../links/linked-user.ts'
import { orderBody } from '../orders/orders.ts'

const SAMPLE = {
  resource: 'heartrate',
  provider: 'polar',
  source_type: 'watch',
  timestamp: '2026-11-20T08:00:00Z',
  value: 60,
}

interface Item {
  readonly [field: string]: unknown
}

async function exported(h: Harness, user_id: UserId): Promise<{ text: string; lines: Item[] }> {
  const reply = await runOperation(h.engine.context, 'user.export', {
    input: { params: { user_id }, query: {}, body: undefined },
    credentials: { kind: 'team', team: h.team, linkToken: null },
    accept: 'application/x-ndjson',
  })
  if (reply.kind !== 'bytes' || reply.bytes instanceof Uint8Array) throw new Error('bytes were expected')
  const pieces: Uint8Array[] = []
  for await (const piece of reply.bytes) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return {
    text,
    lines: text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  }
}

async function imported(h: Harness, user_id: UserId, text: string) {
  const path = join(temporaryFolder(), 'data.ndjson')
  writeFileSync(path, text)
  return h.call('import.create', { params: { user_id }, body: { kind: 'file', path } })
}

const create = async (h: Harness, client_user_id = 'a', fields: object = {}): Promise<UserId> =>
  (await h.call('user.create', { body: { client_user_id, fallback_time_zone: 'Europe/Berlin', ...fields } })).user_id

/** A provider's data plus every resource, made once because no test changes it. */
let made: ReturnType<typeof makeRich> | undefined
function rich(): ReturnType<typeof makeRich> {
  made ??= makeRich()
  return made
}

async function makeRich(): Promise<{ h: Harness; user_id: UserId }> {
  const h = await openHarness()
  // a few days of provider data are enough
  const user_id = await create(h, 'a', { ingestion_start: '2026-11-19' })
  const { link_token } = await h.call('link.token', { body: { user_id } })
  await h.call(
    'link.password',
    { params: { provider: 'whoop' }, body: { username: 'u', password: 'p' } },
    { linkToken: link_token },
  )
  const samples = RESOURCES.map((resource, i) => ({
    resource: resource.name,
    start: `2026-11-19T08:${String(i).padStart(2, '0')}:00.5+01:00`,
    ...(resource.kind === 'interval' ? { end: '2026-11-19T10:00:00+01:00' } : {}),
    ...(resource.shape === 'blood_pressure' ? { systolic: 120.5, diastolic: 80 } : {}),
    ...(resource.shape === 'text' ? { value: 'a "note"\n', tags: ['food', 'ü'] } : {}),
    ...(resource.shape === 'value' ? { value: i / 7 } : {}),
    ...(resource.discriminator ? { type: resource.discriminator[0] ?? 'other' } : {}),
    source_type: 'watch',
    workout_id: 'w',
    app_id: 'an app',
  }))
  const workout = { summary: 'workouts', id: 'w', at: '2026-11-19T08:00:00+01:00', document: { title: 'Run' } }
  const stream = {
    stream: 'w',
    time_ms: [1_795_000_000_000, 1_795_000_001_000],
    lat: [47.1, null],
    heartrate: [60, 61],
  }
  const body = JSON.stringify({ samples, summaries: [workout], streams: [stream] })
  await h.call('samples.push', {
    params: { user_id },
    body: { kind: 'stream', stream: Readable.from([Buffer.from(body)]) },
  })
  return { h, user_id }
}

const selectItems = (lines: readonly Item[]): Item[] =>
  lines.filter(line => 'resource' in line || 'summary' in line || 'stream' in line)

/** Replaces every ID by its order of appearance: references between items stay, the owner is removed. */
function withoutOwner(lines: readonly Item[]): string[] {
  const seen = new Map<string, string>()
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
  const sorted = selectItems(lines).map(item => JSON.stringify(item))
  return sorted.map(line =>
    line.replaceAll(uuid, id => {
      if (!seen.has(id)) seen.set(id, `id ${seen.size}`)
      return seen.get(id) as string
    }),
  )
}

describe('a user’s export', () => {
  it('contains the user, the connections, every sample, summary and stream, and the counts', async () => {
    const { h, user_id } = await rich()
    const { lines } = await exported(h, user_id)
    expect(lines[0]).toMatchObject({ svc_export: 1, user_id, client_user_id: 'a', exported_at: expect.any(String) })
    expect(lines.filter(line => 'connection' in line).map(line => line['connection'])).toEqual(['manual', 'whoop'])
    expect(new Set(lines.map(line => line['resource']).filter(Boolean)).size).toBe(RESOURCES.length)
    const end = lines.at(-1) as { samples: Record<string, number>; summaries: Record<string, number>; streams: number }
    expect(end).toMatchObject({ svc_export_end: 1 })
    const counted = (field: string, name: string) => lines.filter(line => line[field] === name).length
    for (const [name, n] of Object.entries(end.samples)) expect(counted('resource', name), name).toBe(n)
    for (const [name, n] of Object.entries(end.summaries)) expect(counted('summary', name), name).toBe(n)
    expect(end.streams).toBe(lines.filter(line => 'stream' in line).length)
    expect(Object.keys(end.summaries)).toContain('sleep')
  })

  it('changes nothing when the same user imports it', async () => {
    const { h, user_id } = await rich()
    const before = await exported(h, user_id)
    const report = await imported(h, user_id, before.text)
    expect(report).toMatchObject({ format: 'svc_export', records: selectItems(before.lines).length, skipped: [] })
    for (const [name, counts] of Object.entries(report.stored)) expect(counts.unchanged, name).toBe(counts.samples)
    for (const [name, counts] of Object.entries(report.summaries))
      expect([counts.created, counts.updated], name).toEqual([0, 0])
    expect([report.streams.created, report.streams.updated]).toEqual([0, 0])
    expect((await exported(h, user_id)).text).toBe(before.text)
  })

  it('gives the same data when another user imports it into a new folder, with that user’s own IDs', async () => {
    const { h, user_id } = await rich()
    const before = await exported(h, user_id)
    const other = await openHarness()
    await other.call('user.create', { body: { client_user_id: 'someone' } })
    const otherId = await create(other, 'b')
    const report = await imported(other, otherId, before.text)
    expect(report.skipped).toEqual([])
    const after = await exported(other, otherId)
    expect(withoutOwner(after.lines)).toEqual(withoutOwner(before.lines))
    expect(after.text).not.toContain(user_id.slice(0, 13))
    const workout = after.lines.find(line => line['summary'] === 'workouts' && line['provider'] === 'manual')
    expect(after.lines.find(line => line['stream'] === workout?.['id'])).toMatchObject({ lat: [47.1, null] })
    const again = await imported(other, otherId, before.text)
    for (const counts of Object.values(again.stored)) expect(counts.unchanged).toBe(counts.samples)
    for (const counts of Object.values(again.summaries)) expect(counts.created + counts.updated).toBe(0)
  })

  it('contains a stream that was pushed without its workout', async () => {
    const h = await openHarness()
    const user_id = await create(h)
    const body = JSON.stringify({ streams: [{ stream: 'alone', time_ms: [1_795_000_000_000], heartrate: [60] }] })
    const stream = Readable.from([Buffer.from(body)])
    await h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream } })
    const { text, lines } = await exported(h, user_id)
    expect(lines.at(-1)).toMatchObject({ streams: 1 })
    expect(lines.find(line => 'stream' in line)).toMatchObject({ heartrate: [60], sport: null })
    expect(await imported(h, user_id, text)).toMatchObject({ records: 1, streams: { unchanged: 1 } })
  })

  it('changes nothing when imported again if its data came from files', async () => {
    const h = await openHarness()
    const user_id = await create(h)
    const csv = 'Time,Value,Kind,W\n2026-11-19T08:00:00Z,4,rapid_acting,run 7\n'
    const columns = { start: 'Time', value: 'Value', type: 'Kind', workout_id: 'W' }
    const path = join(temporaryFolder(), 'insulin.csv')
    writeFileSync(path, csv)
    const query = { mapping: JSON.stringify({ columns, resource: 'insulin_injection' }) }
    await h.call('import.create', { params: { user_id }, query, body: { kind: 'file', path } })
    const { text } = await exported(h, user_id)
    expect(await imported(h, user_id, text)).toMatchObject({ stored: { insulin_injection: { unchanged: 1 } } })
  })

  it('for a user without data is just the first and the last line', async () => {
    const h = await openHarness()
    const user_id = await create(h)
    const { text, lines } = await exported(h, user_id)
    expect(lines).toHaveLength(2)
    const report = await imported(h, user_id, text)
    expect(report).toMatchObject({ records: 0, stored: {}, summaries: {} })
  })

  it('contains the devices, the profile info and every insurance', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    const params = { user_id }
    const sample = { ...SAMPLE, device_id: '4b1f7c1e-0000-4000-8000-0000000000aa' }
    await h.call('samples.push', { params, body: inBytes({ samples: [sample] }) })
    const address = { first_line: '1 Any Street', city: 'Anytown', state: 'CA', zip: '94103', country: 'US' }
    const person = {
      first_name: 'Ada',
      last_name: 'Sample',
      email: 'a@example.test',
      phone_number: '4155550100',
      address,
    }
    const about = { ...person, gender: 'female' as const, dob: '1990-01-01' }
    await h.call('user.set_info', { params, body: about })
    for (const member_id of ['1', '2']) {
      const body = { payor_code: 'SVC01', member_id, relationship: 'Self' as const, insured: about }
      await h.call('user.add_insurance', { params, body })
    }
    const { order } = await h.call('order.create', {
      body: orderBody(user_id, 'essential-health', { icd_codes: ['E11.9'] }),
    })
    await h.call('order.simulate', { params: { order_id: order.id } })
    const { lines, text } = await exported(h, user_id)
    expect(lines.filter(line => 'about' in line)).toMatchObject([
      { about: 'device', id: sample.device_id, provider: 'polar' },
      { about: 'user_info', first_name: 'Ada' },
      { about: 'insurance', member_id: '1' },
      { about: 'insurance', member_id: '2' },
      {
        about: 'order',
        id: order.id,
        icd_codes: ['E11.9'],
        status: 'completed',
        result: { metadata: { status: 'final' } },
      },
    ])
    // they are not items: importing the export again finds one sample and skips nothing
    const again = await imported(h, user_id, text)
    expect(again).toMatchObject({ stored: { heartrate: { samples: 1, unchanged: 1 } }, skipped: [] })
  })

  it('is refused for an unknown user', async () => {
    const h = await openHarness()
    const error = await h.refusal('user.export', { params: { user_id: '00000000-0000-4000-8000-000000000000' } })
    expect(error.code).toBe('user_not_found')
  })
})

describe('importing a damaged export', () => {
  const refused = (h: Harness, user_id: UserId, text: string, query: object = {}) => {
    const path = join(temporaryFolder(), 'data.ndjson')
    writeFileSync(path, text)
    return h.refusal('import.create', { params: { user_id }, query, body: { kind: 'file', path } })
  }

  it('is refused if it is truncated, has extra content, is newer, or is declared as another format', async () => {
    const { h, user_id } = await rich()
    const { text } = await exported(h, user_id)
    expect((await refused(h, user_id, text.slice(0, -30))).message).toMatch(/cut off|damaged/)
    expect((await refused(h, user_id, `${text}{"more":1}\n`)).message).toContain('continues after its end')
    const newer = text.replace('"svc_export":1', '"svc_export":2')
    expect((await refused(h, user_id, newer)).message).toContain('newer version')
    expect((await refused(h, user_id, text, { provider: 'whoop' })).status).toBe(422)
  })

  it('accepts only the user’s own IDs, UUIDs for devices, and documents of the right shape', async () => {
    const h = await openHarness()
    const user_id = await create(h)
    const at = '2026-11-19T08:00:00Z'
    const lines = [
      { svc_export: 1, user_id },
      { summary: 'workouts', id: '../w', at, document: { distance: 5 } },
      { summary: 'workouts', id: 'w2', at, document: { distance: 'S3CRET' } },
      { summary: 'sleep', id: 's', at, document: { S3CRET: 1, secret_field: 1 } },
      { resource: 'heartrate', timestamp: at, value: 60, device_id: 'S3CRET' },
      { svc_export_end: 1 },
    ]
    const report = await imported(h, user_id, lines.map(line => JSON.stringify(line)).join('\n'))
    expect(report).toMatchObject({ records: 4, stored: {}, summaries: { workouts: { created: 1 } } })
    expect(report.skipped.map(each => each.reason).sort()).toEqual([
      'a sample has a device_id that is not a UUID',
      'a summary is not valid: document distance must be of type number',
      'a summary is not valid: document has a field that this kind does not have',
    ])
    const found = await h.call('summary.get', {
      params: { user_id, resource: 'workouts' },
      query: { start_date: '2026-11-19' },
    })
    const [workout] = found['workouts'] as { id: string }[]
    expect(workout?.id.slice(0, 13)).toBe(user_id.slice(0, 13))
  })

  it('skips invalid lines, counts them, and reports their positions', async () => {
    const h = await openHarness()
    const user_id = await create(h)
    const heart = { resource: 'heartrate', timestamp: '2026-11-19T08:00:00Z', value: 60, unit: 'bpm' }
    const lines = [
      { svc_export: 1, user_id },
      heart,
      'rubbish',
      { ...heart, value: 'S3CRET' },
      { ...heart, resource: 'steps', start: '2026-11-19T08:00:00Z', end: '2026-11-19T07:00:00Z', unit: 'count' },
      { ...heart, timestamp: '2036-11-19T08:00:00Z' },
      { svc_export_end: 1 },
    ]
    const text = lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
    const report = await imported(h, user_id, text)
    expect(report).toMatchObject({ records: 5, stored: { heartrate: { samples: 1 } } })
    expect(report.skipped.map(each => each.places).sort()).toEqual([['line 3'], ['line 4'], ['line 5'], ['line 6']])
    expect(JSON.stringify(report)).not.toContain('S3CRET')
  })
})
