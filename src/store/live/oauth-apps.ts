/** OAuth apps at live providers. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

/** A team's OAuth app at a provider. */
export interface OAuthAppRecord {
  readonly teamId: TeamId
  readonly provider: string
  readonly clientId: string
  /** Null for the path on the server's public URL. */
  readonly redirectUrl: string | null
  readonly scopes: readonly string[]
  /** Null for the connector's default. */
  readonly authorizeUrl: string | null
  readonly tokenUrl: string | null
  readonly apiUrl: string | null
  readonly settings: Readonly<Record<string, string>>
  readonly keepsRaw: boolean
  /** Client secret, notification token and verification token, sealed. */
  readonly sealed: Uint8Array
  /** SHA-256 of the notification token, in hex. */
  readonly notificationHash: string
  readonly createdOn: EpochMs
  readonly updatedAt: EpochMs
}
