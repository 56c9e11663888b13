/** An event and its attempts, as shown by `svc event get`. */
import { expect, it } from 'vitest'
import { eventView } from '../../../src/cli/views/event-view.ts'

const at = '2026-11-20T08:30:00.000+00:00'
const attempt = (number: number, status: number | null, error: string | null) => ({ number, at, status, error, ms: 12 })

it('shows the response to each attempt once', () => {
  const { rows } = eventView({
    event_id: '0d3f6a52-9c1e-4b7a-8f50-2f9c6f1f0a11',
    event_type: 'daily.data.steps.created',
    at,
    sequence: 1,
    user_id: '5f6c1c1e-6a52-4f0a-9a3b-0d6f2f1f8a11',
    client_user_id: 'ada',
    samples: 1,
    payload: {},
    deliveries: [
      {
        endpoint_id: '5f6c9999-6a52-4f0a-9a3b-0d6f2f1f8a11',
        url: 'https://example.com/hooks',
        state: 'delivered',
        attempts: [
          attempt(1, 302, 'responded with 302: redirects are not followed'),
          attempt(2, 500, 'responded with 500'),
          attempt(3, null, 'the host name does not resolve'),
          attempt(4, 204, null),
        ],
        next_attempt_at: null,
      },
    ],
  } as Parameters<typeof eventView>[0])
  expect(rows[0]).toMatchObject({
    'delivery, attempt 1': `${at}  HTTP 302: redirects are not followed  12 ms`,
    'delivery, attempt 2': `${at}  HTTP 500  12 ms`,
    'delivery, attempt 3': `${at}  the host name does not resolve  12 ms`,
    'delivery, attempt 4': `${at}  HTTP 204  12 ms`,
  })
})
