/** Webhook endpoints: where a team's events are sent. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** Why an endpoint gets nothing: somebody's decision, five days of nothing but failures, or its own answer 410. */
export type DisabledReason = 'manual' | 'failing' | 'gone'

/** Whose key set a URL: only an operator's may lead to this machine. */
export type UrlSetBy = 'operator' | 'team'

export interface EndpointRecord {
  readonly endpointId: string
  readonly teamId: TeamId
  readonly url: string
  /** Null: of an endpoint of an older schema, not known. */
  readonly urlSetBy: UrlSetBy | null
  readonly description: string
  /** Event types, each with `*` for any characters; `*` alone: all. */
  readonly eventTypes: readonly string[]
  /** Sends the three headers a second time under this prefix, `svix-` say. */
  readonly headerPrefix: string | null
  /** Deliveries under way at once, at most, of one process. */
  readonly concurrency: number
  /** Deliveries a second at most, or null. */
  readonly rateLimit: number | null
  /** Sealed with the master key, and so is the former one. */
  readonly secret: Uint8Array
  /** The secret before the last rotation: signs too until `formerUntil`, in real time. */
  readonly formerSecret: Uint8Array | null
  readonly formerUntil: EpochMs | null
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  readonly disabledAt: EpochMs | null
  readonly disabledReason: DisabledReason | null
  /** Since when nothing but failures came back, by the engine's clock. */
  readonly failingSince: EpochMs | null
}

/** What can be changed of an endpoint; what is absent stays. */
export type EndpointChange = Partial<
  Pick<EndpointRecord, 'url' | 'urlSetBy' | 'description' | 'eventTypes' | 'headerPrefix' | 'concurrency' | 'rateLimit'>
>

export interface WebhookStore {
  add(endpoint: EndpointRecord): Promise<void>
  /** Oldest first. */
  list(teamId: TeamId): Promise<readonly EndpointRecord[]>
  find(teamId: TeamId, endpointId: string): Promise<EndpointRecord | null>
  /** By endpoint: deliveries that are still to come, and those that were given up. */
  kept(
    endpoints: readonly Pick<EndpointRecord, 'teamId' | 'endpointId'>[],
  ): Promise<ReadonlyMap<string, { readonly waiting: number; readonly dead: number }>>
  /** Null: there is none. */
  change(teamId: TeamId, endpointId: string, change: EndpointChange, at: EpochMs): Promise<EndpointRecord | null>
  /** The secret becomes the former one, which signs too until `formerUntil` (real time). Null: there is no such endpoint. */
  rotate(
    teamId: TeamId,
    endpointId: string,
    rotation: { readonly secret: Uint8Array; readonly formerUntil: EpochMs; readonly at: EpochMs },
  ): Promise<EndpointRecord | null>
  /** What waits for it becomes dead, and can be sent again. Null: there is none. */
  disable(teamId: TeamId, endpointId: string, reason: DisabledReason, at: EpochMs): Promise<EndpointRecord | null>
  /** It gets what happens from now on. Null: there is none. */
  enable(teamId: TeamId, endpointId: string, at: EpochMs): Promise<EndpointRecord | null>
  /** With everything that was kept about its deliveries. False: there was none. */
  remove(teamId: TeamId, endpointId: string): Promise<boolean>
}
