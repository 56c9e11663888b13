/** A case of the consumer test: the posts to send to a handler, and the expected response. */
import type { PostOutcome, WebhookPost } from '../webhooks/webhook-post.ts'
import type { DeliveryMaker } from './delivery-maker.ts'

/**
 * `accept`: the post is genuine. `refuse`: it is forged and must not be accepted. `either`: the handler may accept or refuse it, but must
 * not fail. `turn_away`: the handler does not have to read it.
 */
export type Expectation = 'accept' | 'refuse' | 'either' | 'turn_away'

/** Text for each expectation in the table. */
export const EXPECTED: Readonly<Record<Expectation, string>> = {
  accept: '2xx',
  refuse: '4xx',
  either: '2xx or 4xx',
  turn_away: '4xx or closed',
}

export interface TestPost {
  readonly post: WebhookPost
  readonly expects: Expectation
}

export interface TestCase {
  readonly name: string
  /** Description of the posts. */
  readonly sends: string
  /** The posts, sent one after the other. */
  readonly posts: (make: DeliveryMaker) => readonly TestPost[]
  /** Advice if the handler does not meet the expectation. */
  readonly advice: string
}

/** Returns the problem with a response, or null. */
export function findShortfall(expects: Expectation, { status, error, failure }: PostOutcome): string | null {
  if (status === null) return expects === 'turn_away' && failure === 'closed' ? null : error
  if (status >= 500) return `it failed (${status}) but should have responded with ${EXPECTED[expects]}`
  if (status >= 300 && status <= 399) return `it redirected (${status}), but redirects are not followed`
  const isTaken = status >= 200 && status <= 299
  if (isTaken && (expects === 'refuse' || expects === 'turn_away'))
    return `it accepted (${status}) a post that it should have refused`
  if (!isTaken && expects === 'accept') return `it refused (${status}) a post that it should have accepted`
  return null
}
