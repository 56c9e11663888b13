/** Builds the posts that a handler is tested with, both genuine and forged. */
import { setTimeout as delay } from 'node:timers/promises'
import { type RandomSource, randomUuid } from '../../core/random.ts'
import { parseSecret } from '../../delivery/signature.ts'
import { headersByName, timestampAt } from '../../delivery/webhook-headers.ts'
import type { WebhookPost } from '../webhooks/webhook-post.ts'
import type { SampleEvent } from './sample-event.ts'

export interface MakerOptions {
  readonly event: SampleEvent
  /** `whsec_…` */
  readonly secret: string
  readonly headerPrefix: string | null
  readonly version: string
  readonly random: RandomSource
  /** Pause between the pieces of a slow body. */
  readonly paceMs: number
}

/** Ways in which a delivery differs from a genuine one that is sent now. */
interface Variation {
  readonly id?: string
  readonly sequence?: number
  readonly ageSeconds?: number
  /** Body to send instead of the event. */
  readonly body?: string
  /** Body to sign, if it differs from the body that is sent. */
  readonly signedBody?: string
  readonly keys?: readonly Uint8Array[]
}

const KEY_BYTES = 32
const PIECES = 5

export class DeliveryMaker {
  readonly event: SampleEvent
  readonly key: Uint8Array
  /** A key that the handler does not have. */
  readonly otherKey: Uint8Array
  private readonly options: MakerOptions
  private sequence = 0

  /** Throws ServiceError `usage` for a malformed secret. */
  constructor(options: MakerOptions) {
    this.options = options
    this.event = options.event
    this.key = parseSecret(options.secret)
    this.otherKey = options.random.bytes(KEY_BYTES)
  }

  newId(): string {
    return randomUuid(this.options.random)
  }

  /** Returns the next sequence number of the user's events. */
  nextSequence(): number {
    this.sequence += 1
    return this.sequence
  }

  delivery(variation: Variation = {}): WebhookPost & { readonly body: string } {
    const body = variation.body ?? JSON.stringify(this.event)
    const { headerPrefix, version } = this.options
    const headers = headersByName(
      {
        id: variation.id ?? this.newId(),
        sequence: variation.sequence ?? this.nextSequence(),
        timestamp: timestampAt(Date.now()) - (variation.ageSeconds ?? 0),
        body: variation.signedBody ?? body,
      },
      { keys: variation.keys ?? [this.key], headerPrefix, version },
    )
    return { headers, body }
  }

  /** Returns a genuine delivery that sends its body in pieces. */
  slowDelivery(): WebhookPost {
    const { headers, body } = this.delivery()
    const bytes = Buffer.from(body)
    return {
      headers: { ...headers, 'content-length': String(bytes.length) },
      body: inPieces(bytes, this.options.paceMs),
    }
  }
}

async function* inPieces(bytes: Uint8Array, paceMs: number): AsyncGenerator<Uint8Array> {
  const size = Math.ceil(bytes.length / PIECES)
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await delay(paceMs)
    yield bytes.subarray(at, at + size)
  }
}
