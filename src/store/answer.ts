/** First answers to calls that carried an idempotency key. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** What an answer is found by: a key counts for one user where the call names one, else for the team. */
export interface AnswerKey {
  readonly teamId: TeamId
  /** A user of the team, deleted or not; null: the call names none. The answer goes with the user. */
  readonly userId: UserId | null
  /** SHA-256 of the key, hex. */
  readonly keyHash: string
}

/** A call under a key. */
export interface KeyedCall extends AnswerKey {
  /** Tells this call from others under the same key. */
  readonly callId: string
  /** Of what was asked, hex; asked for when it is written: of an upload it is known when all of it was read. */
  readonly requestHash: () => string
  /** Who the answer is about where the call named nobody: a user that it made. The answer goes with the user. */
  readonly about: () => UserId | null
  /** In real time, as is what follows: moving the engine's clock brings no answer back, and forgets none. */
  readonly createdAt: EpochMs
  /** Answers from before this time are forgotten. */
  readonly forgetBefore: EpochMs
}

export interface Answer {
  readonly status: number
  /** Encrypted: it may hold a secret, or health data. */
  readonly sealed: Uint8Array
}

/** What is kept under a key. */
export interface KeptAnswer {
  readonly callId: string
  readonly requestHash: string
  /** Null: the call has changed something, and its answer is not known: it runs, or was cut off. */
  readonly answer: Answer | null
}

/** Another call with the same key was first. Nothing was changed. */
export class KeyTaken extends Error {}

/**
 * The store of one keyed call: its first write that changes something also reserves the key in the same transaction, and keeps the
 * answer with it where that is known by then. Throws KeyTaken, and changes nothing, when another call has the key.
 */
export interface Answering<Store> {
  readonly store: Store
  /** Whether a change is committed. */
  hasChanged(): boolean
}

export interface AnswerStore {
  /** What is kept under the key and is not older than `notBefore`, or null. */
  find(key: AnswerKey, notBefore: EpochMs): Promise<KeptAnswer | null>
  /** Keeps the answer of a call, unless another call has the key. */
  keep(call: KeyedCall, answer: Answer): Promise<void>
}
