import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportXml, record } from '../connectors/files/exports.ts'
import { Sandbox, scratchFiles, scratchFolder } from '../kit/sandbox.ts'
import { ask, type Serving, serve } from '../kit/serve.ts'
import { until } from '../kit/until.ts'

let sandbox: Sandbox
let server: Serving | undefined

beforeEach(() => {
  sandbox = new Sandbox()
})
afterEach(async () => {
  await server?.stop('SIGKILL')
  server = undefined
})

async function userNames(): Promise<string[]> {
  const { users } = await sandbox.json<{ users: { client_user_id: string }[] }>(['user', 'list', '--limit', '500'])
  return users.map(each => each.client_user_id).sort()
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`)

describe('a server and commands at once', () => {
  test('can all write, and nothing is lost', async () => {
    server = await serve(sandbox)
    const { ask } = server
    const overHttp = numbered('http', 20)
    const byCommand = numbered('cli', 4)
    const [responses, runs] = await Promise.all([
      Promise.all(overHttp.map(client_user_id => ask('POST', '/v2/user', { client_user_id }))),
      Promise.all(byCommand.map(name => sandbox.run(['user', 'create', name]))),
    ])
    expect(responses.map(each => each.status)).toEqual(overHttp.map(() => 200))
    expect(runs.map(each => each.status)).toEqual(byCommand.map(() => 0))
    const names = [...overHttp, ...byCommand].sort()
    expect(await userNames()).toEqual(names)
    // each side sees the other's writes
    const { json } = await ask('GET', '/v2/user?limit=500')
    expect(json).toMatchObject({ total: names.length })
  })

  test('can be the first on a new folder, even several commands together', async () => {
    const names = numbered('first', 5)
    const runs = await Promise.all(names.map(name => sandbox.run(['user', 'create', name])))
    expect(runs.map(each => `${each.status} ${each.stderr}`)).toEqual(names.map(() => '0 '))
    expect(await userNames()).toEqual(names)
  })

  test('follow a clock that a command moves', async () => {
    server = await serve(sandbox)
    for (const client_user_id of ['soon', 'late']) {
      expect(await server.ask('POST', '/v2/user', { client_user_id })).toMatchObject({ status: 200 })
      await sandbox.json(['user', 'delete', client_user_id, '--yes'])
    }
    await sandbox.json(['engine', 'clock', 'advance', '6d'])
    const undo = (client_user_id: string) =>
      ask(`${server?.url}/v2/user/undo_delete`, `${server?.api_key}`, 'POST', { client_user_id })
    expect(await undo('soon')).toMatchObject({ status: 200, json: { success: true } })
    await sandbox.json(['engine', 'clock', 'advance', '1d'])
    expect(await undo('late')).toMatchObject({ status: 400 })
    const { now } = await sandbox.json<{ now: string }>(['engine', 'clock', 'show'])
    expect(Date.parse(now) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
  })
})

describe('the end of a server', () => {
  // Windows ends a process at once on any signal
  test.skipIf(process.platform === 'win32')(
    'by SIGTERM lets a running request finish, and invalidates its key',
    async () => {
      server = await serve(sandbox)
      const { url, api_key: key } = server
      await server.ask('POST', '/v2/user', { client_user_id: 'ada' })
      const { json } = await server.ask('GET', '/v2/user/resolve/ada')
      const { user_id } = json as { user_id: string }
      // an upload that is half sent when the signal arrives
      const xml = exportXml(record('HKQuantityTypeIdentifierStepCount', '12', 'count'))
      let sendRest = (): void => {}
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(xml.slice(0, 100)))
          sendRest = () => {
            controller.enqueue(new TextEncoder().encode(xml.slice(100)))
            controller.close()
          }
        },
      })
      const upload = fetch(`${url}/svc/v1/users/${user_id}/imports`, {
        method: 'POST',
        headers: { 'x-service-api-key': key, 'content-type': 'application/octet-stream' },
        body,
        duplex: 'half',
      } as RequestInit)
      await until(() => scratchFiles(sandbox).length > 0)
      const ended = server.stop('SIGTERM')
      await until(() =>
        ask(`${url}/v2/user`, key, 'GET').then(
          () => false,
          () => true,
        ),
      )
      sendRest()
      expect(await (await upload).json()).toMatchObject({ stored: { steps: { samples: 1 } } })
      expect(await ended).toBe(0)
      expect(scratchFiles(sandbox)).toEqual([])

      server = await serve(sandbox)
      expect(await ask(`${server.url}/v2/user`, key, 'GET')).toMatchObject({ status: 401 })
      expect(await server.ask('GET', '/v2/user')).toMatchObject({ status: 200, json: { total: 1 } })
    },
  )

  test('by SIGKILL during writes keeps every acknowledged user, and its key is refused', {
    timeout: 60_000,
  }, async () => {
    const acknowledged: string[] = []
    let orphan: string | undefined
    for (let round = 0; round < 4; round++) {
      server = await serve(sandbox)
      if (orphan !== undefined) expect(await ask(`${server.url}/v2/user`, orphan, 'GET')).toMatchObject({ status: 401 })
      orphan = server.api_key
      const { ask: askServer, stop } = server
      let isKilled = false
      const write = async (lane: number): Promise<void> => {
        for (let i = 0; !isKilled; i++) {
          const client_user_id = `${round}-${lane}-${i}`
          const response = await askServer('POST', '/v2/user', { client_user_id }).catch(() => undefined)
          if (response === undefined) return
          if (response.status === 200) acknowledged.push(client_user_id)
        }
      }
      const lanes = [0, 1, 2].map(write)
      // each round is interrupted at another moment
      await until(() => acknowledged.length >= (round + 1) * 15 + round * 4)
      await stop('SIGKILL')
      isKilled = true
      await Promise.all(lanes)
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(60)
    const names = new Set(await userNames())
    expect(acknowledged.filter(name => !names.has(name))).toEqual([])
  })

  test('a command killed during an import stores nothing, and the next one cleans up', {
    timeout: 60_000,
  }, async () => {
    await sandbox.json(['user', 'create', 'ada'])
    writeFileSync(path.join(sandbox.folder, 'export.xml'), hourlySteps(60_000))
    // from a pipe that stays open: the data so far is in the scratch folder
    const { child, stop } = sandbox.start(['import', '-', '--user', 'ada'])
    child.stdin.write(hourlySteps(2_000))
    await until(() => scratchFiles(sandbox).length > 0)
    await stop('SIGKILL')
    const left = scratchFiles(sandbox)
    expect(left.length).toBeGreaterThan(0)
    const tenMinutesAgo = Date.now() / 1000 - 600
    for (const name of left) utimesSync(path.join(scratchFolder(sandbox), name), tenMinutesAgo, tenMinutesAgo)
    const steps = ['timeseries', 'get', 'ada', 'steps', '--start', '2000-01-01']
    expect(await sandbox.json(steps)).toMatchObject({ groups: {}, next_cursor: null })
    expect(scratchFiles(sandbox)).toEqual([])
    const report = await sandbox.json<object>(['import', 'export.xml', '--user', 'ada'])
    expect(report).toMatchObject({ stored: { steps: { samples: 60_000, replaced: 0, unchanged: 0 } } })
    expect(scratchFiles(sandbox)).toEqual([])
  })
})

describe('the same file imported', () => {
  test('twice at once and then again is stored once', async () => {
    await sandbox.json(['user', 'create', 'ada'])
    writeFileSync(path.join(sandbox.folder, 'export.xml'), hourlySteps(2_000))
    const load = () => sandbox.json<{ stored: { steps: Counts } }>(['import', 'export.xml', '--user', 'ada'])
    const both = await Promise.all([load(), load()])
    const unchanged = both.map(each => each.stored.steps.unchanged).sort((a, b) => a - b)
    expect(unchanged).toEqual([0, 2_000])
    const third = await load()
    expect(third.stored.steps).toEqual({ samples: 2_000, replaced: 0, unchanged: 2_000 })
    expect(scratchFiles(sandbox)).toEqual([])
  })
})

interface Counts {
  readonly samples: number
  readonly replaced: number
  readonly unchanged: number
}

/** Returns an export with one step sample for each hour. */
function hourlySteps(count: number): string {
  const records = Array.from({ length: count }, (_, i) => {
    const at = new Date(Date.UTC(2019, 0, 1) + i * 3_600_000).toISOString()
    const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
    return record('HKQuantityTypeIdentifierStepCount', `${i % 977}`, 'count', { startDate: time, endDate: time })
  })
  return exportXml(records.join('\n'))
}
