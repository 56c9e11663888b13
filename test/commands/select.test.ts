/** --fields and --jq: the output for scripts, from the embedded engine and from a server. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
const SAMPLES = ['timeseries', 'get', 'ada', 'steps', '--start', '2026-11-01', '--end', '2026-11-01']
const QUERY = [
  'aggregate',
  'query',
  'ada',
  '--select',
  'sum(steps)',
  '--group-by',
  '1d',
  '--past',
  '2d',
  '--anchor',
  '2026-11-02',
]

/** Runs a command that must succeed with an empty stderr, and returns its stdout. */
async function printed(...args: string[]): Promise<string> {
  const run = await sandbox.run([...args, '--quiet'])
  expect(run).toMatchObject({ status: 0, stderr: '' })
  return run.stdout
}

beforeAll(async () => {
  for (const name of ['ada', 'bob']) await sandbox.json(['user', 'create', name])
  const rows = [0, 1, 2].map(i => {
    const start = new Date(Date.UTC(2026, 10, 1, 12, i)).toISOString()
    return `{"resource":"steps","start":"${start}","end":"${start}","value":${i + 7}}\n`
  })
  writeFileSync(path.join(sandbox.folder, 'steps.ndjson'), rows.join(''))
  await sandbox.json(['import', 'steps.ndjson', '--user', 'ada'])
})

describe('--fields', () => {
  test('prints the records of a list as a bare list with the given members', async () => {
    expect(JSON.parse(await printed('user', 'list', '--fields', 'client_user_id,fallback_time_zone'))).toEqual([
      { client_user_id: 'bob', fallback_time_zone: null },
      { client_user_id: 'ada', fallback_time_zone: null },
    ])
  })

  test('prints one object for a response that is one object', async () => {
    expect(await printed('user', 'get', 'ada', '--fields', 'client_user_id')).toBe('{"client_user_id":"ada"}\n')
  })

  test('prints one record on each line with --output ndjson', async () => {
    const text = await printed('user', 'list', '--fields', 'client_user_id', '--output', 'ndjson')
    expect(text).toBe('{"client_user_id":"bob"}\n{"client_user_id":"ada"}\n')
  })

  test('refuses an unknown field, and lists the nearest and the existing ones', async () => {
    const run = await sandbox.run(['user', 'list', '--fields', 'client_userid'])
    expectRefusal(run, 2, /There is no field "client_userid"\. Did you mean "client_user_id"\?/)
    expect(run.stderr).toMatch(/Fields: user_id, team_id, client_user_id, /)
    expect(run.stdout).toBe('')
  })

  test('accepts a documented member that no record has, and an empty list', async () => {
    const text = await printed('user', 'list', '--fields', 'client_user_id,connected_sources.source.slug')
    expect(JSON.parse(text)).toHaveLength(2)
    expect(await printed('webhook', 'list', '--fields', 'url')).toBe('[]\n')
  })

  test('selects from samples and from query rows as in ndjson', async () => {
    expect(JSON.parse(await printed(...SAMPLES, '--fields', 'value,provider'))).toEqual(
      [7, 8, 9].map(value => ({ value, provider: 'manual' })),
    )
    expect(await printed(...SAMPLES, '--fields', 'value', '--output', 'ndjson')).toBe(
      '{"value":7}\n{"value":8}\n{"value":9}\n',
    )
    expectRefusal(await sandbox.run([...SAMPLES, '--fields', 'valeu']), 2, /Did you mean "value"/)
    expect(JSON.parse(await printed(...QUERY, '--fields', 'sum'))).toEqual([{ sum: 24 }])
  })

  test('is indented on a terminal', async () => {
    const terminal = new Terminal(sandbox, [...SAMPLES, '--fields', 'value', '--limit', '2', '--quiet'])
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text.replaceAll('\r', '')).toContain('[\n  {\n    "value": 7\n  },\n  {\n    "value": 8\n  }\n]\n')
  })
})

describe('--jq', () => {
  test('prints strings without quotes and other values as compact JSON, also on a terminal', async () => {
    expect(await printed('user', 'list', '--jq', '.users[].client_user_id, .total, [.offset]')).toBe(
      'bob\nada\n2\n[0]\n',
    )
    const terminal = new Terminal(sandbox, ['user', 'list', '--jq', '.users[].client_user_id, {total}, "\\u001b[31m"'])
    expect(await terminal.ended()).toBe(0)
    expect(terminal.raw).toContain('bob\r\nada\r\n{"total":2}\r\n\ufffd[31m\r\n')
  })

  test('runs once over all samples, or once for each line of ndjson', async () => {
    expect(await printed(...SAMPLES, '--jq', '[.groups[][].data[].value] | add')).toBe('24\n')
    expect(await printed(...SAMPLES, '--jq', '.value * 2', '--output', 'ndjson')).toBe('14\n16\n18\n')
    expect(await printed(...QUERY, '--jq', '.results[0].table.sum')).toBe('[24]\n')
  })

  test('selects from the summary of a written file, as --json prints it', async () => {
    expect(await printed(...SAMPLES, '-o', 'selected.csv', '--jq', '.rows')).toBe('3\n')
  })

  test('gives the same result from a server', async () => {
    const server = await serve(sandbox)
    const env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
    for (const args of [
      ['user', 'list', '--jq', '.users[].client_user_id'],
      [...SAMPLES, '--fields', 'start,value', '--quiet'],
    ]) {
      const remote = await sandbox.run(args, { env })
      expect(remote.status).toBe(0)
      expect(remote.stdout).toBe(await printed(...args))
    }
    await server.stop('SIGTERM')
  })

  test('selects from the ready line of svc serve', async () => {
    const serving = sandbox.start(['serve', '--port', '0', '--jq', '.url'])
    const { until } = await import('../kit/until.ts')
    await until(() => /^http:\/\/127\.0\.0\.1:\d+\n$/.test(serving.stdout()), { why: () => serving.stdout() })
    await serving.stop('SIGTERM')
  })

  test.each([
    ['an expression that does not compile', ['--jq', '.users['], /--jq: syntax error, unexpected end of file/],
    [
      'an expression that fails',
      ['--jq', '.users[0].client_user_id | tonumber'],
      /string cannot be parsed as a number/,
    ],
    ['both flags', ['--jq', '.', '--fields', 'user_id'], /--jq and --fields cannot be used together/],
    ['another format', ['--jq', '.', '--output', 'csv'], /--jq and --output csv cannot be used together/],
  ])('refuses %s', async (_what, flags, message) => {
    const run = await sandbox.run(['user', 'list', ...flags])
    expectRefusal(run, 2, message)
    expect(run.stdout + run.stderr).not.toContain('bob')
  })

  test('overrides the format in the environment, and reports errors as JSON only with --json', async () => {
    const env = { SVC_OUTPUT: 'table' }
    expect((await sandbox.run(['user', 'list', '--jq', '.total'], { env })).stdout).toBe('2\n')
    const run = await sandbox.run(['user', 'list', '--json', '--jq', '.a.b |'])
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: 'usage' } })
    expect(run.status).toBe(2)
  })
})
