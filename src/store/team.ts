/** Teams and their API keys as stored. Part of the port (port.ts). */
import type { MixedKinds } from '../catalogue/kinds.ts'
import type { TeamId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** Closed-beta features, each enabled or disabled for the team. See docs/interface/users.md#users-17 and docs/interface/aggregates.md. */
export interface TeamBetas {
  readonly user_info: boolean
  readonly aggregate: boolean
}

/** A team's defaults for aggregate queries. */
export interface QueryDefaults {
  /** Whether the tables that can be merged are merged. */
  readonly merges: boolean
  readonly mixedKinds: MixedKinds
}

/** A team's settings. */
export interface TeamSettings {
  /** Whether only one user of the team can connect the same provider account. */
  readonly rejectDuplicateConnection: boolean
  /** Maximum number of active users, or null for no limit. */
  readonly userLimit: number | null
  /** Maximum number of bytes that the team's users store, or null for no limit. */
  readonly maxBytes: number | null
  /**
   * Maximum number of requests per second, and maximum number of concurrent requests, that one server accepts from the team. Null for no
   * limit.
   */
  readonly maxRequestsPerSecond: number | null
  readonly maxInFlight: number | null
  readonly betas: TeamBetas
  /** The date that determines which deprecations apply, or null for the clock's current date. */
  readonly compatibilityDate: IsoDate | null
  /** Number of days for which the team's events are kept. */
  readonly eventDays: number
  readonly queryDefaults: QueryDefaults
  /** Number of days for which the content of imported files is kept, or null if it is not kept. */
  readonly keepImportDays: number | null
}

export interface TeamRecord extends TeamSettings {
  readonly teamId: TeamId
  /** Unique name of the team. */
  readonly name: string
  readonly createdOn: EpochMs
}

/** A team to create. Absent settings get their default values. */
export type NewTeam = Pick<TeamRecord, 'teamId' | 'name' | 'createdOn'> & Partial<TeamSettings>
/** Fields that `change` accepts. */
export type TeamChanges = Partial<TeamSettings & Pick<TeamRecord, 'name'>>

export const DEFAULT_TEAM_SETTINGS: TeamSettings = {
  rejectDuplicateConnection: false,
  userLimit: null,
  maxBytes: null,
  maxRequestsPerSecond: null,
  maxInFlight: null,
  betas: { user_info: true, aggregate: true },
  compatibilityDate: null,
  eventDays: 30,
  queryDefaults: { merges: false, mixedKinds: 'warn' },
  keepImportDays: null,
}

export interface KeyRecord {
  readonly keyId: string
  readonly teamId: TeamId
  /** SHA-256 of the key, in hex. The key itself is never stored. */
  readonly hash: string
  /** The part of the key that can be shown, such as `sk_us_…a1b2`. */
  readonly prefix: string
  readonly label: string
  /** Whether the key also allows operations on all teams and on the store. */
  readonly isOperator: boolean
  readonly createdOn: EpochMs
  /** Start of the day on which the key was last used, by the engine's clock. */
  readonly lastUsedAt: EpochMs | null
  /** When the key was revoked, or null while it is valid. */
  readonly revokedAt: EpochMs | null
}

/** The owner of an API key, and the key's permissions. */
export interface KeyHolder {
  readonly team: TeamRecord
  readonly keyId: string
  readonly isOperator: boolean
  readonly lastUsedAt: EpochMs | null
}

/**
 * What is counted. `samples` are samples that were added or changed. `users` and `connections` are new ones. `delivered` and `failed` are
 * delivery attempts, and `delivery_ms` is the sum of their durations. The subject of these three is the endpoint, and that of `connections`
 * and `refused_notifications` the provider. The others have no subject.
 */
export type CounterName =
  | 'requests_2xx'
  | 'requests_4xx'
  | 'requests_5xx'
  | 'samples'
  | 'events'
  | 'users'
  | 'connections'
  | 'delivered'
  | 'failed'
  | 'delivery_ms'
  | 'refused_notifications'

/** A number to add to a counter. */
export interface Count {
  readonly teamId: TeamId
  readonly name: CounterName
  /** The ID of an endpoint, the slug of a provider, or an empty text. */
  readonly subject: string
  readonly n: number
}

/** The sum of one counter on one day. */
export interface DayCount {
  /** Start of the day, in UTC. */
  readonly day: EpochMs
  readonly name: CounterName
  readonly n: number
}
