/** Makes delivery attempts: reads and signs the event at the last moment, sends it, and decides from the response what happens next. */
import { type ClockState, clockAt } from '../core/clock.ts'
import { ServiceError } from '../core/errors.ts'
import type { EngineContext } from '../engine/context.ts'
import { sealExchange } from '../engine/deliveries/exchange.ts'
import type { Attempt, AttemptOutcome, ClaimedDelivery, SealedExchange } from '../store/delivery.ts'
import type { OutboxEvent } from '../store/event.ts'
import type { EndpointRecord } from '../store/webhook.ts'

import { KeptExchanges } from './kept-exchanges.ts'
import { type Message, MessageSource } from './message.ts'
import type { Started } from './send-queue.ts'
import { type EndpointResponse, openSender, type Sender, type SenderOptions, type Shipment } from './sender.ts'
import { afterAttempt } from './verdict.ts'

export interface AttemptOptions extends Omit<SenderOptions, 'allowPrivate'> {
  readonly engine: EngineContext
  /** Version of svc for the User-Agent header, such as `1.2.3`. */
  readonly version: string
}

export interface AttemptContext {
  /** The deliverer that holds the lease. */
  readonly delivererId: string
  /** The clock's value in the latest pass. */
  readonly clock: ClockState
  readonly endpoint: EndpointRecord
  readonly started: Started<ClaimedDelivery>
}

/** The result of an attempt. */
export interface MadeAttempt {
  readonly outcome: AttemptOutcome
  /** Why the target is not allowed, if nothing was sent for that reason; otherwise null. */
  readonly refusal: string | null
}

const DAMAGED = 'the event cannot be read: run `svc engine check` to see what is damaged'

export class Attempts {
  private readonly options: AttemptOptions
  private readonly messages: MessageSource
  private readonly kept = new KeptExchanges()
  /** The sender. It is opened at the first delivery, because loading its dependencies takes a tenth of a second. */
  private sender: Promise<Sender> | undefined

  constructor(options: AttemptOptions) {
    this.options = options
    this.messages = new MessageSource(options)
  }

  /**
   * Makes one attempt. Returns null if there is nothing to record, because this process no longer has the delivery or the attempt was
   * stopped. Throws any error that prevents an attempt on this machine, such as a store that cannot be read or a secret that cannot be
   * decrypted.
   */
  async make({ delivererId, clock, endpoint, started }: AttemptContext): Promise<MadeAttempt | null> {
    const { item, weigh } = started
    const { engine } = this.options
    // the user may have been deleted, the endpoint disabled, or the lease lost
    if (!(await engine.store.deliveries.isHeld(delivererId, item))) return null
    const message = await this.loadMessage(item)
    if (message === null) return null
    const { userId, sequence, endpointId } = item
    const key = { userId, sequence, endpointId, teamId: endpoint.teamId, delivererId }
    if (message === 'damaged') {
      const at = clockAt(clock, engine.time.now())
      const attempt = { at, status: null, error: DAMAGED, ms: 0 }
      return {
        outcome: { ...key, attempt, after: { kind: 'exhausted', event: null }, exchange: null },
        refusal: null,
      }
    }
    weigh(message.body.length)
    const shipment = this.messages.shipment(endpoint, item, message)
    const response: EndpointResponse | null =
      'refused' in shipment
        ? { status: null, error: shipment.refused, failure: 'other', retryAfter: null, ms: 0, isRefused: true }
        : await (await this.openedSender()).send(shipment)
    if (response === null) return null
    const realNow = engine.time.now()
    const at = clockAt(clock, realNow)
    const { eventId, eventType } = message
    const after = afterAttempt(item, response, { eventId, eventType, at, realNow, random: engine.random })
    const { status, error, ms } = response
    const attempt = { at, status, error, ms }
    const refusal = response.isRefused ? error : null
    const exchange = 'refused' in shipment ? null : this.keepExchange(item, shipment, response, attempt)
    return { outcome: { ...key, attempt, after, exchange }, refusal }
  }

  private keepExchange(
    item: ClaimedDelivery,
    { headers }: Shipment,
    response: EndpointResponse,
    attempt: Attempt,
  ): SealedExchange | null {
    if (response.isRefused || (response.error === null && !this.kept.takesSuccess(item.endpointId))) return null
    const exchange = { attempt, requestHeaders: headers, answer: response.head?.() ?? null }
    return sealExchange(this.options.engine, item, exchange)
  }

  /** Returns a delivery's message. An event that cannot be read must not block the others. */
  private async loadMessage(item: ClaimedDelivery): Promise<Message | 'damaged' | null> {
    try {
      return await this.messages.of(item)
    } catch (error) {
      if (error instanceof ServiceError && error.code !== 'data_damaged') throw error
      return 'damaged'
    }
  }

  /** Caches events that came with their leases, so that they are not read again. */
  add(events: readonly OutboxEvent[]): void {
    this.messages.add(events)
  }

  /** The `eventName` of every event that is already cached, so that `add` does not need it; null if there is no room for more. */
  get knownEvents(): ReadonlySet<string> | null {
    return this.messages.known
  }

  /** Drops all cached bodies. After the store's state is replaced, the same sequence numbers refer to other events. */
  clear(): void {
    this.messages.clear()
  }

  /** Releases the memory of an endpoint that is no longer in use. */
  forget(endpointId: string): void {
    this.messages.forget(endpointId)
    this.kept.forget(endpointId)
    void this.sender?.then(sender => sender.forget(endpointId))
  }

  /** Aborts the attempts in progress, whose requests may or may not have arrived. */
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
