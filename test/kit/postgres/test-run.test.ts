/** `npm test -- --postgres`, and the list of skipped tests. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../folder.ts'
import { root } from '../sandbox.ts'
import { fakePostgres } from './fake-programs.ts'
import { NOT_ON_CITUS, SQLITE_ONLY } from './sqlite-only.ts'

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { SVC_TEST_STORE: _, ...inherited } = process.env
  const options = { cwd: root, env: { ...inherited, ...env }, encoding: 'utf8' } as const
  return spawnSync(process.execPath, [path.join(root, 'scripts', 'test.mjs'), ...args], options)
}

describe('npm test', () => {
  it('says why there is no PostgreSQL for the tests, and counts nothing as failed', () => {
    const { status, stdout } = run(['--postgres'], { SVC_TEST_POSTGRES_BIN: temporaryFolder() })
    expect(stdout).toMatch(/^Not run: There is no PostgreSQL in .*On Debian: apt-get install postgresql$/m)
    expect(stdout).toMatch(/\n0 passed, 0 failed, 0 skipped\n$/)
    expect(status).toBe(0)
  })

  it('says why there is no Citus for the tests, and counts nothing as failed', () => {
    const { status, stdout } = run(['--citus'], { SVC_TEST_POSTGRES_BIN: fakePostgres(temporaryFolder(), '99.1') })
    expect(stdout).toMatch(/^Not run: PostgreSQL 99 in .* does not have the Citus extension\. See "Get Citus"/m)
    expect(stdout).toMatch(/\n0 passed, 0 failed, 0 skipped\n$/)
    expect(status).toBe(0)
  })

  it('refuses an unknown suite, and lists the existing ones', () => {
    const { status, stderr } = run(['--plain', '--mysql'])
    expect(stderr).toBe(
      '--mysql is not a suite. Use one or more of --plain, --long, --delayed, --postgres, --late, --citus, --citus-store, --package.\n',
    )
    expect(status).toBe(2)
  })
})

describe('the lists of tests that runs over PostgreSQL and Citus skip', () => {
  it('contain existing files, each for one reason', () => {
    const all = [...SQLITE_ONLY, ...NOT_ON_CITUS]
    const files = all.flatMap(each => each.files ?? [])
    const partly = all.flatMap(each => Object.keys(each.tests ?? {}))
    const missing = [...files, ...partly].filter(name => !existsSync(path.join(root, 'test', name)))
    expect(missing).toEqual([])
    expect(files.filter((name, i) => files.indexOf(name) !== i || partly.includes(name))).toEqual([])
  })
})
