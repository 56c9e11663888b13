/** The audit trail: who did what to which object, and how it ended; no values. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

export interface AuditEntry {
  readonly entryId: string
  /** Who called, or for a link token whose it is. */
  readonly teamId: TeamId
  readonly at: EpochMs
  /** `local`, `link_token`, or `key:` and the id of the key. */
  readonly actor: string
  /** Id of the operation. */
  readonly operation: string
  /** Ids by name (`user_id`, `provider` …). */
  readonly object: Readonly<Record<string, string>>
  /** `ok`, or the code of the error. */
  readonly outcome: string
}

export interface AuditQuery {
  readonly teamId: TeamId | null
  readonly operation: string | null
  /** Inclusive. */
  readonly since: EpochMs | null
  /** Where the last page ended: what is older follows. */
  readonly before: Pick<AuditEntry, 'at' | 'entryId'> | null
  readonly limit: number
}

export interface AuditStore {
  /** Appends an entry by itself; the same one twice is there once. */
  append(entry: AuditEntry): Promise<void>
  /** Newest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
}
