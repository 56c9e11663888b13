/**
 * Endpoints of schema 5, which did not record whose key set a URL: the audit trail decides, and if it has no record, loopback is refused.
 */
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, expect, test } from 'vitest'
import { systemRandom } from '../../../src/core/random.ts'
import { sealSecret } from '../../../src/engine/webhooks/sealed-secret.ts'
import type { EndpointRecord } from '../../../src/store/webhook.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'
import { openSink, type Sink } from '../../kit/sink.ts'

const sandbox = new InProcessSandbox()
const dataDir = sandbox.env['SVC_DATA_DIR'] as string
let sink: Sink

/** The caller that counts as having set the URL, given an endpoint's audit entries: operation, caller and outcome of each. */
const CASES = [
  ['operator', [['webhook.create', 'local', 'ok']]],
  ['operator', [['webhook.create', 'key:of-operator', 'ok']]],
  [
    'operator',
    [
      ['webhook.create', 'key:of-operator', 'ok'],
      ['webhook.update', 'local', 'ok'],
    ],
  ],
  [
    'operator',
    [
      ['webhook.create', 'local', 'ok'],
      ['webhook.update', 'key:of-team', 'bad_request'],
    ],
  ],
  ['team', [['webhook.create', 'key:of-team', 'ok']]],
  [
    'team',
    [
      ['webhook.create', 'local', 'ok'],
      ['webhook.update', 'key:of-team', 'ok'],
    ],
  ],
  // the creator may be anyone
  [null, []],
  [null, [['webhook.update', 'local', 'ok']]],
  [null, [['webhook.create', 'key:gone', 'ok']]],
  [
    null,
    [
      ['webhook.create', 'local', 'ok'],
      ['webhook.update', 'key:gone', 'ok'],
    ],
  ],
] as const

const numberedId = (number: number): string => `${number}`.padStart(8, '0').concat('-0000-4000-8000-000000000000')

beforeAll(async () => {
  sink = await openSink()
  cpSync(path.join(root, 'test', 'fixtures', 'data-folder-v5'), dataDir, { recursive: true })
  const db = new DatabaseSync(path.join(dataDir, 'svc.db'))
  db.exec(`INSERT INTO api_key (key_id, team_id, hash, label, created_on, is_operator, revoked_at)
    SELECT 'of-operator', team_id, 'a', 'session host 1', 1, 1, 2 FROM team UNION ALL
    SELECT 'of-team', team_id, 'b', '', 1, 0, NULL FROM team`)
  const { teamId } = db.prepare('SELECT team_id AS teamId FROM team').get() as Pick<EndpointRecord, 'teamId'>
  const master = Buffer.from(readFileSync(path.join(dataDir, 'master.key'), 'utf8').trim(), 'hex')
  const keys = { masterKey: () => master, random: systemRandom }
  const endpoint = db.prepare(
    `INSERT INTO endpoint VALUES (?, ?, ?, '', '["*"]', NULL, 10, NULL, ?, NULL, NULL, 1, 1, NULL, NULL, NULL)`,
  )
  const line = db.prepare(`INSERT INTO audit SELECT team_id, 1, ?, ?, ?, json_object('endpoint_id', ?), ? FROM team`)
  CASES.forEach(([, lines], number) => {
    const endpointId = numberedId(number)
    const secret = sealSecret(keys, { teamId, endpointId }, new Uint8Array(32))
    endpoint.run(teamId, endpointId, `${sink.url}/${number}`, secret)
    lines.forEach(([operation, actor, outcome], at) => {
      line.run(`${number}-${at}`, actor, operation, endpointId, outcome)
    })
  })
  // attempts of schema 5 contained resolved addresses
  db.exec(`UPDATE failed_attempt SET error='hooks.example resolves to 10.0.0.5, a private address';
    UPDATE delivery SET last_error='hooks.example resolves to 10.0.0.5, a private address' WHERE last_error IS NOT NULL`)
  db.close()
})

