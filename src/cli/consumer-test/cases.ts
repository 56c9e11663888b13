/** The cases of the consumer test, in execution order. */
import type { TestCase } from './case.ts'
import { asLargestBody, asUpdate, ofUnknownType, withUnknownFields } from './sample-event.ts'

/** Twice the timestamp tolerance of Standard Webhooks. */
const FAR_SECONDS = 10 * 60
const OVERSIZE_BYTES = 16 * 1024 * 1024

const CHECK_SECRET =
  'Give the handler the secret that these events are signed with (`svc listen --print-secret`), and verify the ' +
  'signature over the raw body before you parse it.'
const VERIFY =
  'Verify webhook-signature over `id.timestamp.body` in constant time, and respond with 400 or 401 if no signature ' +
  'matches.'
const TOLERANCE = 'Refuse a webhook-timestamp that is more than 5 minutes off, even if the signature matches.'
const IDEMPOTENT =
  'An event may arrive more than once. Remember each webhook-id, and respond with 2xx to an event that you already have.'

export const TEST_CASES: readonly TestCase[] = [
  {
    name: 'valid',
    sends: 'a genuine event',
    posts: make => [{ post: make.delivery(), expects: 'accept' }],
    advice: CHECK_SECRET,
  },
  {
    name: 'two-signatures',
    sends: 'a genuine event, signed with two secrets as during a rotation',
    posts: make => [{ post: make.delivery({ keys: [make.otherKey, make.key] }), expects: 'accept' }],
    advice: 'webhook-signature is a list separated by spaces. Accept the event if any signature in it matches.',
  },
  {
    name: 'bad-signature',
    sends: 'an event signed with another secret',
    posts: make => [{ post: make.delivery({ keys: [make.otherKey] }), expects: 'refuse' }],
    advice: VERIFY,
  },
  {
    name: 'changed-body',
    sends: 'an event whose body was changed after signing',
    posts: make => {
      const signedBody = JSON.stringify(make.event)
      const body = JSON.stringify({ ...make.event, client_user_id: `${make.event.client_user_id}-changed` })
      return [{ post: make.delivery({ body, signedBody }), expects: 'refuse' }]
    },
    advice: VERIFY,
  },
  {
    name: 'no-signature',
    sends: 'an event without signature headers',
    posts: make => {
      const { headers, body } = make.delivery()
      const left = Object.entries(headers).filter(([name]) => !/-(id|timestamp|signature)$/.test(name))
      return [{ post: { headers: Object.fromEntries(left), body }, expects: 'refuse' }]
    },
    advice: VERIFY,
  },
  {
    name: 'old-timestamp',
    sends: 'a signed event from ten minutes ago',
    posts: make => [{ post: make.delivery({ ageSeconds: FAR_SECONDS }), expects: 'refuse' }],
    advice: TOLERANCE,
  },
  {
    name: 'future-timestamp',
    sends: 'a signed event from ten minutes in the future',
    posts: make => [{ post: make.delivery({ ageSeconds: -FAR_SECONDS }), expects: 'refuse' }],
    advice: TOLERANCE,
  },
  {
    name: 'replayed-id',
    sends: 'a genuine event, then exactly the same request again',
    posts: make => {
      const post = make.delivery()
      return [
        { post, expects: 'accept' },
        { post, expects: 'either' },
      ]
    },
    advice: IDEMPOTENT,
  },
  {
    name: 'duplicate',
    sends: 'an event twice, signed again the second time like a retry',
    posts: make => {
      const [id, sequence] = [make.newId(), make.nextSequence()]
      return [
        { post: make.delivery({ id, sequence, ageSeconds: 5 }), expects: 'accept' },
        { post: make.delivery({ id, sequence }), expects: 'accept' },
      ]
    },
    advice: IDEMPOTENT,
  },
  {
    name: 'wrong-order',
    sends: 'two events, the later one first',
    posts: make => {
      const [earlier, later] = [make.nextSequence(), make.nextSequence()]
      const update = JSON.stringify(asUpdate(make.event))
      return [
        { post: make.delivery({ sequence: later, body: update }), expects: 'accept' },
        { post: make.delivery({ sequence: earlier }), expects: 'accept' },
      ]
    },
    advice:
      'Events may arrive in any order. Accept both, and use webhook-sequence or the data where the order matters.',
  },
  {
    name: 'unknown-type',
    sends: 'a genuine event of a type that does not exist yet',
    posts: make => [{ post: make.delivery({ body: JSON.stringify(ofUnknownType(make.event)) }), expects: 'accept' }],
    advice:
      'Respond with 2xx to types that you do not handle. Refused events are retried, and the endpoint is finally ' +
      'disabled.',
  },
  {
    name: 'unknown-field',
    sends: 'a genuine event with fields that do not exist yet',
    posts: make => [
      { post: make.delivery({ body: JSON.stringify(withUnknownFields(make.event)) }), expects: 'accept' },
    ],
    advice: 'Ignore fields that you do not know: the service may add some at any time.',
  },
  {
    name: 'not-json',
    sends: 'a signed body that is not JSON',
    posts: make => [{ post: make.delivery({ body: '{"event_type": "daily.data' }), expects: 'either' }],
    advice: 'Do not fail when the body cannot be parsed: respond with 400.',
  },
  {
    name: 'slow-body',
    sends: 'a genuine event whose body arrives in five pieces',
    posts: make => [{ post: make.slowDelivery(), expects: 'accept' }],
    advice: 'Wait for the whole body, for several seconds at least, before you verify it.',
  },
  {
    name: 'largest',
    sends: 'a genuine event of 1 MiB, the maximum size',
    posts: make => [{ post: make.delivery({ body: asLargestBody(make.event) }), expects: 'accept' }],
    advice: "Raise the limit of the handler's body parser above 1 MiB. The default is often 100 kB.",
  },
  {
    name: 'oversize',
    sends: '16 MiB with a wrong signature',
    posts: make => [
      { post: make.delivery({ body: ' '.repeat(OVERSIZE_BYTES), keys: [make.otherKey] }), expects: 'turn_away' },
    ],
    advice: 'Do not read more than a few MiB: respond with 413, or close the connection.',
  },
  {
    name: 'still-there',
    sends: 'a genuine event, after all other cases',
    posts: make => [{ post: make.delivery(), expects: 'accept' }],
    advice: 'The handler did not survive the earlier cases.',
  },
]
