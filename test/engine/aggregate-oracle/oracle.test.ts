/** The oracle itself: it shares no code with the engine that it judges, and its arithmetic is exact. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bucketStart, datePart, plus, printDate, printTime, readDate, readTime } from './calendar.ts'
import { exactDeviation, exactMean, exactSum } from './exact.ts'

/** The modules that pass data and queries to the engine; all others belong to the oracle and its generators. */
const BRIDGES = ['source.ts', 'agreement.ts']

test('imports nothing from src', () => {
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts') && !BRIDGES.includes(name))
  expect(files.length).toBeGreaterThan(15)
  const borrowing = files.filter(name => readFileSync(`${import.meta.dirname}/${name}`, 'utf8').includes('/src/'))
  expect(borrowing).toEqual([])
})

test('adds, divides and takes roots with a single rounding', () => {
  expect(exactSum([0.1, 0.2, -0.3])).toBe(2.7755575615628914e-17)
  expect(exactSum([1e300, 1, -1e300])).toBe(1)
  expect(exactSum([5e-324, 5e-324])).toBe(1e-323)
  expect(exactMean([0.1, 0.1, 0.1])).toBe(0.1)
  expect(exactDeviation([1, 2, 3, 4])).toBe(Math.sqrt(5 / 3))
  expect(exactDeviation([0.1, 0.1, 0.1])).toBe(0)
  expect(exactDeviation([1e9, 1e9 + 1])).toBe(Math.SQRT1_2)
})

test('has the same calendar as Date', () => {
  const wrong: string[] = []
  for (let day = Date.UTC(1890, 0, 1); day < Date.UTC(2210, 0, 1); day += 86_400_000 * 3) {
    const text = new Date(day).toISOString().slice(0, 10)
    if (printDate(day) !== text || readDate(text) !== day) wrong.push(text)
  }
  expect(wrong).toEqual([])
  expect(printTime(-1)).toBe('1969-12-31T23:59:59.999')
  expect(readTime('2024-02-29T12:00:00-03:30')).toEqual({ wall: Date.UTC(2024, 1, 29, 12), offsetSec: -12_600 })
  expect(plus(Date.UTC(2024, 2, 31), { unit: 'month', value: 1 }, -1)).toBe(Date.UTC(2024, 1, 29))
  expect(bucketStart(Date.UTC(1999, 11, 31), { unit: 'month', value: 5 })).toBe(Date.UTC(1999, 7, 1))
  expect(datePart(Date.UTC(2021, 0, 3), 'week')).toBe(53)
})
