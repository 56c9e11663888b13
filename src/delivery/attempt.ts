/** One attempt to deliver: the event is read and signed at the last moment, sent, and judged by the answer. */
import { type ClockState, clockAt } from '../core/clock.ts'
import { ServiceError } from '../core/errors.ts'
import type { UserId } from '../core/ids.ts'
import type { EngineContext } from '../engine/context.ts'
import type { AttemptOutcome, ClaimedDelivery } from '../store/delivery.ts'
import type { OutboxEvent } from '../store/event.ts'
import type { EndpointRecord } from '../store/webhook.ts'
import type { Started } from './endpoint-queue.ts'
import { type Message, MessageSource } from './message.ts'
import { type Answer, openSender, type Sender, type SenderOptions } from './sender.ts'
import { verdictOf } from './verdict.ts'

export interface AttemptOptions extends Omit<SenderOptions, 'allowPrivate'> {
  readonly engine: EngineContext
  /** `1.2.3`, for the user agent. */
  readonly version: string
}

export interface AttemptContext {
  /** Who has leased it. */
  readonly delivererId: string
  /** As it was a moment ago. */
  readonly clock: ClockState
  readonly endpoint: EndpointRecord
  readonly started: Started
}

/** What came of an attempt. */
export interface MadeAttempt {
  readonly outcome: AttemptOutcome
  /** Why nothing was sent because of where it would have gone, or null. */
  readonly refusal: string | null
}

const DAMAGED = 'the event cannot be read: `svc engine check` says what is damaged'

export class Attempts {
  private readonly options: AttemptOptions
  private readonly messages: MessageSource
  /** Opened at the first delivery: what it is made of takes a tenth of a second to load. */
  private sender: Promise<Sender> | undefined

  constructor(options: AttemptOptions) {
    this.options = options
    this.messages = new MessageSource({ engine: options.engine, userAgent: `svc/${options.version}` })
  }

  /**
   * Null: there is nothing to tell; the delivery is not this process's any more, or it was stopped. Throws what keeps this machine
   * from trying (a store that cannot be read, a secret that cannot be opened).
   */
  async make({ delivererId, clock, endpoint, started }: AttemptContext): Promise<MadeAttempt | null> {
    const { item, weigh } = started
    const { engine } = this.options
    // the user may be gone, the endpoint disabled, the lease void
    if (!(await engine.store.deliveries.isHeld(delivererId, item))) return null
    const message = await this.messageOf(item)
    if (message === null) return null
    const { userId, sequence, endpointId } = item
    const place = { userId, sequence, endpointId, teamId: endpoint.teamId, delivererId }
    if (message === 'damaged') {
      const at = clockAt(clock, engine.time.now())
      const attempt = { at, status: null, error: DAMAGED, ms: 0 }
      return { outcome: { ...place, attempt, after: { kind: 'exhausted', event: null } }, refusal: null }
    }
    weigh(message.body.length)
    const shipment = this.messages.shipment(endpoint, item, message)
    const answer: Answer | null =
      'refused' in shipment
        ? { status: null, error: shipment.refused, retryAfter: null, ms: 0, isRefused: true }
        : await (await this.openedSender()).send(shipment)
    if (answer === null) return null
    const realNow = engine.time.now()
    const at = clockAt(clock, realNow)
    const { eventId, eventType } = message
    const after = verdictOf(item, answer, { eventId, eventType, at, realNow, random: engine.random })
    const { status, error, ms } = answer
    const refusal = answer.isRefused ? error : null
    return { outcome: { ...place, attempt: { at, status, error, ms }, after }, refusal }
  }

  /** One event that cannot be read must not hold up the others. */
  private async messageOf(item: ClaimedDelivery): Promise<Message | 'damaged' | null> {
    try {
      return await this.messages.of(item)
    } catch (error) {
      if (error instanceof ServiceError && error.code !== 'data_damaged') throw error
      return 'damaged'
    }
  }

  /** Takes on events that came with their leases, so that they are not read once more. */
  add(events: readonly OutboxEvent[]): void {
    this.messages.add(events)
  }

  wants(userId: UserId, sequence: number): boolean {
    return this.messages.wants(userId, sequence)
  }

  /** Forgets bodies: the numbers of events are others' in another state of the store. */
  clear(): void {
    this.messages.clear()
  }

  /** The endpoint is not used any more. */
  forget(endpointId: string): void {
    this.messages.forget(endpointId)
    void this.sender?.then(sender => sender.forget(endpointId))
  }

  /** Cuts what is under way: nobody knows whether it arrived. */
  async cut(): Promise<void> {
    ;(await this.sender)?.cut()
  }

  async close(): Promise<void> {
    await (await this.sender)?.close()
  }

  private openedSender(): Promise<Sender> {
    this.sender ??= openSender({ ...this.options, allowPrivate: this.options.engine.allowPrivateTargets })
    return this.sender
  }
}
