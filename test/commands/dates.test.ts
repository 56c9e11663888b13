/** Dates on the command line: by the engine's clock, in the user's time zone, embedded and from a server. */
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { serve } from '../kit/serve.ts'

const sandbox = new InProcessSandbox()
interface GroupedResponse {
  readonly groups: Record<string, { readonly data: readonly { readonly start: string }[] }[]>
}

beforeAll(async () => {
  const { user_id } = await sandbox.json<{ user_id: string }>([
    'user',
    'create',
    'ada',
    '--fallback-time-zone',
    'Asia/Tokyo',
  ])
  // every three hours of four days, in UTC
  const start = Date.UTC(2026, 10, 19)
  const samples = Array.from({ length: 32 }, (_, i) => ({
    ...{ resource: 'heartrate', provider: 'manual', source_type: 'app', value: 60 + i },
    start: new Date(start + i * 3 * 3_600_000).toISOString(),
  }))
  const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
  const run = await sandbox.run(push, { input: JSON.stringify({ samples }) })
  expect(run.status, run.stderr).toBe(0)
  await sandbox.json(['engine', 'clock', 'freeze', '2026-11-22T18:30:00Z'])
})

async function listStarts(flags: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const { groups } = await sandbox.json<GroupedResponse>(['timeseries', 'get', 'ada', 'heartrate', ...flags], { env })
  return (groups['manual'] ?? []).flatMap(({ data }) => data.map(each => each.start.slice(5, 16)))
}

const BOUNDS: [string[], string, string][] = [
  [['--start', 'today'], '11-22T15:00', '11-22T18:00'],
  [['--start', 'yesterday', '--end', 'yesterday'], '11-21T15:00', '11-22T12:00'],
  [['--start', '2026-11-21', '--end', '2026-11-21'], '11-20T15:00', '11-21T12:00'],
  [['--start', '1d'], '11-21T21:00', '11-22T18:00'],
  [['--start', '2026', '--end', '2026-11'], '11-19T00:00', '11-22T21:00'],
  [['--start', '2026-11-21T00:00:00Z', '--end', '12h'], '11-21T00:00', '11-22T06:00'],
]

describe('a range', () => {
  test.each(BOUNDS)('%j follows the engine’s clock and the user’s zone', async (flags, first, last) => {
    const starts = await listStarts(flags)
    expect([starts[0], starts.at(-1)]).toEqual([first, last])
  })

  test('is the same from a server', async () => {
    const server = await serve(sandbox)
    try {
      const env = { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key }
      for (const [flags, first, last] of BOUNDS) {
        const starts = await listStarts(flags, env)
        expect([starts[0], starts.at(-1)]).toEqual([first, last])
      }
    } finally {
      await server.stop('SIGTERM')
    }
  })

  test('that is relative continues with the hint, which contains the resolved time', async () => {
    const args = ['timeseries', 'get', 'ada', 'heartrate', '--start', '1d', '--limit', '3', '--output', 'csv']
    const first = await sandbox.run(args)
    const [, more] = /More results: add (.*)\n/.exec(first.stderr) ?? []
    expect(more).toMatch(/^--start 2026-11-21T18:30:00\+00:00 --cursor /)
    await sandbox.json(['engine', 'clock', 'advance', '1s'])
    const next = await sandbox.run([
      'timeseries',
      'get',
      'ada',
      'heartrate',
      '--output',
      'csv',
      ...(more ?? '').split(' '),
    ])
    expect(next.status, next.stderr).toBe(0)
    expect(next.stdout).toContain('2026-11-22T06:00')
  })

  test('in an unknown form is refused with a list of the forms', async () => {
    expectRefusal(
      await sandbox.run(['timeseries', 'get', 'ada', 'heartrate', '--start', 'last week']),
      2,
      /--start must be .*yesterday/,
    )
  })
})

test.each<[string[], RegExp]>([
  [['summary', 'get', 'ada', 'sleep', '--start', '2026-11', '--end', 'today'], /^\{"sleep"/],
  [
    [
      'aggregate',
      'query',
      'ada',
      '--select',
      'count(heartrate)',
      '--past',
      '1d',
      '--anchor',
      'yesterday',
      '--print-query',
    ],
    /"anchor": "2026-11-22"/,
  ],
  [['event', 'list', '--since', 'yesterday', '--until', 'today'], /"data":/],
  [['engine', 'audit', '--since', '1h'], /"entries":/],
  [['order', 'list', '--user', 'ada', '--start', '7d', '--end', 'today'], /"orders":/],
  [
    ['user', 'update', 'ada', '--ingestion-start', '2026', '--ingestion-end', 'tomorrow'],
    /"ingestion_start":"2026-01-01","ingestion_end":"2026-11-24"/,
  ],
  [
    ['user', 'create', 'bob', '--ingestion-start', 'today', '--fallback-time-zone', 'Asia/Tokyo'],
    /"ingestion_start":"2026-11-23"/,
  ],
  [
    ['event', 'trigger', 'daily.data.heartrate.created', '--user', 'ada', '--at', 'yesterday', '--only-event'],
    /"events":/,
  ],
  [
    ['engine', 'seed', '--people', '1', '--days', '1', '--until', 'yesterday'],
    /"until":"2026-11-21T23:59:59.999\+00:00"/,
  ],
  [['event', 'resend', '--since', '1h', '--until', '10m'], /"queued":0/],
  [['timeseries', 'delete', 'ada', 'heartrate', '--start', '2025', '--end', '2025-06', '--yes'], /^\{/],
  [['engine', 'clock', 'set', '2026-11-25'], /"now":"2026-11-25T00:00:00\+00:00"/],
])('every command with dates takes them: svc %j', async (args, printed) => {
  const run = await sandbox.run([...args])
  expect(run.status, run.stderr).toBe(0)
  expect(run.stdout).toMatch(printed)
})
