/** Which events `svc listen` shows, and since when. */
import { expect, test } from 'vitest'
import { eventFilter } from '../../../src/cli/listen/event-filter.ts'

test('patterns can be repeated or separated by commas; without any, all events match', () => {
  const given = ['daily.data.steps.*, provider.*', 'labtest.order.created']
  expect(eventFilter(given)).toBe('daily.data.steps.*,provider.*,labtest.order.created')
  expect(eventFilter(undefined)).toBeUndefined()
})

test('refuses a pattern that matches no event type and suggests the nearest ones', () => {
  expect(() => eventFilter(['daily.data.stepz.created'])).toThrow(/matches no event type.*daily\.data\.steps\.created/)
  expect(() => eventFilter(['daily.data.*', ''])).toThrow(/matches no event type/)
})
