/** Encrypts an OAuth app's stored secrets, which are bound to their team and provider. */
import type { ServiceAccount } from '../../../connectors/provider-session.ts'
import { ServiceError } from '../../../core/errors.ts'
import { hashSecret, type TeamId, uuidBytes, uuidText } from '../../../core/ids.ts'
import { type RandomSource, randomToken } from '../../../core/random.ts'
import type { OAuthAppRecord } from '../../../store/live/oauth-apps.ts'
import type { EngineContext } from '../../context.ts'
import { NONCE_BYTES, Sealing } from '../../sealing.ts'

export interface AppSecrets {
  readonly clientSecret: string
  /** The secret part of the notification URL. Anyone who has it can send notifications. */
  readonly notificationToken: string
  /** Random text used for handshakes and as a secret in headers. */
  readonly verificationToken: string
  /** Absent or null if not set. */
  readonly serviceAccount?: ServiceAccount | null
}

type Owner = Pick<OAuthAppRecord, 'teamId' | 'provider'>

const RANDOM_BYTES = 32
const TEAM_BYTES = 16
const sealing = new Sealing('provider set-ups')

export function sealAppSecrets(
  engine: Pick<EngineContext, 'masterKey' | 'random'>,
  owner: Owner,
  secrets: AppSecrets,
): Uint8Array {
  const plain = Buffer.from(JSON.stringify(secrets))
  return sealing.seal(engine, boundTo(owner), plain, engine.random.bytes(NONCE_BYTES))
}

/** Returns an OAuth app's secrets. Throws ServiceError `data_folder` if they were sealed under another master key. */
export function openAppSecrets(engine: Pick<EngineContext, 'masterKey'>, oauthApp: OAuthAppRecord): AppSecrets {
  try {
    return JSON.parse(sealing.open(engine, boundTo(oauthApp), oauthApp.sealed).toString()) as AppSecrets
  } catch (cause) {
    const message = `The secrets of the OAuth app for ${oauthApp.provider} cannot be opened: they were sealed with another master key.`
    throw new ServiceError('data_folder', message, {
      suggestions: [
        "Restore the data folder's master.key, or the SVC_MASTER_KEY that was in use.",
        `Or set the provider up again: svc provider setup ${oauthApp.provider}`,
      ],
      cause,
    })
  }
}

/** Returns new secrets. When an OAuth app is changed, its notification secrets are kept, because the provider knows them. */
export function newSecrets(
  random: RandomSource,
  { teamId }: Owner,
  given: Pick<AppSecrets, 'clientSecret' | 'serviceAccount'>,
  known: AppSecrets | null,
): AppSecrets {
  return {
    ...given,
    notificationToken: known?.notificationToken ?? newNotificationToken(random, teamId),
    verificationToken: known?.verificationToken ?? randomToken(random),
  }
}

/**
 * Returns a new token. It begins with the bytes of the team's ID, so that the team can be found using only the token, followed by 256
 * random bits.
 */
function newNotificationToken(random: RandomSource, teamId: TeamId): string {
  return Buffer.concat([uuidBytes(teamId), random.bytes(RANDOM_BYTES)]).toString('base64url')
}

/** Returns the team whose ID is in a notification token, or null if the text is not such a token. */
export function teamOfNotification(token: string): TeamId | null {
  const bytes = Buffer.from(token, 'base64url')
  return bytes.length === TEAM_BYTES + RANDOM_BYTES ? (uuidText(bytes.subarray(0, TEAM_BYTES)) as TeamId) : null
}

/** Returns a notification token's stored form. */
export function notificationHash({ notificationToken }: AppSecrets): string {
  return hashSecret(notificationToken)
}

function boundTo({ teamId, provider }: Owner): string {
  return `${teamId}\0${provider}`
}
