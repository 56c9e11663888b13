/** Faults: what a server is to do wrong on purpose, so that a client can be tested against it. Part of the port (port.ts). */
import type { EpochMs } from '../core/time.ts'

/** What happens to a request that is hit. */
export type FaultEffect =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'latency'; readonly delayMs: number }
  /** The connection ends without an answer. */
  | { readonly kind: 'drop' }
  /** The connection ends in the middle of the answer's body. */
  | { readonly kind: 'cut' }

export interface Fault {
  /** Null: every method. */
  readonly method: string | null
  /** `*` stands for any run of characters, `{name}` for one segment. */
  readonly path: string
  readonly effect: FaultEffect
  /** In (0, 1]: of how many of the requests that match it hits. */
  readonly probability: number
  /** Hits no more after so many; null: no end. Each server counts for itself. */
  readonly times: number | null
  /** Of its decisions; null: the server's. */
  readonly seed: string | null
}

/** One that is kept in the store. */
export interface FaultRecord extends Fault {
  readonly faultId: number
  readonly createdAt: EpochMs
}

export interface FaultStore {
  /** In the order in which they were added. */
  list(): Promise<readonly FaultRecord[]>
  /** Null: there are as many as there may be. */
  add(fault: Fault, at: EpochMs, most: number): Promise<FaultRecord | null>
  /** Of one, or of all (null); answers how many there were. */
  clear(faultId: number | null): Promise<number>
}
