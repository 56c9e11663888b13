/**
 * Forwards events to the target like `svc serve`: first attempts of one user run in order, users run in parallel. A failed attempt is
 * retried later and holds up nothing else.
 */
import { setMaxListeners } from 'node:events'
import type { PostOutcome, WebhookPoster } from '../webhooks/webhook-post.ts'
import { type Chance, retryWaitMs } from './backoff.ts'
import { pause } from './feed.ts'
import { type Attempt, type HeardEvent, isAccepted, type MadeAttempt } from './heard-event.ts'
import { Held } from './held.ts'
import { OutageGate } from './outage.ts'
import { Slots } from './slots.ts'

/** Default concurrency of an endpoint. */
const AT_ONCE = 10

interface ForwardingOptions {
  readonly poster: Pick<WebhookPoster, 'post'>
  /** Returns the headers of one attempt; each attempt is signed anew. */
  readonly headers: (event: HeardEvent['event'], body: string) => Readonly<Record<string, string>>
  readonly chance: Chance
  /** Ends all waits at once. */
  readonly signal: AbortSignal
  /** Called after each attempt. */
  readonly onAttempt: (made: MadeAttempt, body: string) => void
  /** Called when the target cannot be reached, and when it is reachable. */
  readonly onDown: (reason: string) => void
  readonly onUp: (tookMs: number) => void
}

/** An event that is being forwarded, with its body. */
interface Job {
  readonly heard: HeardEvent
  readonly body: string
  failures: number
}

type SentOutcome = PostOutcome & Pick<Attempt, 'headers'>

export class Forwarding {
  /** Number of events by final state, and number of attempts. */
  readonly counts = { delivered: 0, given_up: 0, attempts: 0 }
  private readonly options: ForwardingOptions
  /** Ends waits; running attempts may finish. */
  private readonly stopping = new AbortController()
  private readonly cutting = new AbortController()
  private readonly running = new Set<Promise<unknown>>()
  private readonly queues = new Map<string, Promise<void>>()
  private readonly slots = new Slots(AT_ONCE)
  private readonly held = new Held(this.stopping.signal)
  private readonly gate: OutageGate<SentOutcome>

  constructor(options: ForwardingOptions) {
    this.options = options
    // Every wait and every post listens to these signals.
    setMaxListeners(0, this.stopping.signal, this.cutting.signal)
    options.signal.addEventListener('abort', () => this.stopping.abort(), { once: true })
    this.gate = new OutageGate({
      signal: this.stopping.signal,
      chance: options.chance,
      isUnreachable: outcome => outcome.failure === 'unreachable',
      onDown: outcome => options.onDown(outcome.error ?? 'no connection could be made'),
      onUp: options.onUp,
    })
  }

  /** Accepts an event, and resolves when there is room for the next one. */
  async offer(heard: HeardEvent, body: string): Promise<void> {
    const job: Job = { heard, body, failures: 0 }
    this.held.add(body.length)
    const user = heard.event.user_id
    const mine = (this.queues.get(user) ?? Promise.resolve()).then(() => this.first(job))
    this.queues.set(user, mine)
    this.track(
      mine.then(() => {
        if (this.queues.get(user) === mine) this.queues.delete(user)
      }),
    )
    await this.held.room()
  }

  /** Makes one more attempt, whatever the state of the event. Does not wait for an unreachable target. */
  async resend(heard: HeardEvent, body: string): Promise<void> {
    const sent = this.post(heard, body).then(outcome => this.report(heard, body, outcome, null))
    this.track(sent)
    await sent.catch(() => {})
  }

  /** Accepts no more events. Running attempts get `graceMs` to finish; after that nothing is sent. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort()
    const timer = setTimeout(() => this.cutting.abort(), graceMs)
    await Promise.allSettled(this.running)
    clearTimeout(timer)
    this.cutting.abort()
  }

  private track(work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work
      .catch(error => {
        // Errors after a requested stop are expected.
        if (!this.stopping.signal.aborted) throw error
      })
      .finally(() => this.running.delete(tracked))
    this.running.add(tracked)
  }

  private async first(job: Job): Promise<void> {
    const againMs = await this.attempt(job)
    if (againMs === null) this.held.release(job.body.length)
    else this.track(this.retry(job, againMs))
  }

  private async retry(job: Job, firstMs: number): Promise<void> {
    for (let waitMs: number | null = firstMs; waitMs !== null; ) {
      await pause(waitMs, this.stopping.signal)
      waitMs = await this.attempt(job)
    }
    this.held.release(job.body.length)
  }

  /** Returns the wait before the next attempt; null when the event is settled. */
  private async attempt(job: Job): Promise<number | null> {
    const { heard, body } = job
    // The user may have resent it by hand in the meantime.
    if (heard.state !== 'waiting') return null
    const outcome = await this.gate.through(() => this.slots.run(() => this.post(heard, body)))
    if (isAccepted(outcome)) return this.report(heard, body, outcome, null)
    job.failures += 1
    const againMs = retryWaitMs(job.failures, outcome, this.options.chance)
    if (againMs === null) this.settle(heard, 'given_up')
    return this.report(heard, body, outcome, againMs)
  }

  private async post(heard: HeardEvent, body: string): Promise<SentOutcome> {
    const headers = this.options.headers(heard.event, body)
    const outcome = await this.options.poster.post({ headers, body, signal: this.cutting.signal })
    return { ...outcome, headers }
  }

  private report<T extends number | null>(heard: HeardEvent, body: string, outcome: SentOutcome, againMs: T): T {
    const attempt: Attempt = { ...outcome, number: heard.attempts.length + 1, at: Date.now() }
    heard.attempts.push(attempt)
    if (isAccepted(outcome)) this.settle(heard, 'delivered')
    this.counts.attempts += 1
    this.options.onAttempt({ heard, attempt, againMs }, body)
    return againMs
  }

  /** Records the final state; an event that was given up can still be delivered by hand. */
  private settle(heard: HeardEvent, state: 'delivered' | 'given_up'): void {
    if (heard.state === state) return
    if (heard.state === 'given_up') this.counts.given_up -= 1
    this.counts[state] += 1
    heard.state = state
  }
}
