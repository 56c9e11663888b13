/** The passkeys of the people who sign in to the console, as stored. Part of the port (port.ts). */
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'

/** A passkey. Its times are real time. */
export interface ConsolePasskey {
  readonly passkeyId: string
  readonly personId: string
  readonly teamId: TeamId
  readonly name: string
  /** The host name that the passkey belongs to. It works nowhere else. */
  readonly host: string
  /** The authenticator's ID for the passkey, in base64url. */
  readonly credentialId: string
  /** The public key in COSE format. */
  readonly publicKey: Uint8Array
  /** The authenticator's last counter; 0 if it does not count. */
  readonly signCount: number
  readonly createdAt: EpochMs
  readonly lastUsedAt: EpochMs | null
}

/** A passkey with the name of its person. */
export interface ListedPasskey extends ConsolePasskey {
  readonly personName: string
}

/** A challenge that was responded to. It is remembered until it expires, so that nobody can use it again. */
export interface UsedChallenge {
  /** SHA-256 of the challenge, in hex. */
  readonly hash: string
  readonly teamId: TeamId
  readonly expiresAt: EpochMs
}
