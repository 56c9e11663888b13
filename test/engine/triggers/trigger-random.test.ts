/** Any trigger request causes an event or is refused with a message: never a bug. `SVC_TEST_SEED=…` repeats a run. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allEventTypes } from '../../../src/catalogue/event-types.ts'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import { ServiceError } from '../../../src/core/errors.ts'
import { times } from '../../kit/effort.ts'
import { openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'

const MOST_MS = 12_000

const path = fc.oneof(
  fc.constantFrom(
    'data.value',
    'data.data[0].value',
    'data.source',
    'data.source.provider',
    'data.source.type',
    'data.source.app_id',
    'data.source.device_id',
    'data.unit',
    'data.end',
    'data.type',
    'data.tags',
    'data.timezone_offset',
    'data.heart_rate.max_bpm',
    'data.heart_rate',
    'data.stage_type[0]',
    'data.stage_type[7]',
    'data.calendar_date',
    'data.sport',
    'data.provider',
    'data.provider.slug',
    'data.error_type',
    'data.message',
    'data.patient_details',
    'data.patient_details.dob',
    'data.last_event.status',
    'data.query_slug',
    'data',
    'data.',
    'data.constructor.x',
  ),
  fc.string({ maxLength: 20 }),
  fc.string({ maxLength: 12 }).map(each => `data.${each}`),
)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('oura', 'watch', 'steps', 'kg', '2026-11-20T08:30:00Z', 1e300, -1, 0.5, ''),
)
const at = fc.option(
  fc.constantFrom('2026-11-20', '2026-11-01T08:30:00+05:30', '1970-01-01', '1969-01-01', '9999-12-31', '2026-12-31'),
)

describe(`random triggers (SVC_TEST_SEED=${seed})`, () => {
  it('cause an event or are refused, and every event matches its schema', async () => {
    const h = await openHarness()
    let user = 0
    let made = 0
    const property = fc.asyncProperty(
      fc.constantFrom(...allEventTypes()),
      fc.dictionary(path, value, { maxKeys: 2 }),
      at,
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (type, set, when, count, only_event) => {
        const { user_id } = await h.call('user.create', { body: { client_user_id: `user ${user++}` } })
        try {
          const body = { type, user_id, set, at: when, count, only_event }
          const { events } = await h.call('event.trigger', { body })
          expect(events.filter(each => each.event_type === type).length).toBeGreaterThan(0)
          for (const { event_id, event_type } of events.slice(0, 3)) {
            const { payload } = await h.call('event.get', { params: { event_id } })
            expect(eventBody(event_type)?.safeParse(payload).error).toBeUndefined()
          }
          made++
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          expect([400, 404, 409, 422]).toContain(error.status)
        }
      },
    )
    await fc.assert(property, { seed: seed, numRuns: times(100), interruptAfterTimeLimit: MOST_MS, endOnFailure: true })
    expect(made).toBeGreaterThan(3)
  })
})
