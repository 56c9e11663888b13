/** `svc aggregate query`: every format contains the same result, from the local profile and from a server; datasets of all users. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { svcInShell } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
const DAYS = 30
const FLAGS = ['--select', 'sum(steps)', '--select', 'newest(note.content)', '--group-by', '1d']
const RANGE = ['--past', '30d', '--anchor', '2025-11-30']
const query = (...more: string[]) => ['aggregate', 'query', 'ada', ...FLAGS, ...RANGE, ...more]
const isUnix = process.platform !== 'win32'

beforeAll(async () => {
  for (const name of ['ada', 'bob', 'eve']) {
    const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', name])
    if (name === 'eve') continue
    const source = { provider: 'manual', source_type: 'app' }
    const at = (day: number, minute = 0) => new Date(Date.UTC(2025, 10, 1 + day, 12, minute)).toISOString()
    const steps = Array.from({ length: DAYS * 4 }, (_, i) => ({
      resource: 'steps',
      ...source,
      start: at(i >> 2, (i & 3) * 10),
      end: at(i >> 2, (i & 3) * 10 + 5),
      value: 100 + i / 10,
    }))
    const note = { resource: 'note', ...source, start: at(3), value: '=1+1, "so"', tags: ['food'] }
    const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
    const run = await sandbox.run(push, { input: JSON.stringify({ samples: [...steps, note] }) })
    expect(run.status, run.stderr).toBe(0)
  }
})

async function printed(args: readonly string[]): Promise<string> {
  const run = await sandbox.run(args)
  expect(run.status, run.stderr).toBe(0)
  return run.stdout
}
const file = (name: string) => path.join(sandbox.folder, name)
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

test('points to the command that follows data, for --watch', async () => {
  const refused = await sandbox.run(query('--watch'))
  expectRefusal(refused, 2, /aggregate query has no flag --watch/)
  expect(refused.stderr).toContain('svc aggregate watch create')
})

describe('one result', () => {
  test('is the same in json, ndjson, csv, Arrow and Parquet', async () => {
    const { results } = await sandbox.json<{ results: { table: Record<string, unknown[]> }[] }>(query())
    const table = results[0]?.table ?? {}
    expect(table['sum.steps']).toHaveLength(DAYS)
    const rows = lines(await printed(query('--output', 'ndjson')))
    expect(rows.map(row => row['group_key.0'])).toEqual(table['group_key.0'])
    expect(rows.map(row => row['sum.steps'])).toEqual(table['sum.steps'])
    expect(rows[3]).toMatchObject({ 'newest.note.content': '=1+1, "so"' })
    const csv = (await printed(query('--output', 'csv'))).split('\n')
    expect(csv[0]).toBe('group_key.0,sum.steps,newest.note.content')
    expect(csv[4]).toBe('2025-11-04T00:00:00,405.4,"=1+1, ""so"""')
    expect((await printed(query('--output', 'csv', '--safe-csv'))).split('\n')[4]).toContain('"\'=1+1, ""so"""')
    for (const name of ['a.parquet', 'a.arrow', 'a.csv', 'a.ndjson', 'a.json', 'a.svg']) {
      const saved = await sandbox.json(query('-o', name))
      const rows = name === 'a.svg' ? {} : { rows: DAYS }
      expect(saved).toEqual({ file: name, ...rows, bytes: readFileSync(file(name)).length })
    }
    const parquet = await parquetReadObjects({ file: new Uint8Array(readFileSync(file('a.parquet'))).buffer })
    expect(parquet.map(row => row['sum.steps'])).toEqual(table['sum.steps'])
    expect(parquet[0]?.['group_key.0']).toEqual(new Date('2025-11-01'))
    const arrow = tableFromIPC(readFileSync(file('a.arrow')))
    expect([...(arrow.getChild('sum.steps') ?? [])]).toEqual(table['sum.steps'])
    expect(readFileSync(file('a.csv'), 'utf8')).toBe(await printed(query('--output', 'csv')))
    expect(readFileSync(file('a.svg'), 'utf8')).toContain('sum.steps')
  })

  test('has the same bytes from a server', async () => {
    const server = await serve(sandbox)
    try {
      const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
      for (const format of ['json', 'ndjson', 'csv', 'table']) {
        const args = query('--output', format)
        expect((await sandbox.run(args, remote)).stdout, format).toBe(await printed(args))
      }
      expect((await sandbox.run(query('--chart'), remote)).stdout).toBe(await printed(query('--chart')))
      for (const name of ['b.parquet', 'b.arrow', 'b.tar.gz', 'b.svg']) {
        await printed(query('-o', name))
        const local = readFileSync(file(name))
        expect((await sandbox.run(query('-o', name, '--force'), remote)).status).toBe(0)
        expect(readFileSync(file(name)).equals(local), name).toBe(true)
      }
      await dataset(server)
    } finally {
      await server.stop('SIGTERM')
    }
  })

  /** Compares the same dataset, written locally and through a server. */
  async function dataset(server: Serving): Promise<void> {
    const all = ['aggregate', 'query', '--all-users', ...FLAGS, ...RANGE, '-o']
    const saved = await sandbox.json<{ rows: number; files: number }>([...all, 'here'])
    expect(saved).toMatchObject({ users: 3, rows: 2 * DAYS, kept_buckets: 0 })
    // two users have data; their random IDs may fall into one bucket
    expect([1, 2]).toContain(saved.files)
    const env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
    expect(await sandbox.json([...all, 'there'], { env })).toMatchObject({ rows: 2 * DAYS })
    const files = readdirSync(file('here'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.parquet'),
    )
    expect(files).toHaveLength(saved.files)
    for (const name of files) {
      expect(readFileSync(file(`here/${name}`)).equals(readFileSync(file(`there/${name}`)))).toBe(true)
    }
    expect(await sandbox.json([...all, 'here'])).toMatchObject({ kept_buckets: 16 })
    const again = await sandbox.run([...all, 'here'])
    expect(again.stderr).toContain('already complete and was kept as written. Use a new folder for current data.')
    const other = [
      'aggregate',
      'query',
      '--all-users',
      ...FLAGS,
      '--past',
      '3d',
      '--anchor',
      '2025-11-30',
      '-o',
      'here',
    ]
    expectRefusal(await sandbox.run(other), 2, /another query/)
    expectRefusal(await sandbox.run([...all, 'here'], { env }), 2, /other data/)
    expectRefusal(await sandbox.run(all.slice(0, -1)), 2, /-o FOLDER/)
  }
})

