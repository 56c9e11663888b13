/** The main lists on terminals of 80 and 130 columns, and tables in pipes: real processes on real terminals. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { Terminal, type TerminalOptions } from '../kit/terminal.ts'

// The engine's clock is far ahead, so that earlier changes are not among the newest lines.
const box = new InProcessSandbox()
const PERSON = ['--first-name=Ada', '--last-name=L', '--dob=1990-01-01', '--gender=female', '--email=a@example.com']
const ADDRESS = [
  '--phone-number=5555551234',
  '--first-line=1 St',
  '--city=Phoenix',
  '--state=AZ',
  '--zip=85001',
  '--country=US',
]

beforeAll(async () => {
  const steps = path.join(box.folder, 'steps.csv')
  writeFileSync(steps, 'Time,Steps\n2036-11-19T10:00:00Z,100\n2036-11-19T11:00:00Z,200\n')
  for (const args of [
    ['engine', 'clock', 'freeze', '2036-11-20T08:30:00Z'],
    ['engine', 'seed', '--people', '3', '--days', '8'],
    ['webhook', 'create', 'https://hooks.example.com/health', '--description', 'data of our application'],
    // endpoints of the same instant have no fixed order
    ['engine', 'clock', 'freeze', '2036-11-20T08:31:00Z'],
    ['webhook', 'create', 'https://other.example.com', '--event-type', 'daily.data.*', '--event-type', 'labtest.*'],
    ['engine', 'key', 'create', 'local', '--label', 'ci of the application'],
    ['order', 'create', 'person-001', '--lab-test', 'essential-health', ...PERSON, ...ADDRESS],
    ['import', steps, '--user', 'person-001', '--map', 'start=Time', '--map', 'value=Steps', '--resource', 'steps'],
    ['event', 'deliver'],
    ['engine', 'clock', 'freeze', '2036-11-20T11:45:00Z'],
  ]) {
    await box.json(args)
  }
})

async function shown(args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = new Terminal(box, args, ':', { rows: 200, ...options, env: { PAGER: 'cat', ...options.env } })
  await terminal.ended()
  return terminal
}

/** IDs, keys and cursors are random. */
function withoutIds(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0f8fad5b-d9cb-469f-a165-70867728950e')
    .replace(/\b[0-9a-f]{4}…[0-9a-f]{4}\b/g, '0f8f…950e')
    .replace(/sk_us_….{4}/g, 'sk_us_…zzzz')
    .replace(/--cursor\s+\S+/g, '--cursor CURSOR')
}

const LISTS = [
  'user list',
  'provider list --auth-type password',
  'provider list --user person-001',
  'event list --limit 12',
  'webhook list',
  'order list',
  'labs markers --size 12',
  'engine audit --limit 7',
  'import list',
  'engine key list',
  'aggregate query person-001 --select sum(steps) --select mean(heartrate) --group-by 1d --past 1w',
  'timeseries get person-001 heartrate --start 2036-11-19 --limit 5',
]

describe.each([80, 130])('on a terminal of %i columns', columns => {
  test.each(LISTS)('svc %s', async command => {
    const { text } = await shown(command.split(' '), { columns })
    expect(withoutIds(text)).toMatchSnapshot()
    for (const line of text.replaceAll('\r', '').split('\n')) {
      if (!line.includes('--cursor')) expect([...line].length, line).toBeLessThanOrEqual(columns)
    }
  })
})

describe('colors and bold headers', () => {
  const list = ['provider', 'list', '--user', 'person-001']

  test('are there on a terminal', async () => {
    const { raw } = await shown(list)
    expect(raw).toContain('\u001b[1mslug\u001b[22m')
    expect(raw).toContain('\u001b[32mconnected\u001b[39m')
  })

  test.each(['NO_COLOR=1', 'SVC_NO_COLOR=1', 'TERM=dumb'])('are not there with %s', async variable => {
    const [name = '', value = ''] = variable.split('=')
    const { raw } = await shown(list, { env: { [name]: value } })
    expect(raw).toContain('connected')
    expect(raw).not.toContain('\u001b[1m')
  })

  test('are not there with --no-color, and in a pipe', async () => {
    expect((await shown([...list, '--no-color'])).raw).not.toContain('\u001b[1m')
    expect((await box.run([...list, '--output', 'table'])).stdout).toMatch(/^slug.*\n─+\noura .*connected/)
  })
})

test('errors and hints break between words, and name the nearest of many names', async () => {
  const terminal = new Terminal(box, ['timeseries', 'get', 'person-001', 'hartrat', '--start=2036-11-19'], ':', {
    columns: 60,
  })
  expect(await terminal.ended()).not.toBe(0)
  const text = terminal.text.replaceAll('\r', '')
  expect(text.replace(/\n */g, ' ')).toMatch(
    /Did you mean "heartrate"\? Nearest of 51: heartrate, (\w+, ){3}\w+\. `svc timeseries resources` lists all/,
  )
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60)
  expect(terminal.raw).toContain('\u001b[31mError:\u001b[39m')
})

test('one user is one line for each field, with the whole id, and times both ways', async () => {
  const { text } = await shown(['user', 'get', 'person-001'], { columns: 60 })
  expect(text).toMatch(/user_id +[0-9a-f-]{36}\r\n/)
  expect(text).toMatch(/created_on +2036-11-\d\dT[\d:+]+ \(\d+ d ago\)\r\n/)
})

test('--wide shows whole ids, all columns and absolute times on any terminal, like a pipe', async () => {
  const { text } = await shown(['user', 'list', '--wide', '--no-color'], { columns: 80 })
  const { stdout } = await box.run(['user', 'list', '--output', 'table'])
  expect(text.replaceAll('\r', '')).toBe(stdout)
  expect(stdout).toMatch(/birth_date\n─+\n[0-9a-f-]{36} .*2036-11-\d\dT/)
  expect(stdout).not.toMatch(/…|ago|Hidden/)
})

test('a table in a pipe ends when its reader has seen enough', async () => {
  const lines = Array.from(
    { length: 100_000 },
    (_, i) => `${new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()},${60 + (i % 70)}`,
  )
  const file = path.join(box.folder, 'long.csv')
  writeFileSync(file, `Time,V\n${lines.join('\n')}\n`)
  await box.json(['user', 'create', 'long'])
  await box.json([
    'import',
    file,
    '--user',
    'long',
    '--map',
    'start=Time',
    '--map',
    'value=V',
    '--resource',
    'heartrate',
  ])
  const get = ['timeseries', 'get', 'long', 'heartrate', '--start', '2024-01-01', '--output', 'table']
  const running = box.start(get, { input: '' })
  await new Promise(resolve => running.child.stdout.once('data', resolve))
  running.child.stdout.destroy()
  const { status } = await running.ended
  expect(status).toBe(0)
  expect(running.stdout().split('\n').length).toBeLessThan(25_000)
  expect(running.stdout().split('\n')[2]).toMatch(/^manual +unknown +2024-01-01T00:00:00\+00:00 .* 60$/)
})
