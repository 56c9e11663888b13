/** Who is calling: API keys by their hash, link tokens handed on (interface.md 5, interface-gaps 401 / 403). */
import type { Auth } from '../contract/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { hashSecret } from '../core/ids.ts'
import type { TeamRecord } from '../store/port.ts'
import type { Credentials, EngineContext } from './context.ts'

export interface Caller {
  readonly team: TeamRecord | null
  readonly linkToken: string | null
}

/** Throws 401 in the same words for a missing, unknown or revoked key. */
export async function authenticate(engine: EngineContext, auth: Auth, credentials: Credentials): Promise<Caller> {
  const { linkToken } = credentials
  if (credentials.kind === 'team') return { team: credentials.team, linkToken }
  if (auth === 'none') return { team: null, linkToken }
  const { apiKey } = credentials
  if (apiKey === null) {
    if (auth === 'link_token' && linkToken !== null) return { team: null, linkToken }
    throw invalidKey()
  }
  // found by hash, so the comparison tells nothing about the key
  const team = await engine.store.teamOfKey(hashSecret(apiKey))
  if (team === null) throw invalidKey()
  return { team, linkToken }
}

function invalidKey(): ServiceError {
  return new ServiceError('invalid_api_key', 'Invalid API key')
}
