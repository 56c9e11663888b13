/**
 * The packed program upgrades data folders of earlier commits: it saves a copy, says so once, gives the same responses as then, and says
 * how to go back. See test/fixtures/README.md for how the folders were made.
 */
import { execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../kit/folder.ts'
import { type Run, root } from '../../kit/sandbox.ts'

const run = promisify(execFile)
const FIXTURES = path.join(root, 'test', 'fixtures')

/** The commands whose output then is in `answers.ndjson`, one line for each. */
const QUESTIONS = [
  ['user', 'list'],
  ['timeseries', 'get', 'alice', 'heartrate', '--start', '2026-11-18', '--end', '2026-11-20'],
  ['summary', 'get', 'person-001', 'sleep', '--start', '2026-11-17', '--end', '2026-11-20'],
  ['aggregate', 'query', 'bob', path.join(FIXTURES, 'queries.json')],
  ['event', 'list', '--user', 'alice'],
]

interface About {
  readonly commit: string | null
  readonly schemas: { readonly sqlite: number }
}
interface Report {
  readonly checks: readonly { check: string; status: string; message: string; remedy: string | null }[]
}

const prefix = temporaryFolder()

beforeAll(async () => {
  const packed = ['pack', '--json', '--ignore-scripts', '--pack-destination', prefix]
  const { stdout } = await run('npm', packed, { cwd: root })
  const [{ filename }] = JSON.parse(stdout)
  const installed = ['install', '--global', '--prefix', prefix, '--omit=optional', '--prefer-offline', '--no-audit']
  await run('npm', [...installed, path.join(prefix, filename)], { cwd: prefix })
})

/** Runs the installed program on a data folder. */
function svc(args: readonly string[], dataDir: string): Promise<Run> {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
    SVC_DATA_DIR: dataDir,
    SVC_CONFIG_DIR: path.join(dataDir, '..', 'config'),
    SVC_CACHE_DIR: path.join(prefix, 'cache'),
  }
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(prefix, 'bin', 'svc'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
    child.on('error', reject).on('close', status => resolve({ status, stdout, stderr }))
  })
}

async function answer<T>(args: readonly string[], dataDir: string): Promise<T> {
  const { status, stdout, stderr } = await svc([...args, '--json'], dataDir)
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as T
}

async function check(name: string, dataDir: string) {
  const { stdout } = await svc(['doctor', '--json'], dataDir)
  return (JSON.parse(stdout) as Report).checks.find(each => each.check === name)
}

describe.each([
  ['cd51531', 5],
  ['0f56e02', 10],
])('a data folder of %s, with schema %i', (commit, schema) => {
  const folder = temporaryFolder()
  const data = path.join(folder, 'data')
  let newest: number

  beforeAll(async () => {
    await run('tar', ['xzf', path.join(FIXTURES, 'upgrades', `${commit}.tar.gz`), '-C', folder])
    const about = await answer<About>(['--version'], data)
    newest = about.schemas.sqlite
  })

  const copies = () => readdirSync(data).filter(name => name.startsWith(`svc.db.schema-${schema}-`))

  it('is not changed by the doctor, which says that an older svc can open it', async () => {
    expect(await check('store', data)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(new RegExp(`has schema ${schema}\\. An older svc can still open it`)),
      remedy: expect.stringContaining(`migrates it to schema ${newest}, after saving a copy`),
    })
    expect(copies()).toEqual([])
  })

  it('is migrated once by two commands, and only one of them says so, on stderr', async () => {
    const both = await Promise.all([1, 2].map(() => svc(['user', 'list', '--json'], data)))
    expect(both.map(({ status }) => status)).toEqual([0, 0])
    expect(new Set(both.map(({ stdout }) => stdout)).size).toBe(1)
    const [name = '', ...others] = copies()
    expect(others).toEqual([])
    expect(statSync(path.join(data, name)).mode & 0o777).toBe(0o600)
    expect(both.map(({ stderr }) => stderr).join('')).toBe(
      `Migrated ${data}/svc.db from schema ${schema} to ${newest}. An older svc cannot open it anymore. ` +
        `The previous database is kept as ${data}/${name}. To go back to an older svc, copy ${data}/${name} as svc.db, ` +
        'and master.key if there is one, to a new folder, and choose that folder with --data-dir. ' +
        'Later changes are not in the copy.\n',
    )
  })

  it('gives the same responses as then', async () => {
    const then = readFileSync(path.join(folder, 'answers.ndjson'), 'utf8').trim().split('\n')
    expect(then).toHaveLength(QUESTIONS.length)
    for (const [at, question] of QUESTIONS.entries())
      expect(await answer(question, data), question.join(' ')).toEqual(JSON.parse(then[at] as string))
    expect(await answer(['engine', 'check'], data)).toMatchObject({ ok: true, problem_count: 0 })
  })

  it('has a copy that the doctor lists', async () => {
    expect(await check('schema', data)).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(`Copy with schema ${schema}: ${data}/${copies()[0]}`),
    })
  })

  it('is refused if a newer svc has migrated it, with advice that leads back to the old data', async () => {
    const db = new DatabaseSync(path.join(data, 'svc.db'))
    db.exec(`PRAGMA user_version=${newest + 1}`)
    db.close()
    const refused = await svc(['user', 'list', '--json'], data)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    const { error } = JSON.parse(refused.stderr)
    expect(error).toMatchObject({ code: 'data_too_new', message: expect.stringContaining(`schema ${newest + 1}`) })
    const copy = path.join(data, copies()[0] as string)
    expect(error.suggestions).toEqual([
      expect.stringContaining('Update svc'),
      expect.stringContaining(`copy ${copy} as svc.db, and master.key`),
    ])
    expect((await check('store', data))?.remedy).toContain(copy)
    const back = path.join(folder, 'back')
    mkdirSync(back, { mode: 0o700 })
    copyFileSync(copy, path.join(back, 'svc.db'))
    copyFileSync(path.join(data, 'master.key'), path.join(back, 'master.key'))
    expect((await check('store', back))?.message).toContain(`has schema ${schema}.`)
    expect(await answer(['user', 'list', '--data-dir', back], data)).toMatchObject({ total: 3 })
  })
})
