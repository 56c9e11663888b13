/** What the store keeps of teams and their API keys. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** Closed-beta features, each switched on or off for the team (interface.md 4.5, 4.9). */
export interface TeamBetas {
  readonly user_info: boolean
  readonly aggregate: boolean
}

/** What is switched team by team. */
export interface TeamSettings {
  /** Whether a provider account may be connected to one user of the team only. */
  readonly rejectDuplicateConnection: boolean
  /** Most active users; null: as many as there are. */
  readonly userLimit: number | null
  /** Most bytes that its users store; null: no limit. */
  readonly maxBytes: number | null
  /** Requests a second, and at once, that one server takes for it; null: no limit. */
  readonly maxRequestsPerSecond: number | null
  readonly maxInFlight: number | null
  readonly betas: TeamBetas
  /** The day whose deprecations apply; null: the clock's today. */
  readonly compatibilityDate: IsoDate | null
  /** How long its events are kept. */
  readonly eventDays: number
}

export interface TeamRecord extends TeamSettings {
  readonly teamId: TeamId
  /** Unique. */
  readonly name: string
  readonly createdOn: EpochMs
}

/** A team before it is there: a switch that is not given has its default. */
export type NewTeam = Pick<TeamRecord, 'teamId' | 'name' | 'createdOn'> & Partial<TeamSettings>
/** What `change` may change. */
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
}

export interface KeyRecord {
  readonly keyId: string
  readonly teamId: TeamId
  /** SHA-256 of the key, hex: the key itself is never stored. */
  readonly hash: string
  /** What may be shown of it, as in `sk_us_…a1b2`. */
  readonly prefix: string
  readonly label: string
  /** Whether it may do what is about all teams or the store itself. */
  readonly isOperator: boolean
  readonly createdOn: EpochMs
  /** The start of the day, of the engine's clock, on which it was used last. */
  readonly lastUsedAt: EpochMs | null
  /** Null: it works. */
  readonly revokedAt: EpochMs | null
}

/** Whose an API key is, and what it may do. */
export interface KeyHolder {
  readonly team: TeamRecord
  readonly keyId: string
  readonly isOperator: boolean
  readonly lastUsedAt: EpochMs | null
}

export interface TeamStore {
  /** Makes a team and its first key; `taken`: another one has the name. */
  create(team: NewTeam, key: KeyRecord): Promise<'created' | 'taken'>
  /** All teams with their active users, and the bytes that their users store where they have a quota of them; oldest first. */
  all(): Promise<readonly { readonly team: TeamRecord; readonly users: number; readonly bytes: number | null }[]>
  find(teamId: TeamId): Promise<TeamRecord | null>
  /** The team as it is then, `taken` when another one has the new name, null when there is none. */
  change(teamId: TeamId, changes: TeamChanges): Promise<TeamRecord | 'taken' | null>

  /** A key that was revoked before is taken up again under the new id. */
  addKey(key: KeyRecord): Promise<void>
  /** Makes the key useless from now on, if it is not already; answers it, or null where there is none. */
  revokeKey(keyId: string, at: EpochMs): Promise<KeyRecord | null>
  /** Keys of a team or of all, revoked ones too, oldest first. */
  keys(teamId: TeamId | null): Promise<readonly KeyRecord[]>
  /** The key with this hash, revoked or not. */
  keyOf(hash: string): Promise<KeyRecord | null>
  /** Whose an unrevoked key is, or null. */
  holderOf(hash: string): Promise<KeyHolder | null>
  /** Notes the day of a key's use. */
  noteUse(keyId: string, day: EpochMs): Promise<void>
}
