/** Encrypts stored token sets, each bound to its user, provider and link. */
import type { Grant } from '../../connectors/grant.ts'
import { ProviderError } from '../../connectors/provider-session.ts'
import type { GrantKey, GrantRecord, NewGrant } from '../../store/live/grants.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

const KEY_ID_BYTES = 8
const sealing = new Sealing('provider grants')

/** Returns a token set's stored form. */
export function sealGrant(
  engine: Pick<EngineContext, 'masterKey' | 'random'>,
  key: GrantKey,
  grant: Grant,
): Omit<NewGrant, 'grantId'> {
  const plain = Buffer.from(JSON.stringify(grant))
  const sealed = sealing.seal(engine, boundTo(key), plain, engine.random.bytes(NONCE_BYTES))
  return { sealed, keyId: keyIdOf(engine), expiresAt: grant.expiresAt }
}

/** Returns the token set. Throws ProviderError `grant_lost` if another store uses it now, or if it was sealed under another master key. */
export function openGrant(engine: Pick<EngineContext, 'masterKey'>, record: GrantRecord): Grant {
  if (record.state === 'moved') {
    throw new ProviderError('grant_lost', 'Another store uses the tokens, because this store was copied.')
  }
  if (record.keyId !== keyIdOf(engine)) {
    throw new ProviderError('grant_lost', 'The tokens were encrypted with another master key.')
  }
  try {
    return JSON.parse(sealing.open(engine, boundTo(record), record.sealed).toString()) as Grant
  } catch (cause) {
    throw new ProviderError('grant_lost', 'The stored tokens are damaged.', { cause })
  }
}

/** Returns a fingerprint of the master key, which does not reveal the key. */
function keyIdOf(engine: Pick<EngineContext, 'masterKey'>): string {
  return sealing.mac(engine, 'key id').subarray(0, KEY_ID_BYTES).toString('hex')
}

function boundTo({ userId, provider, grantId }: GrantKey): string {
  return `${userId}\0${provider}\0${grantId}`
}
