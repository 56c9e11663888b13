/** This version opens and writes a data folder of schema 3. See test/fixtures/README.md for how it was made. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { root } from '../../kit/sandbox.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'data-folder-v3')
const sandbox = new InProcessSandbox()

beforeAll(async () => {
  cpSync(FIXTURE, sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T12:10:00Z'])
})

interface Result {
  readonly table: { readonly mean: readonly number[]; readonly count: readonly number[] }
}
const result = async () => (await sandbox.json<Result>(['aggregate', 'watch', 'result', 'alice', 'heart-by-day'])).table
const direct = async () => {
  const query = ['--select', 'mean(heartrate)', '--select', 'count(heartrate)', '--group-by', '1d', '--past', '1w']
  const response = await sandbox.json<{ results: [Result] }>(['aggregate', 'query', 'alice', ...query])
  return response.results[0].table
}

test('keeps the team’s priorities', async () => {
  const rows = await sandbox.json<{ provider: string; priority: number }[]>(['aggregate', 'priorities'])
  expect(rows.map(each => [each.provider, each.priority])).toEqual([
    ['manual', 2],
    ['apple_health_kit', 1],
  ])
})

test('keeps the result of a continuous query, and updates it when due', async () => {
  expect(await result()).toMatchObject({ mean: [98.75], count: [2] })
  await sandbox.json(['engine', 'clock', 'advance', '30m'])
  const now = await result()
  expect(now).toEqual(await direct())
  expect(now).not.toMatchObject({ mean: [98.75], count: [2] })
})

test('passes the check', async () => {
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})
