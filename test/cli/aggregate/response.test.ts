/** How the command line renders an aggregate result, and which combinations it refuses. */
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import { bodyPieces } from '../../../src/cli/aggregate/body.ts'
import { type RenderOptions, renderArchive } from '../../../src/cli/aggregate/response.ts'
import { readTables } from '../../../src/cli/aggregate/tables.ts'
import { checkOne, type QueryFormat, queryTarget, type RequestedFormat } from '../../../src/cli/aggregate/target.ts'
import { toColumns } from '../../../src/table/json.ts'
import { toParquet } from '../../../src/table/parquet.ts'
import type { ResultTable } from '../../../src/table/table.ts'
import { toTarGzip } from '../../../src/table/tar.ts'
import { everyKind, formulas, grouped, noRows } from '../../table/fixture.ts'

const SCREEN = { isTerminal: true, width: 80, height: 24, color: false, isWide: false }
const OPTIONS: RenderOptions = { screen: SCREEN, csv: {}, toFile: false, queries: [] }

async function archive(...tables: readonly ResultTable[]): Promise<Uint8Array> {
  const files = tables.map(async (table, i) => ({ name: `${i}.parquet`, bytes: await toParquet(table) }))
  return toTarGzip(await Promise.all(files))
}

async function shown(format: QueryFormat, bytes: Uint8Array, more: Partial<RenderOptions> = {}, isArchive = false) {
  const pieces: Buffer[] = []
  for await (const piece of renderArchive(bytes, { format, isArchive }, { ...OPTIONS, ...more })) {
    pieces.push(Buffer.from(piece))
  }
  return Buffer.concat(pieces)
}

test('reads the tables of an archive back with their types', async () => {
  const tables = await readTables(await archive(await everyKind(), await grouped()))
  expect(tables.map(toColumns)).toEqual([toColumns(await everyKind()), toColumns(await grouped())])
  await expect(readTables(Buffer.from('no archive'))).rejects.toMatchObject({ code: 'bad_response' })
  await expect(readTables(await toTarGzip([]))).rejects.toMatchObject({ code: 'bad_response' })
  const junk = await toTarGzip([{ name: '0.parquet', bytes: Buffer.from('no Parquet') }])
  await expect(readTables(junk)).rejects.toThrow('0.parquet')
})

test('renders one result as a table, csv and ndjson, and Parquet exactly as the service sent it', async () => {
  const one = await archive(await grouped())
  expect(`${await shown('table', one)}`).toContain('2024-12-12T00:00:00')
  const group_by = [{ date_trunc: { unit: 'day', value: 1 } }, { date_part: 'weekday' }]
  expect(`${await shown('table', one, { queries: [{ group_by }] })}`).toMatch(/^day +weekday +mean\.efficiency/)
  expect(`${await shown('csv', one)}`).toBe(
    'group_key.0,group_key.1,mean.efficiency,count.index\n2024-12-12T00:00:00,4,90,1\n2024-12-13T00:00:00,5,91,2\n',
  )
  expect(`${await shown('ndjson', one)}`.split('\n')[0]).not.toContain('query')
  expect((await shown('parquet', one)).equals(await toParquet(await grouped()))).toBe(true)
  expect(`${await shown('csv', await archive(await formulas()), { csv: { isSafe: true } })}`).toContain("'=1+1,-0.5")
  expect(`${await shown('table', await archive(await noRows()))}`).toBe('No rows.\n')
})

