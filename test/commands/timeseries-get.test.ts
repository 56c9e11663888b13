/** `svc timeseries get`: every format contains the same samples, from the local profile and from a server. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { svcInShell } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
/** More than one page of samples, at one-minute steps. */
const COUNT = 12_345
const START = Date.UTC(2026, 10, 1)
const RANGE = ['--start', '2026-11-01', '--end', '2026-11-30']

type Row = Readonly<Record<string, unknown>>
interface GroupedResponse {
  readonly groups: Record<string, { readonly source: Row; readonly data: readonly Row[] }[]>
  readonly next_cursor: string | null
}

beforeAll(async () => {
  const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])
  const at = (i: number) => new Date(START + i * 60_000).toISOString()
  const heart = Array.from({ length: COUNT }, (_, i) => ({
    resource: 'heartrate',
    provider: i % 3 ? 'oura' : 'whoop',
    source_type: 'ring',
    start: at(i),
    value: 50 + (i % 90),
  }))
  const manual = { provider: 'manual', source_type: 'app', start: at(0) }
  const others = [
    { resource: 'note', ...manual, value: '=1+1, "so"', tags: ['food'] },
    { resource: 'blood_pressure', ...manual, source_type: 'cuff', systolic: 121, diastolic: 79 },
    { resource: 'insulin_injection', ...manual, type: 'rapid_acting', value: 4.5, delivery_mode: 'bolus' },
  ]
  const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
  const run = await sandbox.run(push, { input: JSON.stringify({ samples: [...heart, ...others] }) })
  expect(run.status, run.stderr).toBe(0)
})

const get = (resource: string, ...more: string[]) => ['timeseries', 'get', 'ada', resource, ...RANGE, ...more]

