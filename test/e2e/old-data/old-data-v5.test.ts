/** This version opens and writes a data folder of schema 5. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'
import { openSink } from '../../kit/sink.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v5')
/** The secret that `webhook create` showed when the folder was created. */
const SECRET = 'whsec_0L13FzBTCRdgCy3iS5BakIMazExUDEHpfNoF8q9ptJA='
const sandbox = new InProcessSandbox()

beforeAll(async () => {
  cpSync(FIXTURE, sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
})

interface Endpoints {
  readonly endpoints: readonly { endpoint_id: string; state: string; waiting: number; dead: number }[]
}
interface Events {
  readonly data: readonly { event_id: string; event_type: string }[]
}

test('delivers failed events, with the same IDs and signed with the old secret', async () => {
  const { endpoints } = await sandbox.json<Endpoints>(['webhook', 'list'])
  expect(endpoints).toMatchObject([
    { state: 'enabled', waiting: 5, dead: 0 },
    { state: 'disabled', waiting: 0, dead: 6 },
  ])
  const endpoint = endpoints[0] as { endpoint_id: string }
  const sink = await openSink()
  await sandbox.json(['webhook', 'update', endpoint.endpoint_id, '--url', `${sink.url}/hooks`])
  expect(await sandbox.json(['event', 'deliver'])).toMatchObject({ delivered: 5, failed: 0, waiting: 0 })
  const { data } = await sandbox.json<Events>(['event', 'list', '--user', 'alice', '--type', 'daily.data.*'])
  expect(sink.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
    data.map(event => event.event_id).toSorted(),
  )
  for (const { body, headers } of sink.received) {
    expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({
      event_type: expect.stringMatching(/^daily/),
    })
  }
})

test('resends dead deliveries once their endpoint is enabled', async () => {
  const { endpoints } = await sandbox.json<Endpoints>(['webhook', 'list'])
  const { endpoint_id: id } = endpoints[1] as { endpoint_id: string }
  const sink = await openSink()
  await sandbox.json(['webhook', 'update', id, '--url', `${sink.url}/other`])
  await sandbox.json(['webhook', 'enable', id])
  await sandbox.json(['event', 'resend', '--since', '2026-11-20T11:00:00Z', '--endpoint', id])
  await sandbox.json(['event', 'deliver'])
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size).toBeGreaterThanOrEqual(6)
})

test('keeps its seeded person, whose data continues', async () => {
  const seed = ['engine', 'seed', '--people', '1', '--days', '2', '--seed', '7']
  await sandbox.json(['engine', 'clock', 'set', '2026-11-21T12:00:00Z'])
  const { people } = await sandbox.json<{ people: unknown[] }>(seed)
  expect(people).toMatchObject([{ client_user_id: 'person-001', state: 'updated', time_zone: 'America/New_York' }])
})

test('keeps its faults, and finds no damage', async () => {
  expect(await sandbox.json(['engine', 'fault', 'list'])).toMatchObject({ faults: [{ path: '/v2/user', status: 503 }] })
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})
