/** The text formats of a result: JSON columns, ndjson and CSV. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildTable } from '../../src/table/build-table.ts'
import { csvPieces, csvRecord } from '../../src/table/csv.ts'
import { jsonPieces, toColumns } from '../../src/table/json.ts'
import { ndjsonPieces } from '../../src/table/ndjson.ts'
import { seed } from '../kit/seed.ts'
import { everyKind, formulas, grouped, manyRows, noRows } from './fixture.ts'

const NAMES = ['index', 'date', 'steps', 'calories_total', 'time_zone', 'wheelchair_use']
const text = (pieces: Iterable<Uint8Array>): string => Buffer.concat([...pieces]).toString()

test('JSON is written column by column: floating times, dates, numbers, booleans, nulls', async () => {
  expect(toColumns(await everyKind())).toEqual({
    index: ['2024-12-11T00:00:00', '2024-12-12T00:00:00', '2024-12-13T00:00:00'],
    date: ['2024-12-11', '2024-12-12', '2024-12-13'],
    steps: [9007199254740991, null, -3],
    calories_total: [0.30000000000000004, null, 1e-300],
    time_zone: ['Europe/Berlin', null, 'a "b",\r\nc'],
    wheelchair_use: [true, null, false],
  })
  expect(toColumns(await grouped())).toEqual({
    'group_key.0': ['2024-12-12T00:00:00', '2024-12-13T00:00:00'],
    'group_key.1': [4, 5],
    'mean.efficiency': [90, 91],
    'count.index': [1, 2],
  })
  expect(toColumns(await noRows())).toEqual(Object.fromEntries(NAMES.map(name => [name, []])))
})

test('the pieces of a JSON result add up to the bytes of the whole', async () => {
  for (const tables of [[await everyKind()], [await noRows(), await grouped()], [await manyRows(20_000)], []]) {
    const whole = { results: tables.map(table => ({ table: toColumns(table) })) }
    expect(text(jsonPieces(tables))).toBe(JSON.stringify(whole))
  }
})

test('ndjson has an object for each row, with the query’s number if there are several', async () => {
  expect(text(ndjsonPieces(await grouped()))).toBe(
    '{"group_key.0":"2024-12-12T00:00:00","group_key.1":4,"mean.efficiency":90,"count.index":1}\n' +
      '{"group_key.0":"2024-12-13T00:00:00","group_key.1":5,"mean.efficiency":91,"count.index":2}\n',
  )
  const lines = text(ndjsonPieces(await everyKind(), 3))
    .trimEnd()
    .split('\n')
  expect(lines.map(line => JSON.parse(line).query)).toEqual([3, 3, 3])
  expect(JSON.parse(lines[1] as string)).toMatchObject({ steps: null, time_zone: null, wheelchair_use: null })
  expect(text(ndjsonPieces(await noRows()))).toBe('')
})

test('CSV has a header, empty fields for nulls, and quotes as RFC 4180 requires', async () => {
  expect(text(csvPieces(await everyKind()))).toBe(
    'index,date,steps,calories_total,time_zone,wheelchair_use\n' +
      '2024-12-11T00:00:00,2024-12-11,9007199254740991,0.30000000000000004,Europe/Berlin,true\n' +
      '2024-12-12T00:00:00,2024-12-12,,,,\n' +
      '2024-12-13T00:00:00,2024-12-13,-3,1e-300,"a ""b"",\r\nc",false\n',
  )
  expect(text(csvPieces(await noRows()))).toBe(`${NAMES.join(',')}\n`)
})

test('safe CSV puts an apostrophe before any text that starts a formula, and does not change numbers', async () => {
  const table = await formulas()
  const rows = (isSafe: boolean) => text(csvPieces(table, { isSafe })).split('\n').slice(1)
  expect(rows(false)).toEqual([
    '=1+1,-0.5',
    '+1,-1.5',
    '-1,-2.5',
    '@SUM(A1),-3.5',
    '\tx,-4.5',
    '"\rx",-5.5',
    'a=1,-6.5',
    '"",-7.5',
    '',
  ])
  expect(rows(true)).toEqual([
    "'=1+1,-0.5",
    "'+1,-1.5",
    "'-1,-2.5",
    "'@SUM(A1),-3.5",
    "'\tx,-4.5",
    '"\'\rx",-5.5',
    'a=1,-6.5',
    '"",-7.5',
    '',
  ])
  expect(csvRecord(['=cmd', -1, '-1'], { isSafe: true })).toBe("'=cmd,-1,'-1\n")
})

test('CSV records quote where necessary, distinguish null from an empty text, and keep numbers unchanged', () => {
  expect(csvRecord(['plain', 'a "b",\r\nc', '', null, undefined, true])).toBe('plain,"a ""b"",\r\nc","",,,true\n')
  const numbers = [0.1 + 0.2, 1e-300, 9007199254740991, -0, -3]
  expect(csvRecord(numbers).trim().split(',').map(Number)).toEqual(numbers)
})

test('every double is written with the digits of String and read back unchanged', async () => {
  const decimal = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 6 })).map(([n, places]) => n / 10 ** places)
  const number = fc.oneof(
    fc.double({ noNaN: true }),
    decimal,
    fc.constantFrom(0, -0, 0.1, -0.5, 2 ** 31, -(2 ** 31), 1e21),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 200 }), async cells => {
      const table = await buildTable([{ name: 'x', kind: 'float', cells }], cells.length)
      const lines = text(csvPieces(table)).trimEnd().split('\n').slice(1)
      expect(lines).toEqual(cells.map(cell => (Object.is(cell, -0) ? '-0' : String(cell))))
      expect(lines.map(Number)).toEqual(cells)
      expect(text(jsonPieces([table]))).toBe(`{"results":[{"table":${JSON.stringify({ x: cells })}}]}`)
    }),
    { seed, numRuns: 100 },
  )
})
