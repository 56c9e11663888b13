/** One run of `svc listen`: shows and forwards the events of the feed, handles keys and Ctrl-C, and ends with a summary. */
import type { ServiceError } from '../../core/errors.ts'
import type { RandomSource } from '../../core/random.ts'
import type { Board } from './board.ts'
import { clockTime, duration, type ShownEvent } from './event-line.ts'
import { type EventPage, eventFeed, type FeedPosition } from './feed.ts'
import { Forwarding } from './forwarding.ts'
import type { HeardEvent, ServiceEvent } from './heard-event.ts'
import { HeardLog } from './heard-log.ts'
import { inspection } from './inspection.ts'
import type { ForwardTarget } from './target.ts'

/** Time for running attempts to finish at the end. */
const GRACE_MS = 1_500

export interface ListenOptions {
  readonly page: (at: FeedPosition) => Promise<EventPage<ServiceEvent>>
  /** Returns the body of an earlier event. */
  readonly payload: (eventId: string) => Promise<unknown>
  /** The target; null if events are only shown. */
  readonly target: ForwardTarget | null
  readonly board: Board
  readonly write: (shown: ShownEvent, body: string) => string
  /** Resolves when stdout accepts more. */
  readonly drained: () => Promise<void>
  readonly idleMs: number
  readonly random: RandomSource
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
          random: options.random,
          signal: options.signal,
          onAttempt: (made, body) => this.show(made, body),
          onDown: reason =>
            board.remark(
              `${clockTime(Date.now())}  ${target.shown} cannot be reached: ${reason}. Events wait until it is reachable.`,
            ),
          onUp: tookMs =>
            board.remark(`${clockTime(Date.now())}  ${target.shown} is reachable again after ${duration(tookMs)}.`),
        })
      : null
  }

  /**
   * Runs until the signal is aborted, then prints a summary. `howToEnd` is printed when no more events can be missed. Throws ServiceError
   * when the service refuses, or cannot be reached at the start.
   */
  async run(howToEnd: string): Promise<void> {
    const { options, forwarding } = this
    const to = options.target?.shown
    const way =
      to === undefined
        ? 'are shown as they happen'
        : `are sent to ${to}, signed (svc listen --print-secret shows the secret)`
    try {
      const feed = eventFeed({
        page: options.page,
        idleMs: options.idleMs,
        signal: options.signal,
        random: options.random,
        onReady: () => {
          this.hasBegun = true
          options.board.remark(`Ready: events ${way}.\n${howToEnd}.`)
        },
        onLost: reason => this.remark(`The service cannot be reached: ${withoutEnd(reason)}. Waiting for it.`),
        onBack: () => this.remark('The service is back. Missed events follow.'),
        onReplaced: () => this.remark('The store was replaced. Only new events follow.'),
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

  /** Resends the event shown last, with the same ID. */
  async resendLast(): Promise<void> {
    const { forwarding, log } = this
    if (!forwarding)
      return this.options.board.remark(
        'There is no target to send the event to. Start `svc listen` with --forward-to URL.',
      )
    if (!log.last) return this.options.board.remark('There are no events yet.')
    const payload = await this.fetchPayload(log.last)
    if (payload !== undefined) await forwarding.resend(log.last, JSON.stringify(payload))
  }

  /** Shows all details of the event with this number, or of the event shown last. */
  async inspect(number: number | null): Promise<void> {
    const { log, options } = this
    const heard = number === null ? log.last : log.find(number)
    if (!heard) {
      return options.board.remark(
        number === null ? 'There are no events yet.' : `There is no event ${number}, or it is too old to show.`,
      )
    }
    options.board.data(inspection(heard, await this.fetchPayload(heard)))
  }

  /** Returns `12 events in 3 min: 10 delivered, 1 given up, 1 not delivered; 14 attempts.` */
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
    const goOn = since === undefined ? '' : `\nTo receive the rest again, add --since ${since}`
    return `${events}: ${parts.join(', ')}; ${attempts} attempt${attempts === 1 ? '' : 's'}.${goOn}`
  }

  private show(shown: ShownEvent, body: string): void {
    this.log.shown(shown.heard)
    this.options.board.data(this.options.write(shown, body))
  }

  private async fetchPayload({ event }: HeardEvent): Promise<unknown> {
    try {
      return await this.options.payload(event.event_id)
    } catch (error) {
      this.remark(`The body of the event cannot be read: ${withoutEnd(error as ServiceError)}.`)
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
