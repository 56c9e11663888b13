/** Webhook endpoints: where a team's events are sent. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** Why an endpoint is disabled: somebody's decision, five days of nothing but failures, or its own answer 410. */
export type DisabledReason = 'manual' | 'failing' | 'gone'

/** Whose key set the URL. Only a URL that an operator's key set may lead to this machine. */
export type UrlSetBy = 'operator' | 'team'

export interface EndpointRecord {
  readonly endpointId: string
  readonly teamId: TeamId
  readonly url: string
  /** Null if it is not known, for an endpoint of an older schema. */
  readonly urlSetBy: UrlSetBy | null
  readonly description: string
  /** Event types, in which `*` stands for any characters; `*` alone stands for every type. */
  readonly eventTypes: readonly string[]
  /** Prefix under which the three headers are sent a second time, such as `svix-`, or null. */
  readonly headerPrefix: string | null
  /** Maximum number of deliveries in progress at once, in each process. */
  readonly concurrency: number
  /** Maximum number of deliveries per second, or null. */
  readonly rateLimit: number | null
  /** The signing secret, sealed with the master key, as is the former one. */
  readonly secret: Uint8Array
  /** The secret before the last rotation. It also signs until `formerUntil`, in real time. */
  readonly formerSecret: Uint8Array | null
  readonly formerUntil: EpochMs | null
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  readonly disabledAt: EpochMs | null
  readonly disabledReason: DisabledReason | null
  /** Since when all attempts have failed, by the engine's clock, or null. */
  readonly failingSince: EpochMs | null
}

/** What can be changed of an endpoint. Absent fields stay as they are. */
export type EndpointChange = Partial<
  Pick<EndpointRecord, 'url' | 'urlSetBy' | 'description' | 'eventTypes' | 'headerPrefix' | 'concurrency' | 'rateLimit'>
>

export interface WebhookStore {
  add(endpoint: EndpointRecord): Promise<void>
  /** Returns the endpoints of the team, oldest first. */
  list(teamId: TeamId): Promise<readonly EndpointRecord[]>
  find(teamId: TeamId, endpointId: string): Promise<EndpointRecord | null>
  /** Returns, for each endpoint, how many deliveries are still to come and how many are dead. */
  kept(
    endpoints: readonly Pick<EndpointRecord, 'teamId' | 'endpointId'>[],
  ): Promise<ReadonlyMap<string, { readonly waiting: number; readonly dead: number }>>
  /** Changes an endpoint and returns it, or null if there is none. */
  change(teamId: TeamId, endpointId: string, change: EndpointChange, at: EpochMs): Promise<EndpointRecord | null>
  /**
   * Replaces the secret. The old one becomes the former secret, which also signs until `formerUntil` (real time). Returns null if there is
   * no such endpoint.
   */
  rotate(
    teamId: TeamId,
    endpointId: string,
    rotation: { readonly secret: Uint8Array; readonly formerUntil: EpochMs; readonly at: EpochMs },
  ): Promise<EndpointRecord | null>
  /** Disables an endpoint. What waits for it becomes dead, and can be sent again. Returns null if there is no such endpoint. */
  disable(teamId: TeamId, endpointId: string, reason: DisabledReason, at: EpochMs): Promise<EndpointRecord | null>
  /** Enables an endpoint. It gets what happens from now on. Returns null if there is no such endpoint. */
  enable(teamId: TeamId, endpointId: string, at: EpochMs): Promise<EndpointRecord | null>
  /** Removes an endpoint with everything that was stored about its deliveries. Returns false if there was none. */
  remove(teamId: TeamId, endpointId: string): Promise<boolean>
}
