/** The text renderings of a result: JSON columns and CSV. */
import { expect, test } from 'vitest'
import { csvRecord } from '../../src/table/csv.ts'
import { toColumns } from '../../src/table/json.ts'
import { everyKind, grouped, noRows } from './fixture.ts'

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

test('CSV quotes what needs it, tells null from an empty text, and its numbers read back the same', () => {
  expect(csvRecord(['plain', 'a "b",\r\nc', '', null, undefined, true])).toBe('plain,"a ""b"",\r\nc","",,,true\n')
  const numbers = [0.1 + 0.2, 1e-300, 9007199254740991, -0, -3]
  expect(csvRecord(numbers).trim().split(',').map(Number)).toEqual(numbers)
})
