/** First responses to calls with an idempotency key. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** The key of a stored response, which belongs to a user if the call has a user ID, and to the team otherwise. */
export interface ResponseKey {
  readonly teamId: TeamId
  /** A user of the team, deleted or not, or null if the call has no user ID. The response is removed together with the user. */
  readonly userId: UserId | null
  /** SHA-256 of the key, in hex. */
  readonly keyHash: string
}

/** A call with an idempotency key. */
export interface KeyedCall extends ResponseKey {
  /** Distinguishes this call from other calls with the same key. */
  readonly callId: string
  /**
   * Returns the request's hash, in hex. Called when the response is stored, because an upload's hash is only known after the whole upload
   * has been read.
   */
  readonly requestHash: () => string
  /**
   * Returns the user that the response is about if the call has no user ID, that is, a user created by the call. The response is removed
   * together with that user.
   */
  readonly about: () => UserId | null
  /** Real time, like `forgetBefore`. Moving the engine's clock neither restores nor removes a response. */
  readonly createdAt: EpochMs
  /** Responses created before this time are ignored. */
  readonly forgetBefore: EpochMs
}

export interface StoredResponse {
  readonly status: number
  /** Encrypted, because the response may contain a secret or health data. */
  readonly sealed: Uint8Array
}

/** The content stored under a key. */
export interface KeptResponse {
  readonly callId: string
  readonly requestHash: string
  /** Null if the call has changed something but its response is not known, because the call is still running or was interrupted. */
  readonly response: StoredResponse | null
}

/** Thrown if another call already holds the same key. Nothing was changed. */
export class KeyTaken extends Error {}

/**
 * The store for one call with an idempotency key. The first write that changes something also reserves the key, in the same transaction,
 * and stores the response with it if the response is already known. If another call holds the key, a write throws KeyTaken and changes
 * nothing.
 */
export interface Idempotent<Store> {
  readonly store: Store
  /** Returns whether a change was committed. */
  hasChanged(): boolean
}
