/** Downloads equal the output of the commands, byte for byte. */
import { beforeAll, describe, expect, it } from 'vitest'
import { openEmbedded } from '../../src/client/embedded.ts'
import type { UserId } from '../../src/core/ids.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { openHarness } from '../kit/harness.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { storeOptions } from '../kit/postgres/database.ts'

const sandbox = new InProcessSandbox()
const START = Date.UTC(2026, 10, 1)
let userId = ''

beforeAll(async () => {
  const { user_id } = await sandbox.json<{ user_id: string }>(['user', 'create', 'ada'])
  userId = user_id
  // more than a page, of two sources
  const samples = Array.from({ length: 12_345 }, (_, i) => ({
    resource: 'heartrate',
    provider: i % 3 ? 'oura' : 'whoop',
    source_type: 'ring',
    start: new Date(START + i * 60_000).toISOString(),
    value: 50 + (i % 90),
  }))
  const note = { resource: 'note', provider: 'manual', source_type: 'app', start: new Date(START).toISOString() }
  const body = { samples: [...samples, { ...note, value: '=1+1, "so"', tags: ['food'] }] }
  const push = ['api', 'POST', `/svc/v1/users/${user_id}/samples`, '--input', '-']
  const run = await sandbox.run(push, { input: JSON.stringify(body) })
  expect(run.status, run.stderr).toBe(0)
})

async function printed(args: readonly string[]): Promise<string> {
  const run = await sandbox.run(args)
  expect(run.status, run.stderr).toBe(0)
  return run.stdout
}

describe('a download of samples', () => {
  it.each([
    ['heartrate', 'csv', []],
    ['heartrate', 'csv', ['--provider', 'whoop']],
    ['note', 'csv', []],
  ] as const)('of %s as %s %j equals the command’s output', async (resource, format, more) => {
    const get = ['timeseries', 'get', 'ada', resource, '--start', '2026-11-01', '--end', '2026-11-30', ...more]
    const provider = more.length === 0 ? '' : `&provider=${more[1]}`
    const path = `/svc/v1/users/${userId}/timeseries/${resource}/download`
    const download = `${path}?start_date=2026-11-01&end_date=2026-11-30&format=${format}${provider}`
    const expected = await printed([...get, '--output', format])
    expect(await printed(['api', 'GET', download])).toBe(expected)
    expect(expected.split('\n').length).toBeGreaterThan(2)
  })

  it('protects a spreadsheet on request', async () => {
    const path = `/svc/v1/users/${userId}/timeseries/note/download?start_date=2026-11-01`
    expect(await printed(['api', 'GET', `${path}&safe_csv=true`])).toContain(`"'=1+1, ""so"""`)
  })
})

const STEPS = Array.from({ length: 40 }, (_, i) => ({
  resource: 'steps',
  provider: 'manual',
  source_type: 'app',
  start: new Date(START + i * 60_000).toISOString(),
  value: i,
}))

function pushed() {
  const stream = (async function* () {
    yield Buffer.from(JSON.stringify({ samples: STEPS }))
  })()
  return { kind: 'stream' as const, stream }
}

describe('a download response', () => {
  it('has the file name and type, and Parquet contains every sample', async () => {
    const dataDir = temporaryFolder()
    const client = await openEmbedded({ dataDir, publicUrl: null, engine: { pageSize: 7 }, ...storeOptions(dataDir) })
    const created = await client.call('user.create', { body: { client_user_id: 'ada' } })
    const user_id = (created.kind === 'json' ? created.body.user_id : '') as UserId
    await client.call('samples.push', { params: { user_id }, body: pushed() })
    const reply = await client.call('timeseries.download', {
      params: { user_id, resource: 'steps' },
      query: { start_date: '2026-11-01', format: 'parquet' },
    })
    expect(reply).toMatchObject({
      kind: 'bytes',
      mediaType: 'application/vnd.apache.parquet',
      headers: { 'content-disposition': 'attachment; filename="steps.parquet"' },
    })
    const { parquetReadObjects } = await import('hyparquet')
    const file = new Uint8Array(await readBytes(reply)).buffer
    const rows = await parquetReadObjects({ file })
    expect(rows.map(row => row['value'])).toEqual(STEPS.map(each => each.value))
    expect(rows[0]).toMatchObject({ resource: 'steps', provider: 'manual', start: new Date(START) })
    await client.close()
  })

  it('to an aggregate query is its table in one file', async () => {
    const { call, engine, team } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'ada' } })
    await call('samples.push', { params: { user_id }, body: pushed() })
    const { runOperation } = await import('../../src/engine/engine.ts')
    const body = {
      timeframe: { type: 'relative', anchor: '2026-11-01', past: { unit: 'day', value: 1 } },
      queries: [
        {
          select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps', field: 'value' } }],
          group_by: [{ date_trunc: { unit: 'minute', value: 2 }, arg: { index: 'timeseries' } }],
        },
      ],
    }
    const response = await call('aggregate.query', { params: { user_id }, body } as never)
    const download = (format: string) =>
      runOperation(engine.context, 'aggregate.download', {
        input: { params: { user_id }, query: { format }, body },
        credentials: { kind: 'team', team, linkToken: null },
        accept: '*/*',
      })
    const csv = (await readBytes(await download('csv'))).toString()
    const { fromParquet } = await import('../../src/table/read-parquet.ts')
    const { toColumns } = await import('../../src/table/json.ts')
    const { csvPieces } = await import('../../src/table/csv.ts')
    const table = await fromParquet(await readBytes(await download('parquet')))
    expect({ results: [{ table: toColumns(table) }] }).toEqual(response)
    expect(csv).toBe(Buffer.concat([...csvPieces(table)]).toString())
    expect(csv.split('\n').length).toBeGreaterThan(20)
  })
})

async function readBytes(reply: { readonly kind: string }): Promise<Buffer> {
  const { bytes } = reply as unknown as { bytes: AsyncIterable<Uint8Array> } // a download is a stream of bytes
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}
