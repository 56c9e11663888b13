/** The binary renderings, read back by other readers: Parquet by hyparquet, tar by tar-stream. */
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import { toParquet } from '../../src/table/parquet.ts'
import { toTarGzip } from '../../src/table/tar.ts'
import { everyKind, grouped, manyRows, noRows } from './fixture.ts'

const bufferOf = (bytes: Uint8Array): ArrayBuffer => bytes.slice().buffer as ArrayBuffer

async function readBack(bytes: Uint8Array) {
  return parquetReadObjects({ file: bufferOf(bytes) })
}

test('Parquet holds the same rows: times, dates, integers, doubles, texts, booleans, nulls', async () => {
  expect(await readBack(await toParquet(await everyKind()))).toEqual([
    {
      index: new Date('2024-12-11'),
      date: new Date('2024-12-11'),
      steps: 9007199254740991n,
      calories_total: 0.30000000000000004,
      time_zone: 'Europe/Berlin',
      wheelchair_use: true,
    },
    {
      index: new Date('2024-12-12'),
      date: new Date('2024-12-12'),
      steps: null,
      calories_total: null,
      time_zone: null,
      wheelchair_use: null,
    },
    {
      index: new Date('2024-12-13'),
      date: new Date('2024-12-13'),
      steps: -3n,
      calories_total: 1e-300,
      time_zone: 'a "b",\r\nc',
      wheelchair_use: false,
    },
  ])
  expect(await readBack(await toParquet(await grouped()))).toEqual([
    { 'group_key.0': new Date('2024-12-12'), 'group_key.1': 4, 'mean.efficiency': 90, 'count.index': 1n },
    { 'group_key.0': new Date('2024-12-13'), 'group_key.1': 5, 'mean.efficiency': 91, 'count.index': 2n },
  ])
})

test('Parquet types: floating microseconds, integers of their width, texts in dictionaries', async () => {
  const { schema, row_groups } = parquetMetadata(bufferOf(await toParquet(await everyKind())))
  const named = new Map(schema.map(element => [element.name, element]))
  expect(named.get('index')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  })
  expect(named.get('index')?.converted_type).toBeUndefined()
  expect(named.get('date')).toMatchObject({ type: 'INT32', converted_type: 'DATE' })
  expect(named.get('steps')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'INTEGER', bitWidth: 64, isSigned: true },
  })
  const texts = row_groups[0]?.columns.find(column => column.meta_data?.path_in_schema[0] === 'time_zone')
  expect(texts?.meta_data?.encodings).toContain('RLE_DICTIONARY')
  const keys = parquetMetadata(bufferOf(await toParquet(await grouped()))).schema
  expect(keys.find(element => element.name === 'group_key.1')).toMatchObject({
    type: 'INT32',
    logical_type: { type: 'INTEGER', bitWidth: 8, isSigned: true },
  })
})

test('Parquet of no rows keeps its columns; many rows come back in order', async () => {
  const empty = await toParquet(await noRows())
  expect(
    parquetMetadata(bufferOf(empty))
      .schema.map(element => element.name)
      .slice(1),
  ).toHaveLength(6)
  expect(await readBack(empty)).toEqual([])
  const many = await readBack(await toParquet(await manyRows(2500)))
  expect(many.map(row => row['steps'])).toEqual(Array.from({ length: 2500 }, (_, i) => i / 10))
})

test('the archive holds the files in order, with their bytes, and is the same every time', async () => {
  const files = [
    { name: '0.parquet', bytes: await toParquet(await grouped()) },
    { name: '1.parquet', bytes: await toParquet(await noRows()) },
    { name: 'empty', bytes: new Uint8Array(0) },
  ]
  const archive = await toTarGzip(files)
  const found: { name: string; bytes: Buffer; mtime: number | undefined }[] = []
  for await (const entry of Readable.from([gunzipSync(archive)]).pipe(extract())) {
    const parts: Buffer[] = []
    for await (const part of entry) parts.push(part as Buffer)
    found.push({ name: entry.header.name, bytes: Buffer.concat(parts), mtime: entry.header.mtime?.getTime() })
  }
  expect(found).toEqual(files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes), mtime: 0 })))
  expect(Buffer.from(await toTarGzip(files)).equals(Buffer.from(archive))).toBe(true)
})
