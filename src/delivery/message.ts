/** Builds an event's webhook for an endpoint. The body is rendered once for all endpoints, and signed again for each attempt. */
import { LRUCache } from 'lru-cache'
import type { UserId } from '../core/ids.ts'
import type { EngineContext } from '../engine/context.ts'
import { renderEvent } from '../engine/events/render.ts'
import { openSecret } from '../engine/webhooks/sealed-secret.ts'
import { targetOptions, targetProblem } from '../engine/webhooks/target.ts'
import { type ClaimedDelivery, eventName } from '../store/delivery.ts'
import type { OutboxEvent } from '../store/event.ts'
import type { EndpointRecord } from '../store/webhook.ts'
import type { Shipment } from './sender.ts'
import { timestampAt, webhookHeaders } from './webhook-headers.ts'

/** Maximum total size of rendered bodies that are cached for their event's other endpoints. */
const MOST_KEPT_BYTES = 16 << 20
/** Memory overhead of a cached body or event, in addition to its bytes. */
const ENTRY_BYTES = 500
/** Maximum total size of cached events that came with their leases. The constants below estimate their unpacked size. */
const MOST_EVENT_BYTES = 16 << 20
const SAMPLE_BYTES = 48
const DOCUMENT_BYTES = 2_000

export interface Message {
  readonly eventId: string
  readonly eventType: string
  readonly body: Uint8Array
}

interface MessageOptions {
  readonly engine: EngineContext
  /** Version of svc for the User-Agent header, such as `1.2.3`. */
  readonly version: string
}

/** Values that are computed once for an endpoint, and again when it changes. */
interface Prepared {
  readonly endpoint: EndpointRecord
  readonly key: Uint8Array
  readonly formerKey: Uint8Array | null
  readonly url: URL | null
  readonly problem: string | null
  readonly allowLoopback: boolean
}

export class MessageSource {
  private readonly engine: EngineContext
  private readonly version: string
  private readonly kept = new LRUCache<string, Message>({
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: ({ body }) => body.length + ENTRY_BYTES,
    dispose: (_, name) => this.forgetName(name),
  })
  private readonly events = new Map<string, OutboxEvent>()
  private eventBytes = 0
  /** Keys of the cached bodies and events. */
  private readonly names = new Set<string>()
  private readonly prepared = new Map<string, Prepared>()

  constructor({ engine, version }: MessageOptions) {
    this.engine = engine
    this.version = version
  }

  /** Caches events that came with their leases, if there is room. */
  add(events: readonly OutboxEvent[]): void {
    for (const event of events) {
      const name = eventName(event)
      if (this.eventBytes > MOST_EVENT_BYTES || this.events.has(name)) continue
      this.events.set(name, event)
      this.names.add(name)
      this.eventBytes += dataBytes(event)
    }
  }

  /** The events that are already cached, so that `add` does not need them; null if there is no room for more. */
  get known(): ReadonlySet<string> | null {
    return this.eventBytes <= MOST_EVENT_BYTES ? this.names : null
  }

  /**
   * Returns a delivery's message, or null if the event no longer exists. Throws a ServiceError if the store cannot be read; any other
   * error, or `data_damaged`, means that the event is damaged.
   */
  async of({ userId, sequence }: Pick<ClaimedDelivery, 'userId' | 'sequence'>): Promise<Message | null> {
    const name = eventName({ userId, sequence })
    return this.kept.get(name) ?? (await this.render(name, userId, sequence))
  }

  /** Returns the request, signed now, or the reason why webhooks must not go to the endpoint's URL. Throws ServiceError `data_folder`. */
  shipment(
    endpoint: EndpointRecord,
    { sequence }: ClaimedDelivery,
    { eventId, body }: Message,
  ): Shipment | { readonly refused: string } {
    const { url, problem, allowLoopback, key, formerKey } = this.prepare(endpoint)
    if (url === null) return { refused: `the URL ${problem}` }
    const realNow = this.engine.time.now()
    const keys = formerKey !== null && realNow < (endpoint.formerUntil ?? 0) ? [key, formerKey] : [key]
    const headers = webhookHeaders(
      { id: eventId, sequence, timestamp: timestampAt(realNow), body },
      { keys, headerPrefix: endpoint.headerPrefix, version: this.version },
    )
    return { route: endpoint.endpointId, url, allowLoopback, headers, body }
  }

  /** Drops all cached bodies. After the store's state is replaced, the same sequence numbers refer to other events. */
  clear(): void {
    this.kept.clear()
    this.events.clear()
    this.names.clear()
    this.eventBytes = 0
  }

  forget(endpointId: string): void {
    this.prepared.delete(endpointId)
  }

  private async render(name: string, userId: UserId, sequence: number): Promise<Message | null> {
    const event = this.take(name) ?? (await this.engine.store.events.ofUser(userId, sequence - 1, 1))[0]
    if (event?.sequence !== sequence) return null
    const body = Buffer.from(renderEvent(event, this.engine.providers))
    const message = { eventId: event.eventId, eventType: event.type, body }
    this.kept.set(name, message)
    this.names.add(name)
    return message
  }

  private take(name: string): OutboxEvent | undefined {
    const event = this.events.get(name)
    if (event === undefined) return
    this.events.delete(name)
    this.eventBytes -= dataBytes(event)
    if (!this.kept.has(name)) this.names.delete(name)
    return event
  }

  /** Removes a key. Call this when a body is no longer cached. */
  private forgetName(name: string): void {
    if (!this.events.has(name)) this.names.delete(name)
  }

  private prepare(endpoint: EndpointRecord): Prepared {
    const known = this.prepared.get(endpoint.endpointId)
    if (known?.endpoint === endpoint) return known
    const isSame =
      known !== undefined &&
      known.endpoint.url === endpoint.url &&
      known.endpoint.urlSetBy === endpoint.urlSetBy &&
      equal(known.endpoint.secret, endpoint.secret) &&
      equal(known.endpoint.formerSecret, endpoint.formerSecret)
    const prepared = isSame ? { ...known, endpoint } : this.prepareAnew(endpoint)
    this.prepared.set(endpoint.endpointId, prepared)
    return prepared
  }

  private prepareAnew(endpoint: EndpointRecord): Prepared {
    const { secret, formerSecret } = endpoint
    const options = targetOptions(this.engine, endpoint.urlSetBy)
    const problem = targetProblem(endpoint.url, options)
    return {
      endpoint,
      key: openSecret(this.engine, endpoint, secret),
      formerKey: formerSecret === null ? null : openSecret(this.engine, endpoint, formerSecret),
      url: problem === null ? new URL(endpoint.url) : null,
      problem,
      allowLoopback: options.allowLoopback,
    }
  }
}

function dataBytes({ data }: OutboxEvent): number {
  return ENTRY_BYTES + (data.kind === 'samples' ? data.batch.n * SAMPLE_BYTES : DOCUMENT_BYTES)
}

function equal(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}
