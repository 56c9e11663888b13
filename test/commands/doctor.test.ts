/** `svc doctor`: one line for each check, a remedy, and an exit code that is 0 only when everything is ok. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkMachineClock, checkNode } from '../../src/cli/doctor/machine.ts'
import { checkVersions } from '../../src/cli/doctor/service.ts'
import { Sandbox } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { openSink } from '../kit/sink.ts'
import { hasSmallDisks, smallDisk } from '../kit/small-disk.ts'

interface Report {
  readonly ok: boolean
  readonly checks: readonly { check: string; status: string; message: string; remedy: string | null }[]
}

const sandbox = new Sandbox()
const SECRET = 'sk_us_very_secret_0123456789abcdef'

async function doctor(args: readonly string[] = [], options: Parameters<Sandbox['run']>[1] = {}) {
  const run = await sandbox.run(['doctor', '--json', ...args], options)
  expect(run.stdout + run.stderr).not.toContain(SECRET)
  const report: Report = JSON.parse(run.stdout)
  const bad = report.checks.filter(({ status }) => status !== 'ok')
  expect(report.ok).toBe(bad.length === 0)
  expect(run.status).toBe(bad.length === 0 ? 0 : 5)
  for (const { remedy } of bad) expect(remedy).toBeTruthy()
  if (bad.length > 0) expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'doctor_failed' } })
  return { report, bad, of: (check: string) => report.checks.find(each => each.check === check) }
}

/** Returns a copy of the sandbox's data folder. */
function copyFolder(name: string): string {
  const folder = path.join(sandbox.folder, name)
  cpSync(sandbox.env['SVC_DATA_DIR'] as string, folder, { recursive: true })
  chmodSync(folder, 0o700)
  return folder
}

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
})

describe('a healthy installation', () => {
  it('has only ok lines and exits with 0', async () => {
    const { report } = await doctor()
    expect(report.checks.map(({ check }) => check)).toEqual([
      'node',
      'profile',
      'clock',
      'data folder',
      'disk space',
      'permissions',
      'store',
      'schema',
      'engine clock',
      'version',
    ])
  })

  it('is shown as a table, and is not changed', async () => {
    const folder = sandbox.env['SVC_DATA_DIR'] as string
    const before = readFileSync(path.join(folder, 'svc.db'))
    const names = readdirSync(folder)
    const run = await sandbox.run(['doctor', '--output', 'table'])
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/store +ok +.*intact/)
    expect(readFileSync(path.join(folder, 'svc.db')).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(names)
  })

  it('may have no data folder yet, which is not created', async () => {
    const absent = path.join(sandbox.folder, 'absent')
    const { of } = await doctor(['--data-dir', absent])
    expect(of('data folder')?.message).toContain('does not exist yet')
    expect(existsSync(absent)).toBe(false)
  })

  it('reports the server that runs on the folder', async () => {
    const server = await serve(sandbox)
    try {
      // the first request builds it, which can take longer on a busy machine than the doctor waits
      await fetch(`${server.url}/openapi.json`)
      const { of } = await doctor()
      expect(of('server')?.message).toContain(server.url)
      expect(of('version')?.message).toContain('the same version')
    } finally {
      await server.stop('SIGTERM')
    }
  })
})

describe('a profile', () => {
  it('file that is broken is a problem, and the other checks still run', async () => {
    const config = path.join(sandbox.folder, 'broken')
    mkdirSync(config)
    writeFileSync(path.join(config, 'profiles.json'), `{"apiKey": "${SECRET}"`, { mode: 0o600 })
    const { bad, of } = await doctor([], { env: { SVC_CONFIG_DIR: config } })
    expect(bad).toMatchObject([{ check: 'profile', status: 'problem' }])
    expect(of('store')?.status).toBe('ok')
  })

  it('that does not exist is a problem', async () => {
    expect((await doctor(['--profile', 'nobody'])).bad).toMatchObject([{ check: 'profile' }])
  })
})

