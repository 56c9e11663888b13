/** Encrypts stored token sets, each of which is bound to its user, provider and link. */

import { ProviderError } from '../../connectors/provider-session.ts'
import type { TokenSet } from '../../connectors/token-set.ts'
import type { NewTokenSet, TokenSetKey, TokenSetRecord } from '../../store/live/token-sets.ts'
import type { EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

const KEY_ID_BYTES = 8
const sealing = new Sealing('provider grants')

/** Returns a token set's stored form. */
export function sealTokenSet(
  engine: Pick<EngineContext, 'masterKey' | 'random'>,
  key: TokenSetKey,
  tokenSet: TokenSet,
): Omit<NewTokenSet, 'grantId'> {
  const plain = Buffer.from(JSON.stringify(tokenSet))
  const sealed = sealing.seal(engine, boundTo(key), plain, engine.random.bytes(NONCE_BYTES))
  return { sealed, keyId: masterKeyId(engine), expiresAt: tokenSet.expiresAt }
}

/**
 * Returns the token set. Throws ProviderError `grant_lost` if the token set is now used by another store or was sealed under another master
 * key.
 */
export function openTokenSet(engine: Pick<EngineContext, 'masterKey'>, record: TokenSetRecord): TokenSet {
  if (record.state === 'moved') {
    throw new ProviderError('grant_lost', 'Another store uses the tokens, because this store was copied.')
  }
  if (record.keyId !== masterKeyId(engine)) {
    throw new ProviderError('grant_lost', 'The tokens were encrypted with another master key.')
  }
  try {
    return JSON.parse(sealing.open(engine, boundTo(record), record.sealed).toString()) as TokenSet
  } catch (cause) {
    throw new ProviderError('grant_lost', 'The stored tokens are damaged.', { cause })
  }
}

/** Returns a fingerprint of the master key, which does not reveal the key. */
function masterKeyId(engine: Pick<EngineContext, 'masterKey'>): string {
  return sealing.mac(engine, 'key id').subarray(0, KEY_ID_BYTES).toString('hex')
}

function boundTo({ userId, provider, grantId }: TokenSetKey): string {
  return `${userId}\0${provider}\0${grantId}`
}
