/** A query over the result of another: the example of docs/aggregate.md as printed there, and refused queries. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { QueryBatchInput } from '../../../src/contract/aggregates/aggregate.ts'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { expectRefusal } from '../../kit/refusal.ts'
import { root } from '../../kit/sandbox.ts'
import { type Serving, serve } from '../../kit/serve.ts'

const page = readFileSync(path.join(root, 'docs', 'aggregate.md'), 'utf8')
const section = /^## A query over the result of another\n([\s\S]*?)^## /m.exec(page)?.[1] ?? ''
const command = /^ {4}svc (.*)$/m.exec(section)?.[1] ?? ''
const printed = JSON.parse(/^```json\n([\s\S]*?)^```/m.exec(section)?.[1] ?? '') as QueryBatchInput['queries'][number]

const sandbox = new InProcessSandbox()
const TIMEFRAME = { type: 'relative' as const, anchor: '2026-11-22', past: { unit: 'week' as const, value: 4 } }
/** Splits the command of the page like a shell, for the user ada and a day in the past. */
const flags = [...(command.match(/'[^']*'|\S+/g) ?? []), '--anchor', TIMEFRAME.anchor].map(word =>
  word === 'USER' ? 'ada' : word.replaceAll("'", ''),
)
let user_id = ''

beforeAll(async () => {
  user_id = (await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])).user_id
  // three walks a day from Monday, 9 November; none on Wednesdays
  const days = [9, 10, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22]
  const samples = days.flatMap(day =>
    [8, 12, 18].map(hour => ({
      ...{ resource: 'steps', value: day * 100 + hour },
      ...{ start: `2026-11-${`${day}`.padStart(2, '0')}T${`${hour}`.padStart(2, '0')}:00:00Z` },
    })),
  )
  const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
  const run = await sandbox.run(push, { input: JSON.stringify({ samples }) })
  expect(run.status, run.stderr).toBe(0)
})

/** The mean of (300 · day + 38) over the six days of each week. */
const EXPECTED = {
  'group_key.0': ['2026-11-09T00:00:00', '2026-11-16T00:00:00'],
  mean: [300 * ((9 + 10 + 12 + 13 + 14 + 15) / 6) + 38, 300 * ((16 + 17 + 19 + 20 + 21 + 22) / 6) + 38],
}

async function onServer<T>(work: (server: Serving) => Promise<T>): Promise<T> {
  const server = await serve(sandbox)
  try {
    return await work(server)
  } finally {
    await server.stop('SIGTERM')
  }
}

test('the example of docs/aggregate.md gives the mean of daily sums, with flags and over HTTP', async () => {
  expect(await sandbox.json(flags)).toEqual({ results: [{ table: EXPECTED }] })
  const body = JSON.parse((await sandbox.run([...flags, '--print-query'])).stdout)
  expect(body).toEqual({ timeframe: TIMEFRAME, queries: [printed] })
  const at = `/aggregate/v1/user/${user_id}/query`
  const response = await onServer(server => server.ask('POST', at, body))
  expect(response).toEqual({ status: 200, json: { results: [{ table: EXPECTED }] } })
})

test('filters both the inner query’s result and the data that it reads', async () => {
  const runChanged = async (change: object) => {
    const run = ['aggregate', 'query', 'ada', '-', '--json']
    const body = { timeframe: TIMEFRAME, queries: [{ ...printed, ...change }] }
    const { stdout, stderr } = await sandbox.run(run, { input: JSON.stringify(body) })
    expect(stderr).toBe('')
    return JSON.parse(stdout).results[0].table
  }
  // sums are 300 · day + 38, so these are the days after 20 November
  expect((await runChanged({ where: 'sum > 6100' })).mean).toEqual([300 * 21.5 + 38])
  expect((await runChanged({ where: "query.sum > 6100 AND group_key.0 < '2026-11-22'" })).mean).toEqual([300 * 21 + 38])
  const filtered = { ...printed.from?.query, where: 'steps > 2100' }
  expect((await runChanged({ from: { query: filtered } })).mean).toEqual([(3 * 2100 + 38 + 3 * 2200 + 38) / 2])
  const filled = { ...printed.from?.query, align: { carry: { mode: 'carry_forward' } } }
  expect((await runChanged({ from: { query: filled } })).mean[0]).toBeCloseTo(
    (300 * (9 + 10 + 10 + 12 + 13 + 14 + 15)) / 7 + 38,
  )
})

const inner = printed.from?.query
test.each([
  [
    'an inner query without buckets',
    { from: { query: { select: inner?.select.slice(1) } } },
    /from\.query\.group_by.*date_trunc/,
  ],
  ['a second level', { from: { query: { ...inner, from: { query: inner } } } }, /queries\.0\.from\.query/],
  ['an unknown column', { select: [{ func: 'mean', arg: { query: 'summ' } }] }, /arg\.query.*"summ".*"?sum"?/],
  ['a stored table', { select: [{ func: 'mean', arg: { activity: 'steps' } }] }, /reads only its result.*activity/],
  ['a source column', { group_by: [{ source: 'source_type' }] }, /reads only its result, and not a source column/],
  ['another index', { group_by: [{ date_part: 'weekday', arg: { index: 'sleep' } }] }, /reads only its result.*sleep/],
] as const)('refuses %s', async (_, change, words) => {
  const body = { timeframe: TIMEFRAME, queries: [{ ...printed, ...change }] }
  const run = await sandbox.run(['aggregate', 'query', 'ada', '-'], { input: JSON.stringify(body) })
  expectRefusal(run, 2, words)
})

test('is refused as a continuous query, with an alternative', async () => {
  const create = ['aggregate', 'watch', 'create', 'walks']
  expectRefusal(
    await sandbox.run([...create, '-'], { input: JSON.stringify(printed) }),
    2,
    /from: a continuous query cannot have an inner query/,
  )
  const select = ['--select', 'mean(sum(steps))', '--per', '1d', '--group-by', '1w']
  expectRefusal(
    await sandbox.run([...create, ...select]),
    2,
    /has no flag --per[\s\S]*Only `svc aggregate query` accepts --per/,
  )
})
