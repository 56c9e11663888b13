/**
 * Manages the console's sessions: who signs in, for how long, and what a session allows. Sessions use real time. See
 * docs/serve.md#the-console.
 */
import { createHash, createHmac } from 'node:crypto'
import { hashSecret, makeUuid } from '../../core/ids.ts'
import { randomToken } from '../../core/random.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { ConsolePerson } from '../../store/console/person.ts'
import type { ConsoleSession, ConsoleToken, SessionHolder, SessionOwner } from '../../store/console/session.ts'
import type { Caller, EngineContext } from '../context.ts'
import { NONCE_BYTES, Sealing } from '../sealing.ts'

/** Time without requests after which a session ends. */
export const IDLE_MS = 30 * MINUTE_MS
/** Time after sign-in at which a session ends even if it is in use. */
export const ABSOLUTE_MS = 12 * HOUR_MS
/** How often a session's last use is written. */
const SEEN_EVERY_MS = MINUTE_MS
/** How long a one-time URL is valid. */
export const TOKEN_MS = 60 * SECOND_MS
/** How long a person's one-time URL is valid, which somebody else may have to send to the person. */
export const PERSON_TOKEN_MS = 10 * MINUTE_MS

/** A secret with its expiry. The store contains only the secret's hash. */
export interface Issued {
  readonly secret: string
  readonly expiresAt: EpochMs
}

const continued = new Sealing('console sessions in one-time addresses')

/**
 * Creates a token that can start one session before it expires. A token created in a session leads back to that session and does not
 * outlive it. Such a token has the form `RANDOM.SEALED`, and only the service can decrypt the second part.
 */
export async function issueToken(engine: EngineContext, owner: SessionOwner, session: string | null): Promise<Issued> {
  const random = randomToken(engine.random)
  const secret = session === null ? random : `${random}.${sealed(engine, random, session)}`
  const holder = session === null ? null : await lookAtSession(engine, session)
  const end = engine.wall.now() + TOKEN_MS
  const expiresAt = holder === null ? end : Math.min(end, endOfSession(holder))
  await engine.store.console.addToken({ ...owner, hash: hashSecret(secret), expiresAt })
  return { secret, expiresAt }
}

function sealed(engine: EngineContext, boundTo: string, session: string): string {
  const bytes = continued.seal(engine, boundTo, Buffer.from(session), engine.random.bytes(NONCE_BYTES))
  return Buffer.from(bytes).toString('base64url')
}

/**
 * Uses up a token. Returns the secret of the session that the token starts or leads to. Returns null if the token is unknown, used or
 * expired, or if the session that created it has ended.
 */
export async function takeToken(engine: EngineContext, secret: string, browser: string): Promise<string | null> {
  const owner = await engine.store.console.takeToken(hashSecret(secret), engine.wall.now())
  if (owner === null) return null
  // the hash belongs to one of our tokens, so its sealed part is ours too
  const [random = '', session] = secret.split('.')
  if (session === undefined) return (await startSession(engine, owner, browser)).secret
  const found = continued.open(engine, random, Buffer.from(session, 'base64url')).toString()
  return (await lookAtSession(engine, found)) && found
}

/** Returns a person's new token with its row, which the caller stores. */
export function personToken(
  engine: EngineContext,
  { teamId, personId }: Pick<ConsolePerson, 'teamId' | 'personId'>,
): Issued & { readonly row: ConsoleToken } {
  const secret = randomToken(engine.random)
  const expiresAt = engine.wall.now() + PERSON_TOKEN_MS
  return { secret, expiresAt, row: { teamId, keyId: null, personId, hash: hashSecret(secret), expiresAt } }
}

/** Starts a session. `browser` is the browser's family, or empty. */
export async function startSession(engine: EngineContext, owner: SessionOwner, browser: string): Promise<Issued> {
  const { teamId, keyId, personId } = owner
  const secret = randomToken(engine.random)
  const now = engine.wall.now()
  const times = { createdAt: now, lastSeenAt: now }
  await engine.store.console.addSession({ teamId, keyId, personId, hash: hashSecret(secret), ...times, browser })
  return { secret, expiresAt: now + IDLE_MS }
}

/** Returns a session's owner, or null if the session is unknown or has ended. Does not extend the session. */
export async function lookAtSession(engine: EngineContext, secret: string): Promise<SessionHolder | null> {
  const holder = await engine.store.console.holderOf(hashSecret(secret))
  return holder !== null && engine.wall.now() < endOfSession(holder) ? holder : null
}

/** Returns a session's owner for a call, and extends the session. */
export async function useSession(engine: EngineContext, secret: string): Promise<SessionHolder | null> {
  const holder = await lookAtSession(engine, secret)
  if (holder !== null) noteSeen(engine, holder)
  return holder
}

/** Returns when a session ends: when its idle time is over or at its absolute end, whichever is earlier. */
export function endOfSession({ session }: { readonly session: ConsoleSession }): EpochMs {
  return Math.min(session.lastSeenAt + IDLE_MS, session.createdAt + ABSOLUTE_MS)
}

/** Sessions whose last use is being written, so that concurrent calls write it only once. */
const beingWritten = new Set<string>()

/** Stores that a session was used. No call waits for the write or fails because of it. */
function noteSeen(engine: EngineContext, { session: { hash, lastSeenAt } }: SessionHolder): void {
  const now = engine.wall.now()
  if (now - lastSeenAt < SEEN_EVERY_MS || beingWritten.has(hash)) return
  beingWritten.add(hash)
  const forget = (): boolean => beingWritten.delete(hash)
  engine.store.console.noteSeen(hash, now).then(forget, forget)
}

/** Removes sessions and tokens that have ended, and returns their number. */
export function removeEndedSessions(engine: EngineContext): Promise<number> {
  const now = engine.wall.now()
  return engine.store.console.removeEnded({
    createdBefore: now - ABSOLUTE_MS,
    seenBefore: now - IDLE_MS,
    expiredBefore: now,
  })
}

/** Returns the caller on whose behalf a session acts. */
export function callerOf({ team, key, person, session }: SessionHolder): Caller {
  if (person !== null) {
    const isOperator = person.role === 'operator' || person.role === 'owner'
    return { team, linkToken: null, actor: `person:${person.personId}`, isOperator, role: person.role }
  }
  const actor = session.keyId === null ? 'local' : (`key:${session.keyId}` as const)
  return { team, linkToken: null, actor, isOperator: key?.isOperator ?? true }
}

/** Returns for whom a caller's sessions act. Throws for a caller who has no sessions. */
export function ownerOf({ team, actor }: Pick<Caller, 'team' | 'actor'>): SessionOwner {
  if (team === null) throw new Error('a key, a person and the owner of the data folder have a team')
  const { teamId } = team
  if (actor === 'local') return { teamId, keyId: null, personId: null }
  if (actor.startsWith('key:')) return { teamId, keyId: actor.slice('key:'.length), personId: null }
  if (actor.startsWith('person:')) return { teamId, keyId: null, personId: actor.slice('person:'.length) }
  throw new Error('only a key, a person and the owner of the data folder have sessions')
}

/** Returns the public ID of a session, which is derived from its hash and does not reveal it. */
export function sessionIdOf(hash: string): string {
  return makeUuid(createHash('sha256').update(hash).digest(), 4)
}

/**
 * Returns the token that a page sends with each change, so that no other site can make a change with the cookie. The token is derived from
 * the session's secret, which scripts cannot read.
 */
export function deriveCsrfToken(secret: string): string {
  return createHmac('sha256', secret).update('svc console csrf').digest('base64url')
}
