/** Suggestions for mistyped names. */
import { expect, test } from 'vitest'
import { nearest } from '../../src/core/errors.ts'

const NAMES = ['heart_rate_alert', 'heart_rate_recovery_one_minute', 'heartrate', 'hrv', 'steps', 'body_weight']

test.each([
  ['heart_rate', 'heartrate'],
  ['Heart-Rate', 'heartrate'],
  ['heart rate', 'heartrate'],
  ['bodyweight', 'body_weight'],
  ['STEPS', 'steps'],
  ['heart_rate_alrt', 'heart_rate_alert'],
])('a name that differs only in case and separators is suggested first: %s', (given, first) => {
  expect(nearest(given, NAMES)[0]).toBe(first)
})

test('a name that resembles no other gets no suggestion', () => {
  expect(nearest('glucose', NAMES)).toEqual([])
})
