/** The text renderings of a result: JSON columns, CSV, NDJSON and what a terminal shows. */
import { expect, test } from 'vitest'
import { toCsv } from '../../src/table/csv.ts'
import { toColumns } from '../../src/table/json.ts'
import { toNdjson } from '../../src/table/ndjson.ts'
import { columnNames, rowsAsText } from '../../src/table/shape.ts'
import { everyKind, grouped, manyRows, noRows } from './fixture.ts'

const NAMES = ['index', 'date', 'steps', 'calories_total', 'time_zone', 'wheelchair_use']

test('JSON is column by column: floating times, dates, numbers, booleans, nulls', async () => {
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

test('CSV ends lines with CRLF, quotes what needs it, leaves nulls empty, and its numbers read back the same', async () => {
  expect([...toCsv(await everyKind())].join('')).toBe(
    [
      NAMES.join(','),
      '2024-12-11T00:00:00,2024-12-11,9007199254740991,0.30000000000000004,Europe/Berlin,true',
      '2024-12-12T00:00:00,2024-12-12,,,,',
      '2024-12-13T00:00:00,2024-12-13,-3,1e-300,"a ""b"",\r\nc",false',
      '',
    ].join('\r\n'),
  )
  expect([...toCsv(await noRows())].join('')).toBe(`${NAMES.join(',')}\r\n`)
})

test('CSV comes in chunks that together are every row once', async () => {
  const chunks = [...toCsv(await manyRows(4500))]
  expect(chunks.length).toBeGreaterThan(2)
  const lines = chunks.join('').split('\r\n')
  expect(lines.slice(1, -1).map(Number)).toEqual(Array.from({ length: 4500 }, (_, i) => i / 10))
})

test('NDJSON is an object a row', async () => {
  const lines = [...toNdjson(await grouped())]
  expect(lines[0]).toBe('{"group_key.0":"2024-12-12T00:00:00","group_key.1":4,"mean.efficiency":90,"count.index":1}\n')
  expect(lines).toHaveLength(2)
  expect([...toNdjson(await everyKind())].map(line => JSON.parse(line).wheelchair_use)).toEqual([true, null, false])
})

test('a terminal gets names and the first rows as text', async () => {
  const result = await everyKind()
  expect(columnNames(result)).toEqual(NAMES)
  expect(rowsAsText(result, 2)).toEqual([
    ['2024-12-11T00:00:00', '2024-12-11', '9007199254740991', '0.30000000000000004', 'Europe/Berlin', 'true'],
    ['2024-12-12T00:00:00', '2024-12-12', '', '', '', ''],
  ])
  expect(rowsAsText(await noRows(), 10)).toEqual([])
})
