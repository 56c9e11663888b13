/** The cases of the contract test, in the order they are run. */
import type { TestCase } from './case.ts'
import { asLargestBody, asUpdate, ofUnknownType, withUnknownFields } from './sample-event.ts'

/** Twice what Standard Webhooks lets a timestamp be off. */
const FAR_SECONDS = 10 * 60
const OVERSIZE_BYTES = 16 * 1024 * 1024

const CHECK_SECRET =
  'Give the handler the secret that signs here (`svc listen --print-secret`), and check the signature over the raw body, before it is parsed.'
const VERIFY =
  'Check webhook-signature over `id.timestamp.body` in constant time, and answer 400 or 401 where none matches.'
const TOLERANCE = 'Refuse a webhook-timestamp that is more than 5 minutes off, even if the signature matches.'
const IDEMPOTENT = 'An event may come more than once: remember webhook-id, and answer 2xx to one that you have.'

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
    advice: 'webhook-signature is a list with spaces between: one that matches is enough, at any place.',
  },
  {
    name: 'bad-signature',
    sends: 'an event that is signed with another secret',
    posts: make => [{ post: make.delivery({ keys: [make.otherKey] }), expects: 'refuse' }],
    advice: VERIFY,
  },
  {
    name: 'changed-body',
    sends: 'an event whose body was changed after it was signed',
    posts: make => {
      const signedBody = JSON.stringify(make.event)
      const body = JSON.stringify({ ...make.event, client_user_id: `${make.event.client_user_id}-changed` })
      return [{ post: make.delivery({ body, signedBody }), expects: 'refuse' }]
    },
    advice: VERIFY,
  },
  {
    name: 'no-signature',
    sends: 'an event without the headers of a signature',
    posts: make => {
      const { headers, body } = make.delivery()
      const left = Object.entries(headers).filter(([name]) => !/-(id|timestamp|signature)$/.test(name))
      return [{ post: { headers: Object.fromEntries(left), body }, expects: 'refuse' }]
    },
    advice: VERIFY,
  },
  {
    name: 'old-timestamp',
    sends: 'a signed event of ten minutes ago',
    posts: make => [{ post: make.delivery({ ageSeconds: FAR_SECONDS }), expects: 'refuse' }],
    advice: TOLERANCE,
  },
  {
    name: 'future-timestamp',
    sends: 'a signed event of ten minutes from now',
    posts: make => [{ post: make.delivery({ ageSeconds: -FAR_SECONDS }), expects: 'refuse' }],
    advice: TOLERANCE,
  },
  {
    name: 'replayed-id',
    sends: 'a genuine event, and the very same request once more',
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
    sends: 'an event twice, signed anew the second time, as a retry is',
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
    sends: 'the later one of two events first',
    posts: make => {
      const [earlier, later] = [make.nextSequence(), make.nextSequence()]
      const update = JSON.stringify(asUpdate(make.event))
      return [
        { post: make.delivery({ sequence: later, body: update }), expects: 'accept' },
        { post: make.delivery({ sequence: earlier }), expects: 'accept' },
      ]
    },
    advice: 'Events may come in any order: take both, and go by webhook-sequence or by the data where order matters.',
  },
  {
    name: 'unknown-type',
    sends: 'a genuine event of a type that does not exist yet',
    posts: make => [{ post: make.delivery({ body: JSON.stringify(ofUnknownType(make.event)) }), expects: 'accept' }],
    advice: 'Answer 2xx to types you do not handle: a refusal is tried again, and the endpoint disabled in the end.',
  },
  {
    name: 'unknown-field',
    sends: 'a genuine event with fields that do not exist yet',
    posts: make => [
      { post: make.delivery({ body: JSON.stringify(withUnknownFields(make.event)) }), expects: 'accept' },
    ],
    advice: 'Leave fields alone that you do not know: the service may add some at any time.',
  },
  {
    name: 'not-json',
    sends: 'a signed body that is not JSON',
    posts: make => [{ post: make.delivery({ body: '{"event_type": "daily.data' }), expects: 'either' }],
    advice: 'A body that cannot be parsed is no reason to fail: answer 400.',
  },
  {
    name: 'slow-body',
    sends: 'a genuine event whose body comes in five pieces',
    posts: make => [{ post: make.slowDelivery(), expects: 'accept' }],
    advice: 'Wait for the whole body, some seconds at least, before it is checked.',
  },
  {
    name: 'largest',
    sends: 'a genuine event of 1 MiB, the longest there is',
    posts: make => [{ post: make.delivery({ body: asLargestBody(make.event) }), expects: 'accept' }],
    advice: 'Raise the limit of the handler’s body parser to more than 1 MiB: many begin with 100 kB.',
  },
  {
    name: 'oversize',
    sends: '16 MiB that nobody signed',
    posts: make => [
      { post: make.delivery({ body: ' '.repeat(OVERSIZE_BYTES), keys: [make.otherKey] }), expects: 'turn_away' },
    ],
    advice: 'Read no more than a few MiB: answer 413, or close the connection.',
  },
  {
    name: 'still-there',
    sends: 'a genuine event, after all of that',
    posts: make => [{ post: make.delivery(), expects: 'accept' }],
    advice: 'The handler did not survive what came before.',
  },
]
