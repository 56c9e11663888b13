/** An event that `svc listen` received, and its state. */
import type { PostOutcome } from '../webhooks/webhook-post.ts'

/** An event as the service returns it (operation `event.list` with payloads). */
export interface ServiceEvent {
  readonly event_id: string
  readonly event_type: string
  /** Time by the engine's clock. */
  readonly at: string
  readonly sequence: number
  readonly user_id: string
  readonly client_user_id: string
  /** The webhook body. */
  readonly payload?: unknown
}

/** One attempt to send an event to the target. */
export interface Attempt extends PostOutcome {
  /** Number of the attempt, from 1. */
  readonly number: number
  /** Real time at the end of the attempt. */
  readonly at: number
  /** The headers that were sent. */
  readonly headers: Readonly<Record<string, string>>
}

/** `heard`: the event was only shown, because there is no target. `given_up`: the last attempt failed too. */
export type HeardState = 'heard' | 'waiting' | 'delivered' | 'given_up'

export interface HeardEvent {
  /** Number of the event, counted from 1 so that a person can type it. */
  readonly number: number
  /** The event without its payload, which can be up to 1 MiB. */
  readonly event: Omit<ServiceEvent, 'payload'>
  readonly attempts: Attempt[]
  state: HeardState
}

/** An attempt that was made just now. */
export interface MadeAttempt {
  readonly heard: HeardEvent
  readonly attempt: Attempt
  /** Wait before the next attempt; null when this was the last one. */
  readonly againMs: number | null
}
