/** An event that `svc listen` heard of, and what became of it. */
import type { PostOutcome } from '../webhooks/webhook-post.ts'

/** What the service says of an event (operation `event.list` with payloads). */
export interface ServiceEvent {
  readonly event_id: string
  readonly event_type: string
  /** By the engine's clock. */
  readonly at: string
  readonly sequence: number
  readonly user_id: string
  readonly client_user_id: string
  /** The body of the webhook. */
  readonly payload?: unknown
}

/** One try to bring an event to the target. */
export interface Attempt extends PostOutcome {
  /** 1 for the first. */
  readonly number: number
  /** Real time at its end. */
  readonly at: number
  /** What was sent. */
  readonly headers: Readonly<Record<string, string>>
}

/** `heard`: without a target there is nothing more to do. `given_up`: the last try failed too. */
export type HeardState = 'heard' | 'waiting' | 'delivered' | 'given_up'

export interface HeardEvent {
  /** 1, 2, 3 … since the start: short enough for a person to type. */
  readonly number: number
  /** Without its payload: an event may be a mebibyte. */
  readonly event: Omit<ServiceEvent, 'payload'>
  readonly attempts: Attempt[]
  state: HeardState
}

/** An attempt that was made just now. */
export interface MadeAttempt {
  readonly heard: HeardEvent
  readonly attempt: Attempt
  /** When the next one comes; null: this was the last. */
  readonly againMs: number | null
}

/** Whether an answer takes the event as received. */
export function isAccepted({ status }: Pick<PostOutcome, 'status'>): boolean {
  return status !== null && status >= 200 && status <= 299
}
