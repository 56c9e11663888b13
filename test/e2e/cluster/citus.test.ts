/** `npm run citus`: a Citus cluster on one machine. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../kit/folder.ts'
import { hasCitus } from '../../kit/postgres/citus.mjs'
import { fakePostgres } from '../../kit/postgres/fake-programs.ts'
import { root } from '../../kit/sandbox.ts'
import { refusedBy, startScript } from './started-script.ts'

const SCRIPT = path.join(root, 'scripts', 'citus.mjs')

const refused = (args: readonly string[], env?: Readonly<Record<string, string>>) => refusedBy(SCRIPT, args, env)

describe('a Citus cluster on this machine', () => {
  it.each([
    [['--port', 'many'], '--port is not a port. Use a number from 0 to 65535; 0 picks a free one.\n'],
    [['--folder', '/does/not/exist'], '--folder is not a folder. Create it first.\n'],
    [['--add-worker', '/tmp', '--port', '1'], expect.stringMatching(/^--add-worker cannot be combined with --port/)],
    [['--workers', '3'], expect.stringMatching(/'--workers'.*\nUse: npm run citus -- \[--port N\] \[--folder DIR\],/)],
  ])('refuses %j', (args, message) => {
    expect(refused(args)).toEqual({ status: 2, stderr: message })
  })

  it('says what is missing before it starts anything', () => {
    const none = refused([], { SVC_TEST_POSTGRES_BIN: temporaryFolder() })
    expect(none).toEqual({ status: 1, stderr: expect.stringContaining('On Debian: apt-get install postgresql') })
    const without = refused([], { SVC_TEST_POSTGRES_BIN: fakePostgres(temporaryFolder(), '16.2') })
    expect(without.stderr).toMatch(/^PostgreSQL 16 in .* does not have the Citus extension\. See "Get Citus" in /)
    expect(without.status).toBe(1)
  })

  it('adds a worker only to a cluster that is running', () => {
    const folder = temporaryFolder()
    const message = `No cluster is running in ${folder}. Use the folder that npm run citus shows.\n`
    expect(refused(['--add-worker', folder])).toEqual({ status: 2, stderr: message })
  })
})

describe.skipIf(!hasCitus())('a running Citus cluster', { timeout: 240_000 }, () => {
  it('does not start on a port that another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const message = `Port ${port} cannot be used, probably because another program listens on it. Use another --port.\n`
    expect(refused(['--port', `${port}`])).toEqual({ status: 2, stderr: message })
    other.close()
  })

  it('stores the data of svc, accepts another worker, and leaves nothing behind', async () => {
    const { facts, stop } = await startScript(SCRIPT, [])
    const svc = (command: string) => {
      const text = `${facts['Use it']}; node bin/run.js ${command} --json`
      const { stdout, stderr } = spawnSync('/bin/sh', ['-c', text], { cwd: root, encoding: 'utf8' })
      expect(stderr).toBe('')
      return JSON.parse(stdout)
    }
    svc('user create ada')
    const shards = (): number[] =>
      svc('engine status')
        .citus.nodes.filter(({ role }: { role: string }) => role === 'worker')
        .map((node: { shards: number }) => node.shards)
    const [first = 0, second] = shards()
    expect([second, shards().length]).toEqual([first, 2])

    const [, , ...add] = (facts['Add worker'] ?? '').split(' ')
    const added = spawnSync(process.execPath, [SCRIPT, ...add.slice(2)], { encoding: 'utf8' })
    expect(added).toMatchObject({ status: 0, stderr: expect.stringMatching(/Moving shards(.|\n)*\nDone\.\n$/) })
    const [, , third = 0] = shards()
    expect(third).toBeGreaterThan(first / 2)
    expect(svc('user list')).toMatchObject({ total: 1 })

    expect(await stop()).toEqual([0, null])
    expect(existsSync(facts['Logs'] ?? '')).toBe(false)
  })
})