describe('a query from flags', () => {
  test('names its columns with "as", in every format and in the dataset', async () => {
    const select = ['--select', 'sum(steps) as total', '--select', 'newest(note.content)', '--group-by', '1d']
    const commandLine = ['aggregate', 'query', 'ada', ...select, ...RANGE]
    const plain = await sandbox.json<{ results: { table: Record<string, unknown[]> }[] }>(query())
    const { results } = await sandbox.json<typeof plain>(commandLine)
    expect(Object.keys(results[0]?.table ?? {})).toEqual(['group_key.0', 'total', 'newest.note.content'])
    expect(results[0]?.table['total']).toEqual(plain.results[0]?.table['sum.steps'])
    const csv = await printed([...commandLine, '--output', 'csv'])
    expect(csv).toBe((await printed(query('--output', 'csv'))).replace('sum.steps', 'total'))
    expect(await printed([...commandLine, '--output', 'table'])).toMatch(/^day +total +newest/)
    expect(lines(await printed([...commandLine, '--output', 'ndjson']))[0]).toMatchObject({ total: 400.6 })
    for (const [name, args] of [
      ['alias.parquet', commandLine],
      ['alias.arrow', commandLine],
    ] as const)
      await printed([...args, '-o', name])
    const parquet = await parquetReadObjects({ file: new Uint8Array(readFileSync(file('alias.parquet'))).buffer })
    expect(Object.keys(parquet[0] ?? {})).toEqual(['group_key.0', 'total', 'newest.note.content'])
    expect(tableFromIPC(readFileSync(file('alias.arrow'))).schema.fields[1]?.name).toBe('total')
    const chart = await printed([...commandLine, '--chart'])
    expect(chart).toBe((await printed(query('--chart'))).replaceAll('sum.steps', 'total'))
    const all = ['aggregate', 'query', '--all-users', ...select, ...RANGE, '-o', 'aliased']
    await printed(all)
    const [part = ''] = readdirSync(file('aliased'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.parquet'),
    )
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(file(`aliased/${part}`))).buffer })
    expect(Object.keys(rows[0] ?? {})).toEqual(['user_id', 'group_key.0', 'total', 'newest.note.content'])
    expectRefusal(await sandbox.run([...commandLine, '--print-query']), 2, /leave out the name after "as"/)
    expectRefusal(
      await sandbox.run(['aggregate', 'explain', 'ada', ...select, ...RANGE]),
      2,
      /leave out the name after "as"/,
    )
    expectRefusal(
      await sandbox.run([
        ...commandLine.slice(0, 3),
        '--select',
        'sum(steps) as mean',
        '--select',
        'mean(steps)',
        ...RANGE,
      ]),
      2,
      /two columns named mean/,
    )
  })

  test('can be printed, and then read from stdin and from a file', async () => {
    const text = await printed(query('--print-query', '--align', 'forward:2d', '--priority', 'oura'))
    expect(JSON.parse(text)).toMatchObject({
      timeframe: { anchor: '2025-11-30' },
      queries: [{ align: { carry: { mode: 'carry_forward' } } }],
      config: { provider_priority_overrides: ['oura'] },
    })
    const again = await sandbox.run(['aggregate', 'query', 'ada', '-', '--print-query'], { input: text })
    expect(again.stdout).toBe(text)
    const commandLine = await sandbox.run(['aggregate', 'query', 'ada', '-', '--output', 'csv'], { input: text })
    expect(commandLine.stdout).toBe(
      await printed(query('--align', 'forward:2d', '--priority', 'oura', '--output', 'csv')),
    )
  })

  test('in a file may start with a byte order mark; invalid JSON is reported with its position and a remedy', async () => {
    const text = await printed(query('--print-query'))
    const commandLine = ['aggregate', 'query', 'ada', 'given.json', '--print-query']
    writeFileSync(file('given.json'), `\uFEFF${text}`)
    expect(await printed(commandLine)).toBe(text)
    for (const [written, words] of [
      ['{\n "timeframe": {,', /not valid JSON.*line 2, column 16\.\n.*--print-query/],
      [' \n', /is empty\. A query has the form \{"timeframe"/],
      ['[]', /must contain a JSON object/],
    ] as const) {
      writeFileSync(file('given.json'), written)
      expectRefusal(await sandbox.run(commandLine), 2, words)
    }
  })

  test('with several results prints a heading for each, numbers in ndjson, and csv only in an archive', async () => {
    const body = JSON.parse(await printed(query('--print-query')))
    writeFileSync(file('two.json'), JSON.stringify({ ...body, queries: [body.queries[0], body.queries[0]] }))
    const two = ['aggregate', 'query', 'ada', 'two.json']
    expect(await printed([...two, '--output', 'table'])).toMatch(/^Query 0\n[\s\S]*\nQuery 1\n/)
    expect(lines(await printed([...two, '--output', 'ndjson'])).map(row => row.query)).toContain(1)
    expectRefusal(await sandbox.run([...two, '--output', 'csv']), 2, /tar\.gz/)
    expectRefusal(await sandbox.run([...two, '-o', 'two.parquet']), 2, /tar\.gz/)
    expect(existsSync(file('two.parquet'))).toBe(false)
    expect(await printed([...two, '-o', 'two.tar.gz', '--output', 'csv'])).toMatch(/^file,rows,bytes\ntwo\.tar\.gz,/)
  })
})