interface Endpoints {
  readonly endpoints: readonly { endpoint_id: string; state: string; target_problem: string | null }[]
}

test('an endpoint has the rights of the weakest of the keys that created and changed it', async () => {
  const { endpoints } = await sandbox.json<Endpoints>(['webhook', 'list'])
  const db = new DatabaseSync(path.join(dataDir, 'svc.db'))
  const kept = db.prepare('SELECT url_set_by FROM endpoint WHERE endpoint_id=?')
  CASES.forEach(([setBy], number) => {
    expect({ ...(kept.get(numberedId(number)) as object) }, `case ${number}`).toEqual({ url_set_by: setBy })
    const { target_problem } = endpoints.find(each => each.endpoint_id === numberedId(number)) ?? {}
    expect(target_problem === null, `case ${number}`).toBe(setBy === 'operator')
  })
  db.close()
})

test('commands show which endpoints are refused, and the remedy', async () => {
  const list = await sandbox.run(['webhook', 'list', '--output', 'table'])
  expect(list.stdout.match(/enabled \(refused\)/g)).toHaveLength(CASES.filter(([setBy]) => setBy !== 'operator').length)
  const refusal = 'The URL leads to this machine, to which webhooks are not sent; to allow it, set'
  expect(list.stderr).toContain(`Nothing is sent to ${numberedId(4)}. ${refusal}`)
  const get = await sandbox.run(['webhook', 'get', numberedId(4), '--output', 'csv'])
  expect(get.stdout).toContain(refusal)
  const tested = await sandbox.run(['webhook', 'test', numberedId(4)])
  expect(tested.status).toBe(5)
  expect(tested.stderr).toContain(refusal)
  expect(tested.stderr).toContain('--allow-loopback-targets')
})

test('`event deliver` sends only to an operator’s endpoints, and says why the others get nothing', async () => {
  await sandbox.json(['user', 'create', 'new'])
  await sandbox.json(['link', 'demo', 'new', 'oura'])
  const run = await sandbox.run(['event', 'deliver'])
  expect(run.status).toBe(0)
  const numbers = new Set(sink.received.map(({ path: at }) => Number(at.slice(1))))
  expect([...numbers].toSorted()).toEqual(CASES.flatMap(([setBy], number) => (setBy === 'operator' ? [number] : [])))
  for (const [number, [setBy]] of CASES.entries()) {
    const line = `nothing is sent to webhook endpoint ${numberedId(number)}: the URL leads to this machine`
    expect(run.stderr.split(line).length - 1, `case ${number}`).toBe(setBy === 'operator' ? 0 : 1)
  }
  expect(run.stderr).toContain('--allow-loopback-targets')
})

test('an endpoint is allowed when an operator sets its URL again, and all are with --allow-loopback-targets', async () => {
  await sandbox.json(['webhook', 'update', numberedId(4), '--url', `${sink.url}/4`])
  const { endpoints } = await sandbox.json<Endpoints>(['webhook', 'list'])
  expect(endpoints.find(each => each.endpoint_id === numberedId(4))).toMatchObject({ target_problem: null })
  await sandbox.json(['engine', 'clock', 'advance', '10m'])
  await sandbox.run(['event', 'deliver', '--allow-loopback-targets'])
  const numbers = new Set(sink.received.map(({ path: at }) => Number(at.slice(1))))
  expect(numbers.size).toBe(CASES.length)
})

test('old attempts no longer contain an IP address', async () => {
  const db = new DatabaseSync(path.join(dataDir, 'svc.db'))
  const count = (sql: string) => (db.prepare(`SELECT count(*) AS n FROM ${sql}`).get() as { n: number }).n
  expect(count("failed_attempt WHERE error='the host resolves to where webhooks do not go'")).toBeGreaterThan(0)
  expect(count("failed_attempt WHERE error LIKE '%10.0.0.5%'")).toBe(0)
  expect(count("delivery WHERE last_error LIKE '%10.0.0.5%'")).toBe(0)
  db.close()
})
