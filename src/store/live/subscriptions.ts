/** Subscriptions at live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { SubscriptionState } from './connections.ts'

/** A subscription of the app at a provider. */
export interface SubscriptionRecord extends SubscriptionState {
  readonly teamId: TeamId
  readonly provider: string
  readonly name: string
  /** The secret that the provider issued with it, sealed, or null. */
  readonly sealed: Uint8Array | null
}

export interface SubscriptionStore {
  list(teamId: TeamId, provider: string): Promise<readonly SubscriptionRecord[]>
  due(now: EpochMs, limit: number): Promise<readonly SubscriptionRecord[]>
  put(subscription: SubscriptionRecord): Promise<void>
  remove(teamId: TeamId, provider: string, name: string): Promise<void>
}
