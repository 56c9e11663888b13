/** Subscriptions at live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { SubscriptionState } from './connections.ts'

/** A subscription of the app at a provider. */
export interface SubscriptionRecord extends SubscriptionState {
  readonly teamId: TeamId
  readonly provider: string
  readonly name: string
  /** The secret that the provider issued with it, sealed, or null. */
  readonly sealed: Uint8Array | null
}
