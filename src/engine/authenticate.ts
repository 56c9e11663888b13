/** Identifies the caller: looks up API keys by their hash and passes on link tokens. See docs/interface/README.md#interface-5. */
import type { Auth } from '../contract/kernel/operation.ts'
import { ServiceError } from '../core/errors.ts'
import { hashSecret } from '../core/ids.ts'
import { DAY_MS, type EpochMs } from '../core/time.ts'
import type { KeyHolder } from '../store/team.ts'
import { callerOf, useSession } from './console/sessions.ts'
import type { Caller, Credentials, EngineContext } from './context.ts'

/** Returns the caller. Throws the same 401 error for a missing, unknown or revoked key. */
export async function authenticate(
  engine: EngineContext,
  auth: Auth,
  credentials: Credentials,
  now: EpochMs,
): Promise<Caller> {
  const { linkToken } = credentials
  if (credentials.kind === 'team') {
    const { team } = credentials
    // the team's settings may have changed since the team was passed in
    return { team: (await engine.store.teams.find(team.teamId)) ?? team, linkToken, actor: 'local', isOperator: true }
  }
  if (auth === 'none') return { team: null, linkToken, actor: 'anyone', isOperator: false }
  const { apiKey, session = null } = credentials
  if (apiKey === null) {
    if (session !== null && linkToken === null) return callerOfSession(engine, session, now)
    if (auth === 'link_token' && linkToken !== null) {
      return { team: null, linkToken, actor: 'link_token', isOperator: false }
    }
    throw invalidKey()
  }
  // looked up by hash, so the comparison reveals nothing about the key
  const holder = await engine.store.teams.holderOf(hashSecret(apiKey))
  if (holder === null) throw invalidKey()
  noteUse(engine, holder, now)
  return { team: holder.team, linkToken, actor: `key:${holder.keyId}`, isOperator: holder.isOperator }
}

/** Returns the caller on whose behalf a session acts. Throws ServiceError `session_ended`. */
async function callerOfSession(engine: EngineContext, secret: string, now: EpochMs): Promise<Caller> {
  const holder = await useSession(engine, secret)
  if (holder === null) throw sessionEnded()
  const { key, session } = holder
  if (key !== null && session.keyId !== null) noteUse(engine, { keyId: session.keyId, ...key }, now)
  return callerOf(holder)
}

export function sessionEnded(): ServiceError {
  return new ServiceError('session_ended', 'The session has ended. Sign in again.')
}

/** Records once a day that a key was used. No call waits for the write or fails because of it. */
function noteUse(
  engine: EngineContext,
  { keyId, lastUsedAt }: Pick<KeyHolder, 'keyId' | 'lastUsedAt'>,
  now: EpochMs,
): void {
  const day = now - (now % DAY_MS)
  if (lastUsedAt === day) return
  engine.store.teams.noteUse(keyId, day).catch(() => {})
}

function invalidKey(): ServiceError {
  return new ServiceError('invalid_api_key', 'Invalid API key')
}
