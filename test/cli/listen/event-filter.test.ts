/** Which events `svc listen` shows, and since when. */
import { expect, test } from 'vitest'
import { sinceTime } from '../../../src/cli/arguments/since-time.ts'
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

test('a duration counts back from the engine’s clock; anything else is passed to the service', async () => {
  const clock = async () => ({ now: '2027-01-08T00:00:00+00:00' })
  expect(await sinceTime('7d', clock)).toBe('2027-01-01T00:00:00+00:00')
  expect(await sinceTime('2026-11-20', clock)).toBe('2026-11-20')
  await expect(sinceTime('-7d', clock)).rejects.toThrow(/--since/)
})