describe.skipIf(!isUnix)('the output of a query', () => {
  const command = (...more: string[]) =>
    `${svcInShell} ${query(...more)
      .map(each => `'${each}'`)
      .join(' ')}`

  test('does not fail when its reader exits', () => {
    for (const format of ['csv', 'ndjson', 'json', 'table', 'parquet', 'arrow']) {
      const script = `( ${command('--output', format)}; echo "exit $?" >&2 ) | head -c 10 >/dev/null`
      const run = spawnSync('sh', ['-c', script], { env: sandbox.env, encoding: 'utf8' })
      expect({ format, stderr: run.stderr }).toEqual({ format, stderr: 'exit 0\n' })
    }
  })

  test.skipIf(!existsSync('/dev/full'))('on a full disk is an error with exit code 7', () => {
    for (const more of ['--output csv > /dev/full', '--output csv -o /dev/full']) {
      const run = spawnSync('sh', ['-c', `${command()} ${more}`], { env: sandbox.env, encoding: 'utf8' })
      expect(run.status).toBe(7)
      expect(run.stderr).toContain('disk is full')
    }
  })

  test('goes to a terminal as a chart, but never as binary', async () => {
    const binaryOut = new Terminal(sandbox, query('--output', 'arrow'))
    expect(await binaryOut.ended()).toBe(2)
    expect(binaryOut.text).toContain('Arrow is binary')
    binaryOut.close()
    const drawn = new Terminal(sandbox, query('--chart'))
    expect(await drawn.ended()).toBe(0)
    expect(drawn.text).toContain('sum.steps')
    drawn.close()
  })

  test('is not left behind incomplete by Ctrl-C during a dataset, which exits with 130', async () => {
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      if (!request.url?.startsWith('/v2/user')) return // a response that never arrives
      const user = { user_id: '5b1c0d2e-0000-4000-8000-000000000001', client_user_id: 'a', connected_sources: [] }
      const users = [{ ...user, team_id: user.user_id, created_on: '2026-01-01T00:00:00+00:00' }]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ users, total: 1, offset: 0, limit: 500 }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const env = { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: 'sk_us_0123456789abcdef' }
    const args = ['aggregate', 'query', '--all-users', ...FLAGS, ...RANGE, '-o', 'stopped']
    const commandLine = new Promise<void>(resolve => {
      server.on('request', request => request.url?.startsWith('/aggregate') && resolve())
    })
    const querying = sandbox.start(args, { env })
    await commandLine
    const status = await querying.stop('SIGINT')
    server.closeAllConnections()
    server.close()
    expect(status).toBe(130)
    const left = readdirSync(file('stopped'), { recursive: true, encoding: 'utf8' })
    expect(left.filter(name => name.endsWith('.tmp') || name.endsWith('.parquet'))).toEqual([])
  })
})