describe('a data folder', () => {
  it('at the path of a file is a problem', async () => {
    const file = path.join(sandbox.folder, 'file')
    writeFileSync(file, '')
    expect((await doctor(['--data-dir', file])).of('data folder')?.status).toBe('problem')
  })

  it('that the user cannot write to is a problem', async () => {
    const folder = copyFolder('closed')
    chmodSync(path.join(folder, 'svc.db'), 0o000)
    const { bad } = await doctor(['--data-dir', folder], { isBoundByPermissions: true })
    expect(bad).toMatchObject([{ check: 'data folder', status: 'problem' }])
  })

  it('that others can read is a warning with the command that closes it', async () => {
    const folder = copyFolder('open')
    chmodSync(path.join(folder, 'svc.db'), 0o644)
    const { bad } = await doctor(['--data-dir', folder])
    expect(bad).toMatchObject([{ check: 'permissions', status: 'warning' }])
    expect(bad[0]?.remedy).toBe(`Run: chmod 600 ${folder}/svc.db`)
  })

  it.skipIf(!hasSmallDisks)('on a full disk is a problem', async () => {
    const disk = smallDisk(8 << 20)
    const folder = path.join(disk.path, 'data')
    await sandbox.json(['user', 'create', 'ada', '--data-dir', folder], { wrapper: disk })
    disk.fill()
    expect((await doctor(['--data-dir', folder], { wrapper: disk })).of('disk space')?.status).toBe('problem')
  })
})

describe('a store', () => {
  it('that is damaged is a problem', async () => {
    const folder = copyFolder('damaged')
    const file = path.join(folder, 'svc.db')
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(7, bytes.length / 2))
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([{ check: 'store', status: 'problem' }])
    writeFileSync(file, 'no database')
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([{ check: 'store', status: 'problem' }])
    expect(readFileSync(file, 'utf8')).toBe('no database')
  })

  it('that was removed is a problem', async () => {
    const folder = copyFolder('removed')
    rmSync(path.join(folder, 'svc.db'))
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([{ check: 'store', status: 'problem' }])
  })

  it('that another process has locked is a problem, reported within seconds', async () => {
    const folder = copyFolder('locked')
    const db = new DatabaseSync(path.join(folder, 'svc.db'))
    db.exec('BEGIN IMMEDIATE')
    const { bad } = await doctor(['--data-dir', folder])
    expect(bad).toMatchObject([{ check: 'store', status: 'problem', message: expect.stringContaining('locked') }])
    db.exec('ROLLBACK')
    db.close()
  })

  it('of another version is reported, and not migrated', async () => {
    const folder = copyFolder('older')
    const db = new DatabaseSync(path.join(folder, 'svc.db'))
    db.exec('PRAGMA user_version=1')
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([{ check: 'store', status: 'warning' }])
    db.exec('PRAGMA user_version=999')
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([
      { check: 'store', status: 'problem', remedy: expect.stringContaining('Update svc') },
    ])
    db.close()
  })

  it('whose clock was moved or frozen has a warning', async () => {
    const folder = copyFolder('clock')
    await sandbox.json(['engine', 'clock', 'advance', '7d', '--data-dir', folder])
    expect((await doctor(['--data-dir', folder])).bad).toMatchObject([{ check: 'engine clock', status: 'warning' }])
    await sandbox.json(['engine', 'clock', 'freeze', '--data-dir', folder])
    expect((await doctor(['--data-dir', folder])).of('engine clock')?.message).toContain('frozen')
  })
})

describe('a server', () => {
  it('is reported when it is up, when it refuses the key, and when it is down', async () => {
    const server = await serve(sandbox)
    const args = ['--base-url', server.url]
    const good = await doctor(args, { env: { SVC_API_KEY: server.api_key } })
    expect(good.bad).toEqual([])
    expect(good.of('API key')?.status).toBe('ok')
    expect((await doctor(args, { env: { SVC_API_KEY: SECRET } })).bad).toMatchObject([{ check: 'API key' }])
    expect((await doctor(args)).bad).toMatchObject([
      { check: 'API key', remedy: expect.stringContaining('SVC_API_KEY') },
    ])
    await server.stop('SIGTERM')
    expect((await doctor(args, { env: { SVC_API_KEY: SECRET } })).bad).toMatchObject([{ check: 'server' }])
  })
})

describe('the machine', () => {
  it('needs a Node that is new enough, and a clock that is not in the past', () => {
    expect(checkNode('v20.19.0').status).toBe('ok')
    expect(checkNode('v24.0.1').status).toBe('ok')
    expect(checkNode('v20.18.9').status).toBe('problem')
    expect(checkNode('v18.20.0').status).toBe('problem')
    expect(checkMachineClock(Date.UTC(1970, 0, 1)).status).toBe('problem')
    expect(checkMachineClock(Date.UTC(2027, 0, 1)).status).toBe('ok')
  })

  it('needs the server’s version', async () => {
    const sink = await openSink((_received, response) => {
      response.end(JSON.stringify({ info: { version: '9.9.9' } }))
      return undefined
    })
    expect(await checkVersions(sink.url)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('9.9.9'),
    })
  })
})
