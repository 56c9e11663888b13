/**
 * Brings events to the target, as `svc serve` does: the first attempts of a user go one after the other, users side by side; one
 * that failed is tried again later and holds nothing back.
 */
import { setMaxListeners } from 'node:events'
import type { PostOutcome, WebhookPoster } from '../webhooks/webhook-post.ts'
import { type Chance, retryWaitMs } from './backoff.ts'
import { pause } from './feed.ts'
import { type Attempt, type HeardEvent, isAccepted, type MadeAttempt } from './heard-event.ts'
import { Held } from './held.ts'
import { OutageGate } from './outage.ts'
import { Slots } from './slots.ts'

/** As many as an endpoint gets at once unless it says otherwise. */
const AT_ONCE = 10

interface ForwardingOptions {
  readonly poster: Pick<WebhookPoster, 'post'>
  /** Of one attempt: each is signed anew. */
  readonly headers: (event: HeardEvent['event'], body: string) => Readonly<Record<string, string>>
  readonly chance: Chance
  /** Ends all waits at once. */
  readonly signal: AbortSignal
  /** After each attempt. */
  readonly onAttempt: (made: MadeAttempt, body: string) => void
  /** Nothing listens at the target, and when it is there again. */
  readonly onDown: (reason: string) => void
  readonly onUp: (tookMs: number) => void
}

/** An event on its way, with its body. */
interface Job {
  readonly heard: HeardEvent
  readonly body: string
  failures: number
}

type SentOutcome = PostOutcome & Pick<Attempt, 'headers'>

export class Forwarding {
  /** Events by what became of them, and attempts made. */
  readonly counts = { delivered: 0, given_up: 0, attempts: 0 }
  private readonly options: ForwardingOptions
  /** Ends waits; what is under way may come to its end. */
  private readonly stopping = new AbortController()
  private readonly cutting = new AbortController()
  private readonly running = new Set<Promise<unknown>>()
  private readonly queues = new Map<string, Promise<void>>()
  private readonly slots = new Slots(AT_ONCE)
  private readonly held = new Held(this.stopping.signal)
  private readonly gate: OutageGate<SentOutcome>

  constructor(options: ForwardingOptions) {
    this.options = options
    // each wait and each post listens to them
    setMaxListeners(0, this.stopping.signal, this.cutting.signal)
    options.signal.addEventListener('abort', () => this.stopping.abort(), { once: true })
    this.gate = new OutageGate({
      signal: this.stopping.signal,
      chance: options.chance,
      isUnreachable: outcome => outcome.failure === 'unreachable',
      onDown: outcome => options.onDown(outcome.error ?? 'no connection came about'),
      onUp: options.onUp,
    })
  }

  /** Takes an event on; resolves when there is room for the next one. */
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

  /** One more attempt, whatever became of the event before; a target that is not there is not waited for. */
  async resend(heard: HeardEvent, body: string): Promise<void> {
    const sent = this.post(heard, body).then(outcome => this.report(heard, body, outcome, null))
    this.track(sent)
    await sent.catch(() => {})
  }

  /** Takes no more; what is under way gets `graceMs`. Then nothing is posted any more. */
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
        // only an end that was asked for is none of anybody's business
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

  /** Says how long to wait before the next one; null: it is settled. */
  private async attempt(job: Job): Promise<number | null> {
    const { heard, body } = job
    // somebody may have sent it by hand meanwhile
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

  /** One that was given up can still be delivered by hand. */
  private settle(heard: HeardEvent, state: 'delivered' | 'given_up'): void {
    if (heard.state === state) return
    if (heard.state === 'given_up') this.counts.given_up -= 1
    this.counts[state] += 1
    heard.state = state
  }
}