describe('several sources', () => {
  const SUM = ['--select', 'sum(steps)', '--past', '1d', '--anchor', '2025-12-10']
  const asked = (...more: string[]) => ['aggregate', 'query', 'zoe', ...SUM, ...more]
  const LEFT_OUT = 'Steps: 1 other source was left out in 1 of 1 day. --merge counts what only that source covers.\n'

  beforeAll(async () => {
    const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'zoe'])
    const steps = (provider: string, source_type: string, from: number, to: number, value: number) => ({
      ...{ resource: 'steps', provider, source_type, value },
      start: `2025-12-10T${from}:00:00Z`,
      end: `2025-12-10T${to}:00:00Z`,
    })
    const samples = [steps('garmin', 'watch', 10, 18, 4000), steps('apple_health_kit', 'phone', 10, 22, 12_000)]
    const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
    const run = await sandbox.run(push, { input: JSON.stringify({ samples }) })
    expect(run.status, run.stderr).toBe(0)
  })

  test.each(['json', 'csv', 'table'])('are named on stderr if one is left out, as %s', async output => {
    const run = await sandbox.run(asked('--group-by', '1d', '--output', output))
    expect([run.status, run.stderr]).toEqual([0, LEFT_OUT])
    expect((await sandbox.run(asked('--group-by', '1d', '--output', output, '--quiet'))).stderr).toBe('')
    expect((await sandbox.run(asked('--output', output))).stderr).toBe('')
  })

  test('are merged with --merge', async () => {
    const run = await sandbox.run(asked('--group-by', '1d', '--merge', '--json'))
    expect(run.stderr).toBe('')
    const table = { 'group_key.0': ['2025-12-10T00:00:00'], sum: [8000] }
    expect(JSON.parse(run.stdout)).toEqual({ results: [{ table, warnings: [] }] })
    const [, ...flags] = asked('--merge', '--json').slice(1)
    const renamed = await printed([
      'aggregate',
      'query',
      ...flags.map(each => (each === 'sum(steps)' ? 'sum(steps) as total' : each)),
    ])
    expect(JSON.parse(renamed)).toEqual({ results: [{ table: { total: [8000] }, warnings: [] }] })
    const preferred = await sandbox.run(
      asked('--group-by', '1h', '--merge', '--priority', 'apple_health_kit', '--output', 'csv'),
    )
    expect(preferred.stdout.trimEnd().split('\n').at(-1)).toBe('2025-12-10T21:00:00,1000')
  })

  test('are merged by a query from a file, which cannot be combined with --merge', async () => {
    const query = file('merge.json')
    writeFileSync(query, await printed(asked('--merge', '--print-query')))
    expect(await printed(['aggregate', 'query', 'zoe', query, '--output', 'csv'])).toBe('sum\n8000\n')
    expectRefusal(await sandbox.run(['aggregate', 'query', 'zoe', query, '--merge']), 2, /--merge/)
  })

  test('are left out and merged in the same way by a server', async () => {
    const server = await serve(sandbox)
    try {
      const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
      for (const output of ['json', 'csv']) {
        const run = await sandbox.run(asked('--group-by', '1d', '--output', output), remote)
        expect([run.status, run.stderr]).toEqual([0, LEFT_OUT])
        const merged = asked('--group-by', '1d', '--merge', '--output', output)
        expect((await sandbox.run(merged, remote)).stdout).toBe(await printed(merged))
      }
    } finally {
      await server.stop('SIGTERM')
    }
  })

  test('are explained as merged', async () => {
    const run = await sandbox.run(['aggregate', 'explain', 'zoe', ...SUM, '--merge', '--output', 'csv'])
    const [head, first] = run.stdout.split('\n')
    expect(head).toContain('rows,used,parts,value,minutes,share,reason')
    expect(first).toMatch(/^steps,garmin,watch,,,,1,true,1,\d+,\d+,[\d.]+,source type watch comes before phone$/)
  })
})

