/** Subscriptions at live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { SubscriptionState } from './connections.ts'

/** An app's subscription at a provider. */
export interface SubscriptionRecord extends SubscriptionState {
  readonly teamId: TeamId
  readonly provider: string
  readonly name: string
  /** The sealed secret that the provider issued with the subscription, or null. */
  readonly sealed: Uint8Array | null
}
