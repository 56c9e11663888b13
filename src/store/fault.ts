/** Faults: failures and delays that a server makes on purpose, so that clients can be tested. Part of the port (port.ts). */
import type { EpochMs } from '../core/time.ts'

/** The effect of the fault on a request. */
export type FaultEffect =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly delayMs: number }
  /** The connection is closed without a response. */
  | { readonly kind: 'drop' }
  /** The connection is closed in the middle of the response body. */
  | { readonly kind: 'cut' }

export interface Fault {
  /** Null for every method. */
  readonly method: string | null
  /** A path in which `*` matches any characters and `{name}` matches one segment. */
  readonly path: string
  readonly effect: FaultEffect
  /** Fraction of the matching requests that the fault affects, in (0, 1]. */
  readonly probability: number
  /** Maximum number of affected requests, counted by each server separately. Null for no limit. */
  readonly times: number | null
  /** Seed for the fault's random decisions. Null for the server's seed. */
  readonly seed: string | null
}

/** A fault as stored. */
export interface FaultRecord extends Fault {
  readonly faultId: number
  readonly createdAt: EpochMs
}
