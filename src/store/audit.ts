/** The audit trail: who did what to which object, and with what outcome. It contains no values. Part of the port (port.ts). */
import type { TeamId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

export interface AuditEntry {
  readonly entryId: string
  /** The caller's team. For a link token, the team to which the token belongs. */
  readonly teamId: TeamId
  readonly at: EpochMs
  /** `local`, `link_token`, or `key:` or `person:` followed by the ID of the key or person. */
  readonly actor: string
  /** The operation's ID. */
  readonly operation: string
  /** IDs by name (`user_id`, `provider`, …). */
  readonly object: Readonly<Record<string, string>>
  /** `ok`, or the error code. */
  readonly outcome: string
}

export interface AuditQuery {
  readonly teamId: TeamId | null
  readonly operation: string | null
  /** First time to include. */
  readonly since: EpochMs | null
  /** The last entry on the previous page. The list continues with older entries. */
  readonly before: Pick<AuditEntry, 'at' | 'entryId'> | null
  readonly limit: number
}
