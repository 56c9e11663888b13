/**
 * Forwards events to the target with the queue and the outcome rules of real deliveries: first attempts of one user run in order, users run
 * in parallel, and a failed attempt is retried later and does not delay other events. While the target cannot be reached, events wait.
 */
import { setMaxListeners } from 'node:events'
import type { RandomSource } from '../../core/random.ts'
import { SendQueue, type Started } from '../../delivery/send-queue.ts'
import { isAccepted } from '../../delivery/sender.ts'
import { judgeAttempt } from '../../delivery/verdict.ts'
import type { PostOutcome, WebhookPoster } from '../webhooks/webhook-post.ts'
import { LISTEN_RETRIES } from './backoff.ts'
import { pause } from './feed.ts'
import type { Attempt, HeardEvent, MadeAttempt } from './heard-event.ts'
import { Held } from './held.ts'
import { Outage } from './outage.ts'

/** The defaults of an endpoint. */
const LIMITS = { concurrency: 10, rateLimit: null }

interface ForwardingOptions {
  readonly poster: Pick<WebhookPoster, 'post'>
  /** Returns the headers of one attempt; each attempt has its own signature. */
  readonly headers: (event: HeardEvent['event'], body: string) => Readonly<Record<string, string>>
  readonly random: RandomSource
  /** Ends all waits at once. */
  readonly signal: AbortSignal
  /** Called after each attempt. */
  readonly onAttempt: (made: MadeAttempt, body: string) => void
  /** Called when the target cannot be reached, and when it is reachable again. */
  readonly onDown: (reason: string) => void
  readonly onUp: (tookMs: number) => void
}

/** An event that is being forwarded, with its body. */
interface Job {
  readonly userId: string
  readonly heard: HeardEvent
  readonly body: string
  /** Number of failed attempts so far. */
  readonly round: number
}

type SentOutcome = PostOutcome & Pick<Attempt, 'headers'>

export class Forwarding {
  /** Number of events by final state, and number of attempts. */
  readonly counts = { delivered: 0, given_up: 0, attempts: 0 }
  private readonly options: ForwardingOptions
  /** Ends waits, but lets running attempts finish. */
  private readonly stopping = new AbortController()
  private readonly cutting = new AbortController()
  private readonly running = new Set<Promise<unknown>>()
  private readonly queue = new SendQueue<Job>(LIMITS, performance.now())
  private readonly held = new Held(this.stopping.signal)
  private readonly outage: Outage

  constructor(options: ForwardingOptions) {
    const { random, onDown, onUp } = options
    const { signal } = this.stopping
    this.options = options
    // Every wait and every post listens to these signals.
    setMaxListeners(0, signal, this.cutting.signal)
    options.signal.addEventListener('abort', () => this.stopping.abort(), { once: true })
    this.outage = new Outage({ signal, random, onDown, onUp, onRoom: () => this.pump() })
  }

  /** Accepts an event, and resolves when there is room for the next one. */
  async offer(heard: HeardEvent, body: string): Promise<void> {
    this.held.add(body.length)
    this.queue.addFirst({ userId: heard.event.user_id, heard, body, round: 0 })
    this.pump()
    await this.held.room()
  }

  /** Makes one more attempt, whatever the state of the event, and does not wait for an unreachable target. */
  async resend(heard: HeardEvent, body: string): Promise<void> {
    const sent = this.post(heard, body).then(outcome => this.report(heard, body, outcome, null))
    this.track(sent)
    await sent.catch(() => {})
  }

  /** Stops accepting events. Running attempts have `graceMs` to finish; after that, nothing is sent. */
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

  private pump(): void {
    while (!this.stopping.signal.aborted && !this.outage.isHolding) {
      const started = this.queue.start(performance.now())
      if (started === undefined) return
      // The user may have resent it by hand in the meantime.
      if (started.item.heard.state === 'waiting') this.track(this.attempt(started))
      else this.finish(started)
    }
  }

  private async attempt(started: Started<Job>): Promise<void> {
    const { heard, body } = started.item
    started.weigh(body.length)
    const finish = this.outage.begin()
    const outcome = await this.post(heard, body)
    const isUnreachable = outcome.failure === 'unreachable'
    if (isUnreachable) started.putBack()
    finish(isUnreachable ? (outcome.error ?? 'no connection could be made') : null)
    if (!isUnreachable) this.conclude(started, outcome)
    this.pump()
  }

  private conclude(started: Started<Job>, outcome: SentOutcome): void {
    const { heard, body, round } = started.item
    const at = Date.now()
    const failed = { status: outcome.status, askedMs: outcome.retryAfterMs, round, at }
    const verdict = judgeAttempt(failed, this.options.random, LISTEN_RETRIES)
    if (verdict.kind === 'again') {
      const againMs = verdict.dueAt - at
      this.report(heard, body, outcome, againMs)
      started.end()
      void this.retry({ ...started.item, round: round + 1 }, againMs)
    } else {
      if (verdict.kind !== 'delivered') this.settle(heard, 'given_up')
      this.report(heard, body, outcome, null)
      this.finish(started)
    }
  }

  private async retry(job: Job, waitMs: number): Promise<void> {
    await pause(waitMs, this.stopping.signal)
    this.queue.addAgain(job)
    this.pump()
  }

  private finish(started: Started<Job>): void {
    started.end()
    this.held.release(started.item.body.length)
  }

  private async post(heard: HeardEvent, body: string): Promise<SentOutcome> {
    const headers = this.options.headers(heard.event, body)
    const outcome = await this.options.poster.post({ headers, body, signal: this.cutting.signal })
    return { ...outcome, headers }
  }

  private report(heard: HeardEvent, body: string, outcome: SentOutcome, againMs: number | null): void {
    const attempt: Attempt = { ...outcome, number: heard.attempts.length + 1, at: Date.now() }
    heard.attempts.push(attempt)
    if (isAccepted(outcome)) this.settle(heard, 'delivered')
    this.counts.attempts += 1
    this.options.onAttempt({ heard, attempt, againMs }, body)
  }

  /** Records the final state; an event that was given up can still be delivered by hand. */
  private settle(heard: HeardEvent, state: 'delivered' | 'given_up'): void {
    if (heard.state === state) return
    if (heard.state === 'given_up') this.counts.given_up -= 1
    this.counts[state] += 1
    heard.state = state
  }
}
