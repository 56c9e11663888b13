/** Creates API keys that consist of a prefix and 256 random bits. Only a hash is stored. See docs/security.md. */
import type { Environment, Region } from '../../contract/teams/team.ts'
import { hashSecret, type TeamId } from '../../core/ids.ts'
import { randomToken, randomUuid } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import type { KeyRecord } from '../../store/team.ts'
import type { EngineContext } from '../context.ts'

const ENVIRONMENT_LETTERS: Readonly<Record<Environment, string>> = { sandbox: 'sk', production: 'pk' }

export interface KeySettings {
  readonly teamId: TeamId
  readonly environment: Environment
  readonly region: Region
  readonly label: string
  readonly isOperator: boolean
  readonly now: EpochMs
}

/** Returns a new key and its stored record. */
export function newApiKey(
  { random }: Pick<EngineContext, 'random'>,
  settings: KeySettings,
): { readonly key: string; readonly record: KeyRecord } {
  const key = `${ENVIRONMENT_LETTERS[settings.environment]}_${settings.region}_${randomToken(random)}`
  return { key, record: recordOfKey(key, { ...settings, keyId: randomUuid(random) }) }
}

/** Returns an existing key's stored record. */
export function recordOfKey(
  key: string,
  { keyId, teamId, label, isOperator, now }: Omit<KeySettings, 'environment' | 'region'> & { readonly keyId: string },
): KeyRecord {
  return {
    keyId,
    teamId,
    hash: hashSecret(key),
    prefix: shownKey(key),
    label,
    isOperator,
    createdOn: now,
    lastUsedAt: null,
    revokedAt: null,
  }
}

/** Returns the visible part of a key, such as `sk_us_…a1b2`. For a custom key, this is only the end, and only if the key is long. */
function shownKey(key: string): string {
  const start = /^[sp]k_(?:us|eu)_/.exec(key)?.[0] ?? ''
  return key.length < 24 ? `${start}…` : `${start}…${key.slice(-4)}`
}
