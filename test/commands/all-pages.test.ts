/** --all: complete lists, for each kind of pagination, from the embedded engine and from a server. */

import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
/** More users, and so more audit entries, than fit into one page. */
const USERS = 520

let env: Record<string, string> = {}

beforeAll(async () => {
  const server = await serve(sandbox)
  env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
  for (let from = 0; from < USERS; from += 40) {
    await Promise.all(
      Array.from({ length: Math.min(40, USERS - from) }, async (_, i) => {
        const response = await fetch(`${server.url}/v2/user`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-api-key': server.api_key },
          body: JSON.stringify({ client_user_id: `user-${from + i}` }),
        })
        expect(response.status).toBe(200)
      }),
    )
  }
}, 300_000)

async function both(...args: string[]): Promise<string> {
  const [embedded, remote] = [await sandbox.run(args), await sandbox.run(args, { env })]
  expect(embedded).toMatchObject({ status: 0, stderr: '' })
  expect(remote).toEqual(embedded)
  return embedded.stdout
}

describe('--all', () => {
  test('merges pages by offset into one response of the same shape', async () => {
    const body = JSON.parse(await both('user', 'list', '--all'))
    expect(body).toEqual({ users: expect.any(Array), total: USERS, offset: 0, limit: USERS })
    expect(new Set(body.users.map((user: { client_user_id: string }) => user.client_user_id)).size).toBe(USERS)
    const keys = await sandbox.json<{ keys: object[]; total: number }>(['engine', 'key', 'list', '--all'])
    expect(keys).toMatchObject({ total: keys.keys.length, offset: 0, limit: keys.keys.length })
    const rest = JSON.parse(await both('user', 'list', '--all', '--offset', '515'))
    expect(rest).toEqual({ users: body.users.slice(515), total: USERS, offset: 515, limit: 5 })
  })

  test('prints ndjson page by page, csv with one header, and works with --fields and --jq', async () => {
    const lines = (await both('user', 'list', '--all', '--fields', 'client_user_id', '--output', 'ndjson'))
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(USERS)
    expect(new Set(lines).size).toBe(USERS)
    const csv = (await both('user', 'list', '--all', '--output', 'csv')).trimEnd().split('\n')
    expect(csv).toHaveLength(USERS + 1)
    expect(csv.filter(line => line.startsWith('user_id'))).toHaveLength(1)
    expect(await both('user', 'list', '--all', '--jq', '.users | length')).toBe(`${USERS}\n`)
  })

  test('merges pages by cursor', async () => {
    const audit = await sandbox.json<{ entries: { operation: string }[] }>(['engine', 'audit', '--all'])
    expect(audit.entries.filter(({ operation }) => operation === 'user.create')).toHaveLength(USERS)
    expect(JSON.parse(await both('user', 'pulls', '--all'))).toMatchObject({ next_cursor: null })
    expect(JSON.parse(await both('labs', 'tests', '--all')).next_cursor).toBeNull()
  })

  test('merges pages by number', async () => {
    const one = JSON.parse(await both('labs', 'markers', '--size', '1', '--quiet'))
    const all = JSON.parse(await both('labs', 'markers', '--all'))
    expect(all).toMatchObject({ total: one.total, page: 1, pages: 1, size: one.total })
    expect(one.total).toBeGreaterThan(100)
    expect(new Set(all.markers.map((marker: object) => JSON.stringify(marker))).size).toBe(one.total)
    const set = ['labs', 'set-markers', '--lab-test', 'iron-status']
    const ofSet = JSON.parse(await both(...set))
    expect(ofSet.total).toBeGreaterThan(1)
    expect(JSON.parse(await both(...set, '--all'))).toEqual({ ...ofSet, size: ofSet.total })
    expect(JSON.parse(await both('order', 'list', '--all'))).toMatchObject({ orders: [], total: 0, pages: 1 })
  })

  test('shows all rows on a terminal', async () => {
    const terminal = new Terminal(sandbox, ['user', 'list', '--all', '--no-pager'])
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text.match(/user-\d+/g)).toHaveLength(USERS)
    expect(terminal.text).not.toContain('Next page')
  })

  test.each([
    [['user', 'list', '--all', '--limit', '5']],
    [['labs', 'markers', '--all', '--page', '2']],
    [['timeseries', 'get', 'x', 'steps', '--start', '2026-11-01', '--all', '--limit', '5']],
  ])('refuses the flags for one page: %j', async args => {
    expectRefusal(await sandbox.run(args), 2, /cannot be used together/)
  })
})