test('renders several results with a heading each, with the query number in ndjson, or as one file each in an archive', async () => {
  const two = await archive(await grouped(), await noRows())
  const table = `${await shown('table', two)}`
  expect(table).toMatch(/^Query 0\n[\s\S]*\nQuery 1\n\nNo rows\.\n$/)
  expect(`${await shown('ndjson', two)}`).toMatch(/^\{"query":0,/)
  expect((await shown('parquet', two, {}, true)).equals(two)).toBe(true)
  const names: string[] = []
  const packed = gunzipSync(await shown('csv', two, {}, true))
  for await (const entry of Readable.from([packed]).pipe(extract())) {
    names.push(entry.header.name)
    entry.resume()
  }
  expect(names).toEqual(['0.csv', '1.csv'])
})

test('draws a chart for each numeric column over the first time column', async () => {
  const one = await archive(await grouped())
  const chart = `${await shown('chart', one)}`
  expect(chart).toContain('mean.efficiency, 2024-12-12 00:00 to 2024-12-13 00:00\n')
  expect(chart).toContain('count.index')
  expect(chart).not.toContain('UTC')
  const svg = `${await shown('svg', one)}`
  expect(svg.match(/<svg /g)).toHaveLength(3)
  expect(new Set(svg.match(/id="[^"]+"/g)).size).toBe(svg.match(/id="[^"]+"/g)?.length)
  await expect(shown('chart', await archive(await formulas()))).rejects.toThrow('needs a column of times')
})

const requestedFormat = (more: Partial<RequestedFormat>): RequestedFormat => ({
  formatFlag: undefined,
  otherwise: 'table',
  chart: false,
  out: undefined,
  ...more,
})

test.each<[Partial<RequestedFormat>, string, boolean]>([
  [{}, 'table', false],
  [{ formatFlag: 'csv' }, 'csv', false],
  [{ out: 'a.Parquet' }, 'parquet', false],
  [{ out: 'a.csv' }, 'csv', false],
  [{ out: 'a.jsonl' }, 'ndjson', false],
  [{ out: 'a.arrow' }, 'arrow', false],
  [{ out: 'a.svg', chart: true }, 'svg', false],
  [{ out: 'a.txt', chart: true }, 'chart', false],
  [{ out: 'a.tar.gz' }, 'parquet', true],
  [{ out: 'a.tgz', formatFlag: 'csv' }, 'csv', true],
  [{ out: 'a', formatFlag: 'ndjson' }, 'ndjson', false],
])('%j is %s', (more, format, isArchive) => {
  expect(queryTarget(requestedFormat(more))).toEqual({ format, isArchive })
})

test.each<[Partial<RequestedFormat>, string]>([
  [{ out: 'a.xls' }, '.parquet, .csv'],
  [{ chart: true, formatFlag: 'csv' }, 'cannot be used together'],
  [{ out: 'a.tar.gz', formatFlag: 'svg' }, 'but not svg'],
  [{ out: 'a.tar.gz', chart: true }, 'but not chart'],
  [{ out: 'a.parquet', formatFlag: 'table' }, 'does not match the file extension .parquet'],
  [{ out: 'a.csv', formatFlag: 'json' }, 'does not match the file extension .csv'],
  [{ out: 'a.csv', chart: true }, 'a file that ends with .csv contains data'],
  [{ out: 'a.PARQUET', chart: true }, '.PARQUET contains data'],
])('%j is refused', (more, words) => {
  expect(() => queryTarget(requestedFormat(more))).toThrow(words)
})

test('refuses to write several results into a file format for a single one', () => {
  for (const format of ['csv', 'parquet', 'arrow', 'svg'] as const) {
    expect(() => checkOne({ format, isArchive: false }, 2)).toThrow('can contain the result of only one query')
    expect(() => checkOne({ format, isArchive: false }, 1)).not.toThrow()
    expect(() => checkOne({ format, isArchive: true }, 2)).not.toThrow()
  }
  for (const format of ['table', 'json', 'ndjson', 'chart'] as const) {
    expect(() => checkOne({ format, isArchive: false }, 9)).not.toThrow()
  }
})

test('writes a JSON body as JSON.stringify does, whatever it contains', async () => {
  const bodies = [
    { results: [] },
    { results: [{ table: {} }], more: { x: undefined, y: null, z: [{ a: 1 }, 'b'] } },
    { results: [{ table: { a: Array.from({ length: 120_000 }, (_, i) => (i % 7 ? i / 3 : null)), b: ['é"', true] } }] },
  ]
  for (const body of bodies) {
    let text = ''
    for await (const piece of bodyPieces(body as never, false)) text += piece
    expect(text).toBe(`${JSON.stringify(body)}\n`)
  }
})