async function printed(args: readonly string[]): Promise<string> {
  const run = await sandbox.run(args)
  expect(run.status, run.stderr).toBe(0)
  return run.stdout
}
const parseRows = (text: string): Row[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
/** Returns the last N lines of csv, with the header. */
const tail = (csv: string, count: number) => {
  const [head, ...rows] = csv.trimEnd().split('\n')
  return `${[head, ...rows.slice(-count)].join('\n')}\n`
}
const onServer = (server: Serving) => ['--base-url', server.url]

describe('the samples of a range', () => {
  test('are one json response that merges all pages', async () => {
    const result = await sandbox.json<GroupedResponse>(get('heartrate'))
    expect(result.next_cursor).toBeNull()
    expect(Object.keys(result.groups).sort()).toEqual(['oura', 'whoop'])
    expect(result.groups['oura']).toHaveLength(1)
    expect(result.groups['oura']?.[0]?.data).toHaveLength((COUNT * 2) / 3)
    expect(result.groups['whoop']?.[0]?.data).toHaveLength(COUNT / 3)
  })

  test('are the same in ndjson, csv and Parquet, one row for each sample in time order', async () => {
    const rows = parseRows(await printed(get('heartrate', '--output', 'ndjson')))
    expect(rows).toHaveLength(COUNT)
    expect(rows[1]).toEqual({
      resource: 'heartrate',
      provider: 'oura',
      source_type: 'ring',
      app_id: null,
      device_id: null,
      sport: null,
      workout_id: null,
      start: '2026-11-01T00:01:00+00:00',
      end: '2026-11-01T00:01:00+00:00',
      timezone_offset: rows[1]?.['timezone_offset'],
      type: null,
      unit: 'bpm',
      value: 51,
    })
    expect(rows.map(row => Date.parse(row['start'] as string))).toEqual(rows.map((_, i) => START + i * 60_000))

    const [head = '', ...lines] = (await printed(get('heartrate', '--output', 'csv'))).trimEnd().split('\n')
    expect(head.split(',')).toEqual(Object.keys(rows[0] as Row))
    expect(lines).toEqual(rows.map(row => Object.values(row).join(',')))

    await printed(get('heartrate', '-o', 'heart.parquet'))
    const file = readFileSync(path.join(sandbox.folder, 'heart.parquet'))
    const stored = await parquetReadObjects({ file: new Uint8Array(file).buffer })
    expect(stored.map(row => ({ ...row, start: row['start'].getTime(), end: row['end'].getTime() }))).toEqual(
      rows.map(row => ({
        ...row,
        start: Date.parse(row['start'] as string),
        end: Date.parse(row['end'] as string),
      })),
    )
  })

  test.each([
    ['note', { value: '=1+1, "so"', tags: ['food'], unit: 'text' }, ',"=1+1, ""so""","[""food""]"'],
    ['blood_pressure', { systolic: 121, diastolic: 79, unit: 'mmHg' }, ',mmHg,121,79'],
    [
      'insulin_injection',
      { value: 4.5, type: 'rapid_acting', delivery_mode: 'bolus', delivery_form: null },
      ',rapid_acting,unit,4.5,bolus,,',
    ],
  ])('of %s keep the resource’s own fields', async (resource, fields, end) => {
    const [row] = parseRows(await printed(get(resource, '--output', 'ndjson')))
    expect(row).toMatchObject(fields)
    expect((await printed(get(resource, '--output', 'csv'))).trimEnd().endsWith(end)).toBe(true)
  })

  test('are written in the format of the file name extension', async () => {
    for (const name of ['out.csv', 'out.ndjson', 'out.json', 'out.svg', 'out.parquet']) {
      const rows = name === 'out.svg' ? {} : { rows: 1 }
      expect(JSON.parse(await printed(get('blood_pressure', '-o', name)))).toEqual({
        file: name,
        ...rows,
        bytes: statSync(path.join(sandbox.folder, name)).size,
      })
    }
    // with --out, --json formats the summary line, not the file
    await sandbox.json(get('blood_pressure', '-o', 'again.svg'))
    expect(readFileSync(path.join(sandbox.folder, 'again.svg'), 'utf8')).toMatch(/^<svg /)
    expect(readFileSync(path.join(sandbox.folder, 'out.svg'), 'utf8')).toContain('manual · cuff · diastolic')
    expect(readFileSync(path.join(sandbox.folder, 'out.csv'), 'utf8')).toBe(
      await printed(get('blood_pressure', '--output', 'csv')),
    )
    await printed(get('blood_pressure', '--output', 'csv', '-o', 'plain.txt'))
    expect(readdirSync(sandbox.folder).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  test('are the same bytes from a server as from the data folder', async () => {
    const server = await serve(sandbox)
    try {
      const env = { SVC_API_KEY: server.api_key }
      for (const format of ['json', 'csv', 'parquet', 'svg']) {
        const [there, here] = await Promise.all([
          sandbox.run([...get('heartrate', '--output', format), ...onServer(server)], { env }),
          sandbox.run(get('heartrate', '--output', format)),
        ])
        expect(there.status, there.stderr).toBe(0)
        expect(there.stdout === here.stdout, format).toBe(true)
      }
    } finally {
      await server.stop('SIGTERM')
    }
  })
})

describe('--limit', () => {
  test('can end inside a page, and its cursor continues with the very next sample', async () => {
    const all = parseRows(await printed(get('heartrate', '--output', 'ndjson')))
    const first = await sandbox.run(get('heartrate', '--output', 'ndjson', '--limit', '7001'))
    const cursor = /--cursor (\S+)$/m.exec(first.stderr)?.[1] as string
    const rest = await sandbox.run(get('heartrate', '--output', 'ndjson', '--cursor', cursor))
    expect(rest.stderr).toBe('')
    expect(parseRows(first.stdout)).toHaveLength(7001)
    expect([...parseRows(first.stdout), ...parseRows(rest.stdout)]).toEqual(all)
    const result = await sandbox.json<GroupedResponse>(get('heartrate', '--limit', '7001'))
    expect(result.next_cursor).toBe(cursor)

    const other = await sandbox.run([
      'timeseries',
      'get',
      'ada',
      'heartrate',
      '--start',
      '2026-11-02',
      '--cursor',
      cursor,
    ])
    expectRefusal(other, 2, /--cursor: was not issued for this user, resource, range/)
  })

  test('prints no cursor if the limit is not reached', async () => {
    const run = await sandbox.run(get('heartrate', '--limit', '99999', '--output', 'csv'))
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(COUNT + 1)
    expect(run.stderr).toBe('')
  })

  test('is not needed for --page, which prints one page as the service sends it', async () => {
    const page = await sandbox.json<GroupedResponse>(get('heartrate', '--page'))
    const samples = Object.values(page.groups).flatMap(groups => groups.flatMap(({ data }) => data))
    expect(samples).toHaveLength(5000)
    const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'get', 'ada'])
    const query = 'start_date=2026-11-01&end_date=2026-11-30'
    const raw = await printed(['api', 'GET', `/v2/timeseries/${user_id}/heartrate/grouped?${query}`])
    expect(JSON.parse(raw)).toEqual(page)
  })

  test('must be a number of at least one', async () => {
    expectRefusal(await sandbox.run(get('heartrate', '--limit', '0')), 2, /--?limit|integer/)
    expectRefusal(await sandbox.run(get('heartrate', '--limit', 'many')), 2, /integer/)
  })
})

test('pagination over several processes repeats and skips nothing while others write in between', async () => {
  const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'eve'])
  const sample = (minute: number, value: number, provider = 'oura') => {
    const start = new Date(START + minute * 60_000).toISOString()
    return { resource: 'cholesterol', type: 'ldl', provider, source_type: 'lab', start, value }
  }
  const push = async (samples: readonly object[]) => {
    const args = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
    const run = await sandbox.run(args, { input: JSON.stringify({ samples }) })
    expect(run.status, run.stderr).toBe(0)
  }
  const minutes = Array.from({ length: 600 }, (_, i) => i * 10)
  await push(minutes.flatMap(minute => [sample(minute, 3), sample(minute, 4, 'whoop')]))
  const seen: string[] = []
  let cursor: string[] = []
  for (let tick = 0; ; tick++) {
    const args = [
      'timeseries',
      'get',
      'eve',
      'cholesterol',
      ...RANGE,
      '--output',
      'ndjson',
      '--limit',
      '271',
      ...cursor,
    ]
    const run = await sandbox.run(args)
    expect(run.status, run.stderr).toBe(0)
    seen.push(...parseRows(run.stdout).map(row => `${row['provider']} ${row['start']}`))
    const next = /--cursor (\S+)$/m.exec(run.stderr)?.[1]
    if (next === undefined) break
    cursor = ['--cursor', next]
    // new samples before and after, others at the same times, and new values for some existing ones
    const around = Array.from({ length: 40 }, (_, i) => tick * 500 + i * 7)
    await push(around.flatMap(minute => [sample(minute, 9), sample(minute, 9, 'manual')]))
  }
  expect(new Set(seen).size).toBe(seen.length)
  const times = minutes.map(minute => new Date(START + minute * 60_000).toISOString().replace('.000Z', '+00:00'))
  expect(seen).toEqual(expect.arrayContaining(times.flatMap(time => [`oura ${time}`, `whoop ${time}`])))
})

