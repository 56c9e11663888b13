/** `npm run cluster`: a small production-like cluster on one machine. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { findPrograms } from '../../../scripts/cluster/arguments.mjs'
import { temporaryFolder } from '../../kit/folder.ts'
import { root } from '../../kit/sandbox.ts'
import { until } from '../../kit/until.ts'
import { refusedBy, startScript } from './started-script.ts'

const SCRIPT = path.join(root, 'scripts', 'cluster.mjs')

const refused = (args: readonly string[], env?: Readonly<Record<string, string>>) => refusedBy(SCRIPT, args, env)
const start = (args: readonly string[]) => startScript(SCRIPT, args)

describe('a cluster', () => {
  it.each([
    [['--port', 'many'], '--port is not a port. Use a number from 0 to 65535; 0 picks a free one.\n'],
    [['--port', '65536'], '--port is not a port. Use a number from 0 to 65535; 0 picks a free one.\n'],
    [['--port', '8080', '--postgres-only'], '--port is that of the proxy, which --postgres-only leaves out.\n'],
    [
      ['--nodes', '3'],
      expect.stringMatching(/'--nodes'.*\nUse: npm run cluster -- \[--port N\] \[--postgres-only\]\n$/),
    ],
  ])('refuses %j', (args, message) => {
    expect(refused(args)).toEqual({ status: 2, stderr: message })
  })

  it('lists all missing packages before it starts anything', () => {
    const { status, stderr } = refused(['--postgres-only'], { SVC_TEST_POSTGRES_BIN: temporaryFolder() })
    expect(stderr).toMatch(/^There is no PostgreSQL in .*\nOn Debian: apt-get install postgresql\n$/s)
    expect(status).toBe(1)
  })
})

function hasPrograms(): boolean {
  try {
    return findPrograms({ isPostgresOnly: false }).proxy !== undefined
  } catch (error) {
    process.stderr.write(`a part of cluster.test.ts is skipped: ${(error as Error).message} (see .ci/run)\n`)
    return false
  }
}

describe.skipIf(!hasPrograms())('a running cluster', { timeout: 120_000 }, () => {
  it('accepts one key on every node, continues on the standby, and leaves nothing behind', async () => {
    const { facts, stop, stderr } = await start([])
    const { Service: url = '', 'API key': key = '', Logs: folder = '' } = facts
    const create = async (name: string) => {
      const headers = { 'x-service-api-key': key, 'content-type': 'application/json' }
      const body = JSON.stringify({ client_user_id: name })
      return (await fetch(`${url}/v2/user`, { method: 'POST', headers, body })).status
    }
    const list = () => fetch(`${url}/v2/user`, { headers: { 'x-service-api-key': key } })
    const seen = async (response: Response) =>
      ((await response.json()) as { users: { client_user_id: string }[] }).users.map(each => each.client_user_id)
    for (const name of ['ada', 'bob', 'cara', 'dora']) expect(await create(name)).toBe(200)
    // the nodes take turns
    for (let i = 0; i < 4; i++) expect((await seen(await list())).toSorted()).toEqual(['ada', 'bob', 'cara', 'dora'])
    const failOver = spawnSync('/bin/sh', ['-c', facts['Fail over'] ?? ''], { encoding: 'utf8' })
    expect(failOver).toMatchObject({ status: 0, stderr: '' })
    await until(async () => (await create('eve')) === 200, { everyMs: 200 })
    // until both nodes have been ready for a second, the proxy may have no available node
    const responses: Response[] = []
    await until(async () => responses.push(await list()) > 0 && responses.at(-1)?.ok === true, { everyMs: 200 })
    expect((await seen(responses.at(-1) as Response)).toSorted()).toEqual(['ada', 'bob', 'cara', 'dora', 'eve'])
    expect(stderr()).toMatch(/^primary \(\d+\) has ended\.$/m)
    const [status] = await stop()
    expect(status).toBe(0)
    expect(existsSync(folder)).toBe(false)
  })

  it('can consist of PostgreSQL and its standby only', async () => {
    const { facts, stop } = await start(['--postgres-only'])
    expect(Object.keys(facts)).toEqual(['Primary', 'Standby', 'Processes', 'Fail over', 'Stop'])
    const ask = (url = '') =>
      spawnSync('psql', ['-XAtd', url, '-c', 'SELECT pg_is_in_recovery()'], { encoding: 'utf8' })
    expect([ask(facts['Primary']).stdout, ask(facts['Standby']).stdout]).toEqual(['f\n', 't\n'])
    expect(await stop()).toEqual([0, null])
  })
})
