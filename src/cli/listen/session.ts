/** One run of `svc listen`: the feed goes into lines and to the target, keys and Ctrl-C come in, and a summary ends it. */
import type { ServiceError } from '../../core/errors.ts'
import type { Chance } from './backoff.ts'
import type { Board } from './board.ts'
import { clockTime, duration, type Shown } from './event-line.ts'
import { type EventPage, eventFeed, type FeedPlace } from './feed.ts'
import { Forwarding } from './forwarding.ts'
import type { HeardEvent, ServiceEvent } from './heard-event.ts'
import { HeardLog } from './heard-log.ts'
import { inspection } from './inspection.ts'
import type { ForwardTarget } from './target.ts'

/** What is under way when it ends gets so long. */
const GRACE_MS = 1_500

export interface ListenOptions {
  readonly page: (at: FeedPlace) => Promise<EventPage<ServiceEvent>>
  /** The body of an event that was heard earlier. */
  readonly payload: (eventId: string) => Promise<unknown>
  /** Null: events are shown and go nowhere. */
  readonly target: ForwardTarget | null
  readonly board: Board
  readonly write: (shown: Shown, body: string) => string
  /** Resolves when stdout takes more. */
  readonly drained: () => Promise<void>
  readonly idleMs: number
  readonly chance: Chance
  readonly signal: AbortSignal
}

export class ListenSession {
  private readonly options: ListenOptions
  private readonly log = new HeardLog()
  private readonly forwarding: Forwarding | null
  private readonly startedMs = performance.now()
  private hasBegun = false

  constructor(options: ListenOptions) {
    const { target, board } = options
    this.options = options
    this.forwarding = target
      ? new Forwarding({
          poster: target.poster,
          headers: target.headers,
          chance: options.chance,
          signal: options.signal,
          onAttempt: (made, body) => this.show(made, body),
          onDown: reason =>
            board.remark(`${clockTime(Date.now())}  ${target.shown} cannot be reached: ${reason}. Events wait for it.`),
          onUp: tookMs => board.remark(`${clockTime(Date.now())}  ${target.shown} is there after ${duration(tookMs)}.`),
        })
      : null
  }

  /**
   * Runs until the signal is aborted, and sums up. `howToEnd` is said when nothing is missed any more. Throws ServiceError when the service
   * refuses, or cannot be reached to begin with.
   */
  async run(howToEnd: string): Promise<void> {
    const { options, forwarding } = this
    const to = options.target?.shown
    const way = to === undefined ? 'are shown as they happen' : `go to ${to}, signed (svc listen --print-secret)`
    try {
      const feed = eventFeed({
        page: options.page,
        idleMs: options.idleMs,
        signal: options.signal,
        chance: options.chance,
        onReady: () => {
          this.hasBegun = true
          options.board.remark(`Ready: events ${way}.\n${howToEnd}.`)
        },
        onLost: reason => this.remark(`The service went away, and is waited for: ${withoutEnd(reason)}.`),
        onBack: () => this.remark('The service is back; what happened meanwhile follows.'),
        onReplaced: () =>
          this.remark('The store was put in the place of another one: what happens from now on follows.'),
      })
      for await (const { payload, ...event } of feed) {
        const body = JSON.stringify(payload)
        const heard = this.log.add(event, forwarding ? 'waiting' : 'heard')
        if (forwarding) await forwarding.offer(heard, body)
        else this.show({ heard, attempt: null, againMs: null }, body)
        await options.drained()
      }
    } finally {
      await forwarding?.stop(GRACE_MS)
      if (this.hasBegun) options.board.remark(this.summary)
    }
  }

  /** Sends the event again that the last line is about, with the same id. */
  async resendLast(): Promise<void> {
    const { forwarding, log } = this
    if (!forwarding) return this.options.board.remark('There is nowhere to send it: --forward-to names a target.')
    if (!log.last) return this.options.board.remark('There was no event yet.')
    const payload = await this.payloadOf(log.last)
    if (payload !== undefined) await forwarding.resend(log.last, JSON.stringify(payload))
  }

  /** Shows all about an event: of that number, or of the last line. */
  async inspect(number: number | null): Promise<void> {
    const { log, options } = this
    const heard = number === null ? log.last : log.find(number)
    if (!heard) {
      return options.board.remark(
        number === null ? 'There was no event yet.' : `There is no event ${number} to be shown.`,
      )
    }
    options.board.data(inspection(heard, await this.payloadOf(heard)))
  }

  /** `12 events in 3 min: 10 delivered, 1 given up, 1 not delivered; 14 attempts.` */
  private get summary(): string {
    const { count } = this.log
    const events = `${count} event${count === 1 ? '' : 's'} in ${duration(performance.now() - this.startedMs)}`
    if (!this.forwarding || count === 0) return `${events}.`
    const { delivered, given_up, attempts } = this.forwarding.counts
    const rest = count - delivered - given_up
    const parts = [
      `${delivered} delivered`,
      ...(given_up > 0 ? [`${given_up} given up`] : []),
      ...(rest > 0 ? [`${rest} not delivered`] : []),
    ]
    const since = this.log.firstWaitingAt
    const goOn = since === undefined ? '' : `\nThe rest comes again with --since ${since}`
    return `${events}: ${parts.join(', ')}; ${attempts} attempt${attempts === 1 ? '' : 's'}.${goOn}`
  }

  private show(shown: Shown, body: string): void {
    this.log.shown(shown.heard)
    this.options.board.data(this.options.write(shown, body))
  }

  private async payloadOf({ event }: HeardEvent): Promise<unknown> {
    try {
      return await this.options.payload(event.event_id)
    } catch (error) {
      this.remark(`Its body cannot be had: ${withoutEnd(error as ServiceError)}.`)
      return undefined
    }
  }

  private remark(line: string): void {
    this.options.board.remark(`${clockTime(Date.now())}  ${line}`)
  }
}

function withoutEnd({ message }: Error): string {
  return message.replace(/\.$/, '')
}