describe('--chart', () => {
  test('draws a panel for each source, 80 columns wide and without colors in a pipe', async () => {
    const chart = await printed(get('heartrate', '--chart'))
    expect(chart).toMatch(/^Heart rate in bpm, 2026-11-01 00:00 to 2026-11-09 \d\d:\d\d UTC$/m)
    expect(chart).toMatch(/^oura · ring: 8,230 samples, 51 to 139$/m)
    expect(chart).toMatch(/^whoop · ring: 4,115 samples, 50 to 137$/m)
    expect(chart).not.toContain('\u001b')
    for (const line of chart.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test.skipIf(process.platform === 'win32')(
    'uses colors and the full width on a terminal, unless NO_COLOR is set',
    async () => {
      const colored = new Terminal(sandbox, get('heartrate', '--chart'))
      expect(await colored.ended()).toBe(0)
      expect(colored.raw).toContain('\u001b[36m')
      expect(Math.max(...colored.text.split(/\r?\n/).map(line => line.length))).toBe(160)
      const plain = new Terminal(sandbox, [...get('heartrate', '--chart'), '--no-color'])
      expect(await plain.ended()).toBe(0)
      expect(plain.raw).not.toContain('\u001b[36m')
    },
  )

  test.each([
    [['--chart', '--json'], /--chart and --output json cannot be used together/],
    [['--chart', '--output', 'svg'], /cannot be used together/],
    [['-o', 'out.xls'], /The -o file must end with \.parquet, \.svg, \.csv/],
    [['-o', 'out.parquet', '--output', 'table'], /--output table does not match the file extension \.parquet/],
    [['-o', 'folder'], /folder|must end with/],
    [['-o', 'absent/out.csv'], /absent\/out\.csv cannot be written/],
    [['--output', 'xml'], /table, json, ndjson, csv, parquet, svg/],
  ])('refuses %j', async (flags, says) => {
    mkdirSync(path.join(sandbox.folder, 'folder'), { recursive: true })
    const run = await sandbox.run(get('heartrate', ...flags))
    expect(run.status).toBe(2)
    expect(run.stdout).toBe('')
    expect(run.stderr).toMatch(says)
  })

  test('refuses a resource with text values', async () => {
    expectRefusal(await sandbox.run(get('note', '--chart')), 2, /nothing to draw/)
    expectRefusal(await sandbox.run(get('note', '-o', 'note.svg')), 2, /nothing to draw/)
  })
})

test('--safe-csv neutralises texts that a spreadsheet would run as formulas, and changes nothing else', async () => {
  const plain = await printed(get('note', '--output', 'csv'))
  expect(plain).toContain(',"=1+1, ""so"""')
  expect(await printed(get('note', '--output', 'csv', '--safe-csv'))).toBe(plain.replace('"=1+1', '"\'=1+1'))
})

describe('formats that only some commands support', () => {
  test('are refused by other commands, which list their own formats', async () => {
    const run = await sandbox.run(['user', 'list', '--output', 'parquet'])
    expectRefusal(run, 2, /--output=parquet to be one of: table, json, ndjson, csv$/m)
    expectRefusal(await sandbox.run(['aggregate', 'query', 'ada', '--output', 'xlsx']), 2, /csv, parquet, arrow, svg$/m)
  })

  test.skipIf(process.platform === 'win32')('are never written to a terminal if they are binary', async () => {
    const aggregate = [
      'aggregate',
      'query',
      'ada',
      '--select',
      'mean(heartrate)',
      '--past',
      '1w',
      '--anchor',
      '2026-11-10',
    ]
    for (const args of [get('heartrate'), aggregate]) {
      const terminal = new Terminal(sandbox, [...args, '--output', 'parquet'])
      expect(await terminal.ended()).toBe(2)
      expect(terminal.text).toContain('Parquet is binary and cannot be written to a terminal')
      expect(terminal.text).not.toContain('PAR1')
    }
  })

  test.skipIf(process.platform === 'win32')('can be written to a file or a pipe, also from a query', () => {
    const query = "--select 'mean(heartrate)' --past 1w --anchor 2026-11-10"
    const command = `${svcInShell} aggregate query ada ${query}`
    const shell = (script: string) => spawnSync('sh', ['-c', script], { cwd: sandbox.folder, env: sandbox.env })
    expect(shell(`${command} --output parquet > piped.parquet && ${command} -o named.parquet`).status).toBe(0)
    const [piped, named] = ['piped', 'named'].map(name => readFileSync(path.join(sandbox.folder, `${name}.parquet`)))
    expect(piped?.subarray(0, 4).toString()).toBe('PAR1')
    expect(piped?.equals(named as Buffer)).toBe(true)
  })
})

describe('a long response', () => {
  test.skipIf(process.platform === 'win32')('ends quietly when its reader exits', () => {
    const command = `${svcInShell} ${get('heartrate').join(' ')}`
    for (const format of ['ndjson', 'csv', 'json', 'table']) {
      const script = `( ${command} --output ${format}; echo "exit $?" >&2 ) | head -c 10`
      const run = spawnSync('sh', ['-c', script], { env: sandbox.env, encoding: 'utf8' })
      expect({ format, stderr: run.stderr }).toEqual({ format, stderr: 'exit 0\n' })
    }
  })

  test.skipIf(process.platform === 'win32')('to a file leaves no file after Ctrl-C, and exits with 130', async () => {
    // a server that never responds to the read
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      if (request.url?.includes('/timeseries/')) return
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ user_id: '00000000-0000-4000-8000-000000000000', connected_sources: [] }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const args = get('heartrate', '-o', 'never.csv', '--base-url', `http://127.0.0.1:${port}`)
    const reading = sandbox.start(args, { env: { SVC_API_KEY: 'sk_us_0123456789abcdef' } })
    await once(server, 'request')
    await once(server, 'request')
    expect(await reading.stop('SIGINT')).toBe(130)
    expect(readdirSync(sandbox.folder).filter(name => name.includes('never'))).toEqual([])
    server.closeAllConnections()
    server.close()
  })
})

describe('--latest', () => {
  const latest = (count: number, ...more: string[]) => [
    'timeseries',
    'get',
    'ada',
    'heartrate',
    '--latest',
    `${count}`,
    ...more,
  ]

  test('returns the newest samples, oldest first, in every format and without --start', async () => {
    const all = await printed(get('heartrate', '--output', 'csv'))
    for (const count of [1, 7, 300, 11_000, 20_000]) {
      expect(await printed(latest(count, '--output', 'csv')), `${count}`).toBe(tail(all, count))
    }
    const { groups, next_cursor } = await sandbox.json<GroupedResponse>(latest(5))
    expect(next_cursor).toBeNull()
    expect(Object.values(groups).flatMap(list => list.flatMap(({ data }) => data))).toHaveLength(5)
    expect(parseRows(await printed(latest(5, '--output', 'ndjson')))).toHaveLength(5)
  })

  test('counts only samples in the range and of the provider', async () => {
    const range = ['--start', '2026-11-02', '--end', '2026-11-02', '--provider', 'whoop', '--output', 'csv']
    const all = await printed(['timeseries', 'get', 'ada', 'heartrate', ...range])
    expect(await printed(latest(3, ...range))).toBe(tail(all, 3))
    expect(await printed(latest(9_999, ...range))).toBe(all)
    expect(await sandbox.json(latest(3, '--end', '2020-01-01'))).toEqual({ groups: {}, next_cursor: null, next: null })
  })

  test('is refused with a limit or a cursor, and an unknown resource is still reported', async () => {
    expectRefusal(await sandbox.run(latest(3, '--limit', '3')), 2, /--limit.*--latest|--latest.*--limit/)
    expectRefusal(await sandbox.run(latest(0)), 2, /--latest/)
    expectRefusal(await sandbox.run(['timeseries', 'get', 'ada', 'heart_rate', '--latest', '3']), 2, /"heartrate"/)
    const sleep = await sandbox.run(['timeseries', 'get', 'ada', 'sleep', '--latest', '3'])
    expectRefusal(sleep, 2, /"sleep" is a kind of summary, but these resources are samples\. `svc summary get`/)
    expectRefusal(await sandbox.run(['timeseries', 'get', 'ada', 'heartrate']), 2, /--start is missing/)
  })
})
