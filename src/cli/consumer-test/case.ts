/** A case of the contract test: what is sent to a handler, and what it should answer. */
import type { PostOutcome, WebhookPost } from '../webhooks/webhook-post.ts'
import type { DeliveryMaker } from './delivery-maker.ts'

/**
 * `accept`: it is genuine. `refuse`: it is not, and nothing of it may be taken. `either`: it may be taken or not, but the handler
 * must not fail over it. `turn_away`: it need not even be read.
 */
export type Expectation = 'accept' | 'refuse' | 'either' | 'turn_away'

/** What an expectation is called in a table. */
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
  /** What is sent. */
  readonly sends: string
  /** One after the other. */
  readonly posts: (make: DeliveryMaker) => readonly TestPost[]
  /** What to do where it falls short. */
  readonly advice: string
}

/** What is wrong with an answer, or null. */
export function shortfall(expects: Expectation, { status, error, failure }: PostOutcome): string | null {
  if (status === null) return expects === 'turn_away' && failure === 'closed' ? null : error
  if (status >= 500) return `it failed (${status}) where it should have answered ${EXPECTED[expects]}`
  if (status >= 300 && status <= 399) return `it redirects (${status}), and redirects are not followed`
  const isTaken = status >= 200 && status <= 299
  if (isTaken && (expects === 'refuse' || expects === 'turn_away'))
    return `it took (${status}) what it should have refused`
  if (!isTaken && expects === 'accept') return `it refused (${status}) what it should have taken`
  return null
}
