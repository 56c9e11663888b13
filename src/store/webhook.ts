/** Webhook endpoints, to which a team's events are sent. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** Why an endpoint is disabled: someone disabled it, all attempts failed for five days, or it responded with 410. */
export type DisabledReason = 'manual' | 'failing' | 'gone'

/** The owner of the key that set the URL. Only a URL set with an operator's key may lead to this machine. */
export type UrlSetBy = 'operator' | 'team'

export interface EndpointRecord {
  readonly endpointId: string
  readonly teamId: TeamId
  readonly url: string
  /** Null for an endpoint from an older schema if it is not known who set the URL. */
  readonly urlSetBy: UrlSetBy | null
  readonly description: string
  /** Event types, in which `*` matches any characters. `*` alone matches every type. */
  readonly eventTypes: readonly string[]
  /** Additional prefix, such as `svix-`, with which the three headers are also sent, or null. */
  readonly headerPrefix: string | null
  /** Maximum number of concurrent deliveries in each process. */
  readonly concurrency: number
  /** Maximum number of deliveries per second, or null for no limit. */
  readonly rateLimit: number | null
  /** The signing secret. Like the former secret, it is sealed with the master key. */
  readonly secret: Uint8Array
  /** The secret before the last rotation. Until `formerUntil`, in real time, it is also used to sign. */
  readonly formerSecret: Uint8Array | null
  readonly formerUntil: EpochMs | null
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
  readonly disabledAt: EpochMs | null
  readonly disabledReason: DisabledReason | null
  /** The time since which all attempts have failed, by the engine's clock, or null. */
  readonly failingSince: EpochMs | null
}

/** Endpoint fields that can be changed. Absent fields are left unchanged. */
export type EndpointChange = Partial<
  Pick<EndpointRecord, 'url' | 'urlSetBy' | 'description' | 'eventTypes' | 'headerPrefix' | 'concurrency' | 'rateLimit'>
>
