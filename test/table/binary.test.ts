/** The binary formats, read back by other readers: Parquet by hyparquet, tar by tar-stream. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { extract } from 'tar-stream'
import { expect, test } from 'vitest'
import { toArrow } from '../../src/table/arrow.ts'
import { buildTable } from '../../src/table/build-table.ts'
import type { CellKind } from '../../src/table/cells.ts'
import { columnTypes } from '../../src/table/columns.ts'
import { toColumns } from '../../src/table/json.ts'
import { toParquet } from '../../src/table/parquet.ts'
import { plainCells } from '../../src/table/plain-cells.ts'
import { fromParquet } from '../../src/table/read-parquet.ts'
import { toTarGzip } from '../../src/table/tar.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { seed } from '../kit/seed.ts'
import { everyKind, grouped, manyRows, noRows } from './fixture.ts'

const toArrayBuffer = (bytes: Uint8Array): ArrayBuffer => bytes.slice().buffer as ArrayBuffer

const ARROW_TYPES: Readonly<Partial<Record<CellKind, string>>> = {
  time: 'Timestamp<MICROSECOND>',
  date: 'Date32<DAY>',
  int64: 'Int64',
  int8: 'Int8',
  float: 'Float64',
  text: 'Dictionary<Int32, Utf8>',
  bool: 'Bool',
}

const plain = (cell: unknown): unknown => (typeof cell === 'bigint' ? Number(cell) : cell)

async function readBack(bytes: Uint8Array) {
  return parquetReadObjects({ file: toArrayBuffer(bytes) })
}

test('Parquet contains the same rows: times, dates, integers, doubles, texts, booleans, nulls', async () => {
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

test('Parquet uses floating microseconds, integers of their width, and dictionaries for texts', async () => {
  const { schema, row_groups } = parquetMetadata(toArrayBuffer(await toParquet(await everyKind())))
  const named = new Map(schema.map(element => [element.name, element]))
  expect(named.get('index')).toMatchObject({
    type: 'INT64',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
  })
  expect(named.get('index')?.converted_type).toBeUndefined()
  expect(named.get('date')).toMatchObject({ type: 'INT32', converted_type: 'DATE' })
  expect(named.get('steps')).toMatchObject({ type: 'INT64', converted_type: 'INT_64' })
  const texts = row_groups[0]?.columns.find(column => column.meta_data?.path_in_schema[0] === 'time_zone')
  expect(texts?.meta_data?.encodings).toContain('RLE_DICTIONARY')
  const keys = parquetMetadata(toArrayBuffer(await toParquet(await grouped()))).schema
  expect(keys.find(element => element.name === 'group_key.1')).toMatchObject({
    type: 'INT32',
    converted_type: 'INT_8',
  })
})

test('Parquet without rows keeps its columns; many rows are read back in order', async () => {
  const empty = await toParquet(await noRows())
  expect(
    parquetMetadata(toArrayBuffer(empty))
      .schema.map(element => element.name)
      .slice(1),
  ).toHaveLength(6)
  expect(await readBack(empty)).toEqual([])
  const n = 140_000
  const bytes = await toParquet(await manyRows(n))
  expect(parquetMetadata(toArrayBuffer(bytes)).row_groups).toHaveLength(2)
  const many = await readBack(bytes)
  expect(many.every((row, i) => row['steps'] === i / 10 && row['nothing'] === null)).toBe(true)
  expect(many.every((row, i) => row['every_third'] === (i % 3 === 0 ? BigInt(i) : null))).toBe(true)
  expect(many).toHaveLength(n)
})

test('equal tables give equal bytes', async () => {
  expect(Buffer.from(await toParquet(await everyKind())).equals(await toParquet(await everyKind()))).toBe(true)
  const [one, other] = [await toArrow(await everyKind(), 'file'), await toArrow(await everyKind(), 'file')]
  expect(Buffer.from(one).equals(other)).toBe(true)
})

test('a table read back from Parquet and from Arrow is the same table', async () => {
  for (const table of [await everyKind(), await grouped(), await noRows()]) {
    const parquet = await fromParquet(await toParquet(table))
    expect(columnTypes(parquet)).toEqual(columnTypes(table))
    expect(toColumns(parquet)).toEqual(toColumns(table))
    const { schema, batches } = tableFromIPC(await toArrow(table, 'stream'))
    expect(schema.fields.map(({ type }) => String(type))).toEqual(
      columnTypes(table).map(({ kind }) => ARROW_TYPES[kind]),
    )
    const cells = schema.fields.map((_, i) => batches.flatMap(batch => [...(batch.getChildAt(i) ?? [])].map(plain)))
    expect(cells).toEqual(plainCells(table))
  }
})

test('Arrow files contain microseconds without a time zone, and texts in dictionaries', async () => {
  const table = tableFromIPC(await toArrow(await everyKind(), 'file'))
  expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'index Timestamp<MICROSECOND>',
    'date Date32<DAY>',
    'steps Int64',
    'calories_total Float64',
    'time_zone Dictionary<Int32, Utf8>',
    'wheelchair_use Bool',
  ])
})

test('two readers read all values back from Parquet unchanged', async () => {
  const row = fc.record({
    time: fc.option(fc.integer({ min: -(2 ** 41), max: 2 ** 42 })),
    whole: fc.option(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: 0, max: 3 }))),
    small: fc.option(fc.integer({ min: -128, max: 127 })),
    float: fc.option(fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1.5))),
    text: fc.option(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', 'b', ''))),
    bool: fc.option(fc.boolean()),
  })
  const kinds = { time: 'time', whole: 'int64', small: 'int8', float: 'float', text: 'text', bool: 'bool' } as const
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 300 }), async rows => {
      const columns = Object.entries(kinds).map(([name, kind]) => ({
        name,
        kind,
        cells: rows.map(each => each[name as keyof typeof kinds]),
      }))
      const table = await buildTable(columns, rows.length)
      const bytes = await toParquet(table)
      expect(plainCells(await fromParquet(bytes))).toEqual(columns.map(({ cells }) => cells))
      const read = await readBack(bytes)
      expect(read.map(each => each['whole'])).toEqual(rows.map(({ whole }) => (whole === null ? null : BigInt(whole))))
      expect(read.map(each => each['float'])).toEqual(rows.map(({ float }) => float))
    }),
    { seed, numRuns: 60 },
  )
})

test('DuckDB reads the same rows and types', async () => {
  const folder = temporaryFolder()
  writeFileSync(path.join(folder, 'a.parquet'), await toParquet(await everyKind()))
  writeFileSync(path.join(folder, 'many.parquet'), await toParquet(await manyRows(140_000)))
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const all = await connection.runAndReadAll(`SELECT * FROM '${path.join(folder, 'a.parquet')}'`)
    expect(all.columnTypes().map(String)).toEqual(['TIMESTAMP', 'DATE', 'BIGINT', 'DOUBLE', 'VARCHAR', 'BOOLEAN'])
    expect(all.getRowsJson()).toEqual([
      ['2024-12-11 00:00:00', '2024-12-11', '9007199254740991', 0.30000000000000004, 'Europe/Berlin', true],
      ['2024-12-12 00:00:00', '2024-12-12', null, null, null, null],
      ['2024-12-13 00:00:00', '2024-12-13', '-3', 1e-300, 'a "b",\r\nc', false],
    ])
    const leaps = [5, 2 ** 40, 7, -(2 ** 44), 0].map(n => n * 1000)
    const leaping = await buildTable([{ name: 'n', kind: 'int64', cells: leaps }], leaps.length)
    writeFileSync(path.join(folder, 'leaps.parquet'), await toParquet(leaping))
    const leapt = await connection.runAndReadAll(`SELECT n FROM '${path.join(folder, 'leaps.parquet')}'`)
    expect(leapt.getRowsJson().flat().map(Number)).toEqual(leaps)
    const many = `'${path.join(folder, 'many.parquet')}'`
    const sums = await connection.runAndReadAll(
      `SELECT count(*), max(steps), count(every_third), sum(every_third), count(nothing) FROM ${many} WHERE steps >= 13000`,
    )
    expect(sums.getRowsJson()).toEqual([['10000', 13999.9, '3333', '449955000', '0']])
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})

test('the archive contains the files in order with their bytes, and is the same every time', async () => {
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