describe('kinds of values', () => {
  const MEAN = ['--select', 'mean(hrv)', '--past', '2d', '--anchor', '2025-12-10']
  const asked = (...more: string[]) => ['aggregate', 'query', 'kim', ...MEAN, ...more]

  beforeAll(async () => {
    const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'kim'])
    const hrv = { resource: 'hrv', provider: 'oura', source_type: 'ring' }
    const samples = [
      { ...hrv, timestamp: '2025-12-10T03:00:00Z', value: 50 },
      { ...hrv, timestamp: '2025-12-10T04:00:00Z', value: 54 },
      { ...hrv, timestamp: '2025-12-09T03:00:00Z', value: 80, provider: 'apple_health_kit', type: 'sdnn' },
    ]
    const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
    expect((await sandbox.run(push, { input: JSON.stringify({ samples }) })).status).toBe(0)
  })

  test('that meet are split or refused if asked', async () => {
    expect(await printed(asked('--mixed-kinds', 'split', '--output', 'csv'))).toBe('mean,hrv.kind\n52,rmssd\n80,sdnn\n')
    const refused = await sandbox.run(asked('--mixed-kinds', 'refuse'))
    expectRefusal(refused, 2, /--mixed-kinds.* rmssd \(samples: 2\) and sdnn \(samples: 1\)/)
    const [, condition = ''] = /where (hrv\.kind = '\w+')/.exec(refused.stderr) ?? []
    expect(await printed(asked('--mixed-kinds', 'refuse', '--where', condition, '--output', 'csv'))).toBe('mean\n52\n')
  })

  test('are split with the names from --select, and by a query from a file', async () => {
    const flags = ['--past', '2d', '--anchor', '2025-12-10', '--mixed-kinds', 'split']
    const named = ['aggregate', 'query', 'kim', '--select', 'mean(hrv) as hv', '--group-by', '1w', ...flags]
    expect(await printed([...named, '--output', 'csv'])).toBe(
      'group_key.0,hv,hrv.kind\n2025-12-08T00:00:00,52,rmssd\n2025-12-08T00:00:00,80,sdnn\n',
    )
    const chart = await printed([...named.map(each => (each === '1w' ? '1d' : each)), '--chart'])
    for (const kind of ['rmssd', 'sdnn']) expect(chart).toContain(kind)
    const query = file('kinds.json')
    writeFileSync(query, await printed(asked('--mixed-kinds', 'split', '--print-query')))
    expect(await printed(['aggregate', 'query', 'kim', query, '--output', 'csv'])).toContain('80,sdnn')
  })
})
