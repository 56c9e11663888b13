/** `summary get` and `timeseries stream`: every format contains the same data, with the same columns for any data. */
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'

const sandbox = new InProcessSandbox()

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada', '--fallback-time-zone', 'Europe/Berlin'])
  for (const provider of ['whoop', 'zwift']) {
    const link = ['link', 'password', provider, '--user', 'ada', '--username', 'ada', '--password-stdin']
    await sandbox.json(link, { input: 'secret\n' })
  }
})

async function print(args: readonly string[], format: string): Promise<readonly string[]> {
  const run = await sandbox.run([...args, '--output', format])
  expect(run.status, run.stderr).toBe(0)
  return run.stdout.trimEnd().split('\n')
}
const get = (kind: string, start = '2020-01-01') => ['summary', 'get', 'ada', kind, '--start', start]
type Row = Readonly<Record<string, unknown>>

describe('summaries', () => {
  test('are the same documents in ndjson as in json, one per line', async () => {
    const { workouts } = await sandbox.json<{ workouts: Row[] }>(get('workouts'))
    expect(workouts.length).toBeGreaterThan(5)
    expect((await print(get('workouts'), 'ndjson')).map(line => JSON.parse(line))).toEqual(workouts)
  })

  test.each(['activity', 'workouts', 'sleep', 'sleep_cycle', 'body', 'meal', 'menstrual_cycle', 'electrocardiogram'])(
    'have the same columns in csv whether or not there are any: %s',
    async kind => {
      const [head, ...rows] = await print(get(kind), 'csv')
      expect(await print(get(kind, '2099-01-01'), 'csv')).toEqual([head])
      const names = (head as string).split(',')
      expect(names).toEqual(expect.arrayContaining(['id', 'user_id', 'calendar_date', 'source.provider', 'updated_at']))
      expect(new Set(names).size).toBe(names.length)
      for (const row of rows.slice(0, 2)) {
        const cells = row.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
        expect(cells.length - (row.endsWith(',') ? 0 : 1)).toBe(names.length)
      }
    },
  )

  test('show their most important fields in a table', async () => {
    const [head] = await print(get('activity'), 'table')
    expect(head?.split(/ +/).slice(0, 5)).toEqual(['calendar_date', 'provider', 'source_type', 'steps', 'distance'])
    expect(await print(get('activity', '2099-01-01'), 'table')).toEqual(['No summaries in this range.'])
  })

  test('are a single object for a profile', async () => {
    const profile = ['summary', 'get', 'ada', 'profile']
    const document = await sandbox.json<Row>(profile)
    expect((await print(profile, 'ndjson')).map(line => JSON.parse(line))).toEqual([document])
    expect(await print(profile, 'csv')).toHaveLength(2)
    expect((await print(profile, 'table')).some(line => /^height +\d{3}$/.test(line))).toBe(true)
  })
})

describe('a stream', () => {
  const first = async (kind: 'workouts' | 'sleep'): Promise<string> => {
    const response = await sandbox.json<Record<typeof kind, { id: string }[]>>([...get(kind), '--provider', 'zwift'])
    return response[kind][0]?.id ?? ''
  }

  test('of a workout has a row for each point, with all columns', async () => {
    const stream = ['timeseries', 'stream', await first('workouts')]
    const { time, heartrate } = await sandbox.json<{ time: number[]; heartrate: number[] }>(stream)
    const [head, ...rows] = await print(stream, 'csv')
    expect(head).toBe(
      'timestamp,cadence,altitude,velocity_smooth,heartrate,lat,lng,distance,power,resistance,temperature',
    )
    expect(rows).toHaveLength(time.length)
    expect(rows.map(row => Number(row.split(',')[4]))).toEqual(heartrate)
    const points = (await print(stream, 'ndjson')).map(line => JSON.parse(line) as Row)
    expect(points.map(each => Date.parse(String(each['timestamp'])) / 1000)).toEqual(time)
    expect(points[0]).toMatchObject({ temperature: null, resistance: null })
    // one degree is 111 km
    expect((await print(stream, 'table'))[2]).toMatch(/ -?0\.\d{5} /)
  })

  test('of a night has a row for each sample, under its resource', async () => {
    const stream = ['timeseries', 'stream', await first('sleep')]
    const body = await sandbox.json<Record<string, Row[]>>(stream)
    const rows = (await print(stream, 'ndjson')).map(line => JSON.parse(line) as Row)
    for (const [resource, samples] of Object.entries(body)) {
      expect(samples.length, resource).toBeGreaterThan(5)
      expect(rows.filter(each => each['resource'] === resource)).toHaveLength(samples.length)
    }
    expect(Object.keys(rows[0] ?? {}).join()).toBe((await print(stream, 'csv'))[0])
  })
})
