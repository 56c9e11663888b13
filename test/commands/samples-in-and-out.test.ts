/** Samples that are pushed, exported, imported again and deleted from the command line. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { Terminal } from '../kit/terminal.ts'

let sandbox: InProcessSandbox
const inFolder = (...names: string[]): string => path.join(sandbox.folder, ...names)
const heart = (minute: number, value = 60) =>
  JSON.stringify({ resource: 'heartrate', timestamp: `2024-01-20T08:${String(minute).padStart(2, '0')}:00Z`, value })
const DAY = ['--start', '2024-01-20', '--end', '2024-01-20']

let userId = ''
beforeEach(async () => {
  sandbox = new InProcessSandbox()
  userId = (await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])).user_id
  const lines = Array.from({ length: 30 }, (_, i) => heart(i)).join('\n')
  const pushed = await sandbox.run(['api', 'POST', `/svc/v1/users/${userId}/samples`, '--input', '-'], { input: lines })
  expect(JSON.parse(pushed.stdout)).toMatchObject({ samples: 30, stored: { heartrate: { samples: 30 } } })
})

test('svc api pushes a file, gzipped or not, and refuses an invalid one with the position of the error', async () => {
  writeFileSync(inFolder('more.json.gz'), gzipSync(`[${heart(0)}]`))
  const again = await sandbox.run(['api', 'POST', `/svc/v1/users/${userId}/samples`, '--input', 'more.json.gz'])
  expect(JSON.parse(again.stdout)).toMatchObject({ stored: { heartrate: { unchanged: 1 } } })
  writeFileSync(inFolder('wrong.json'), `[${heart(0)},{"resource":"heartrate","value":1}]`)
  const wrong = await sandbox.run(['api', 'POST', `/svc/v1/users/${userId}/samples`, '--input', 'wrong.json'])
  expect([wrong.status, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toContain('1.timestamp: Field required')
})

describe('user export', () => {
  test('writes a folder that another user can import, and does not overwrite it unless told to', async () => {
    const saved = await sandbox.json(['user', 'export', 'ada', '-o', 'out'])
    expect(saved).toMatchObject({ folder: inFolder('out'), user_id: userId, samples: { heartrate: 30 } })
    expect(readdirSync(inFolder('out')).sort()).toEqual(['data.ndjson', 'manifest.json', 'user.json'])
    const refused = await sandbox.run(['user', 'export', 'ada', '-o', 'out'])
    expect([refused.status, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('--force')
    expect((await sandbox.run(['user', 'export', 'ada', '-o', 'out', '--force', '--quiet'])).stderr).toBe('')
    await sandbox.json(['user', 'create', 'bob'])
    expect(await sandbox.json(['import', inFolder('out', 'data.ndjson'), '--user', 'bob'])).toMatchObject({
      format: 'svc_export',
      stored: { heartrate: { samples: 30, replaced: 0, unchanged: 0 } },
    })
    expect(await sandbox.json(['import', inFolder('out', 'data.ndjson'), '--user', 'ada'])).toMatchObject({
      stored: { heartrate: { samples: 30, replaced: 0, unchanged: 30 } },
    })
  })

  test('creates no folder for an unknown user', async () => {
    const run = await sandbox.run(['user', 'export', 'nobody', '-o', 'none'])
    expect(run.status).toBe(3)
    expect(existsSync(inFolder('none'))).toBe(false)
  })

  test('matches the output of svc api, byte for byte except for the time of the export', async () => {
    await sandbox.json(['user', 'export', 'ada', '-o', 'same'])
    const { stdout } = await sandbox.run(['api', 'GET', `/svc/v1/users/${userId}/export`])
    const rest = (text: string): string => text.slice(text.indexOf('\n'))
    expect(rest(stdout)).toBe(rest(readFileSync(inFolder('same', 'data.ndjson'), 'utf8')))
  })
})

describe('timeseries delete', () => {
  test('needs both ends of the range, and --yes if it cannot prompt', async () => {
    const open = await sandbox.run(['timeseries', 'delete', 'ada', 'heartrate', '--start', '2024-01-20', '--yes'])
    expect([open.status, open.stderr]).toEqual([2, expect.stringContaining('--end')])
    const unasked = await sandbox.run(['timeseries', 'delete', 'ada', 'heartrate', ...DAY])
    expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    const unknown = await sandbox.run(['timeseries', 'delete', 'ada', 'heartbeat', ...DAY, '--yes'])
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('"heartrate"')])
  })

  test('asks for confirmation on a terminal and respects the answer', async () => {
    const no = new Terminal(sandbox, ['timeseries', 'delete', 'ada', 'heartrate', ...DAY])
    await no.sees(/Delete heartrate of ada, 2024-01-20 to 2024-01-20\?/)
    no.types('n')
    expect(await no.ended()).toBe(130)
    const half = ['--start', '2024-01-20', '--end', '2024-01-20T08:09:59Z']
    const yes = new Terminal(sandbox, ['timeseries', 'delete', 'ada', 'heartrate', ...half])
    await yes.sees(/Delete heartrate/)
    yes.types('y')
    expect(await yes.ended()).toBe(0)
    expect(await sandbox.json(['timeseries', 'delete', 'ada', 'heartrate', ...DAY, '--yes'])).toEqual({ deleted: 20 })
    expect(await sandbox.json(['timeseries', 'delete', 'ada', 'heartrate', ...DAY, '--yes'])).toEqual({ deleted: 0 })
  })
})
