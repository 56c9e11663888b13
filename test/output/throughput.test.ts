/** Progress in words: amounts, rates and remaining time. */
import { expect, test } from 'vitest'
import { durationText, sizeText, Throughput } from '../../src/output/throughput.ts'

test('shows records, rates and the remaining time, once they can be estimated', () => {
  let ms = 0
  const throughput = new Throughput(() => ms)
  expect(throughput.format({ doneBytes: 0, totalBytes: 90_000_000, records: 0 })).toBe('')
  ms = 100
  expect(throughput.format({ doneBytes: 1_000_000, totalBytes: 90_000_000, records: 1 })).toBe('1 record')
  ms = 2_000
  expect(throughput.format({ doneBytes: 30_000_000, totalBytes: 90_000_000, records: 123_456 })).toBe(
    '123,456 records · 61,700 records/s · 15 MB/s · 4 s left',
  )
  ms = 6_000
  expect(throughput.format({ doneBytes: 90_000_000, totalBytes: 90_000_000, records: 370_368 })).toBe(
    '370,368 records · 61,700 records/s · 15 MB/s',
  )
})

test('shows the amount so far if the total is unknown', () => {
  let ms = 0
  const throughput = new Throughput(() => ms)
  throughput.format({ doneBytes: 0, totalBytes: 0, records: 0 })
  ms = 4_000
  expect(throughput.format({ doneBytes: 2_000_000, totalBytes: 0, records: 0 })).toBe('2 MB · 500 kB/s')
})

test.each([
  [0, '1 s'],
  [59.4, '59 s'],
  [200, '3 min 20 s'],
  [3_900, '1 h 5 min'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

test.each([
  [999, '999 B'],
  [45_400_000, '45 MB'],
  [2_000_000_000, '2.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
