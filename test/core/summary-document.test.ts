/** Which fields of a summary's document count as absent. */
import { expect, test } from 'vitest'
import { withoutNulls } from '../../src/core/summary-document.ts'

test('fields without a value are left out, also inside objects', () => {
  const heart = { avg_bpm: 60, min_bpm: null }
  expect(withoutNulls({ steps: 0, distance: null, score: undefined, heart_rate: heart })).toEqual({
    steps: 0,
    heart_rate: { avg_bpm: 60 },
  })
})

test('lists keep their nulls, and so do a provider’s nutrients', () => {
  const document = { hr_zones: [1, null], micros: { vitamins: { c: null } }, data: { apple: { micros: null } } }
  expect(withoutNulls(document)).toEqual(document)
})
