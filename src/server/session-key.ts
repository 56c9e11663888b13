/**
 * The API key for one run of the server. The key is created at each start or passed as an option, and revoked when the server stops, unless
 * a profile stores it.
 */
import { hostname } from 'node:os'
import { ServiceError } from '../core/errors.ts'
import { hashSecret, type TeamId } from '../core/ids.ts'
import { randomUuid, systemRandom } from '../core/random.ts'
import { engineNow } from '../engine/engine.ts'
import type { OpenEngine } from '../engine/open.ts'
import { newApiKey, recordOfKey } from '../engine/teams/new-api-key.ts'
import { isRunning } from '../store/folder/data-folder.ts'

export interface SessionKey {
  /** The key to revoke at the end; null for an existing key, which stays valid. */
  readonly keyId: string | null
  readonly key: string
  readonly teamId: string
  /** The key's origin: created for this run, passed as an option, or stored in a profile, whose last key may have been revoked. */
  readonly origin: 'made' | 'given' | 'kept' | 'replaced'
}

/** A profile's key, which outlives the run. */
export interface ProfileKey {
  readonly profile: string
  /** The key in the profile; null if it has none. */
  readonly key: string | null
  /** Whether the profile is new or has this server's URL. */
  readonly isForThisServer: boolean
}

/** `session HOST PID`, which identifies the process that a key belongs to. */
const LABEL = /^session (\S+) (\d+)$/

/**
 * Creates or registers this run's key. Keys always come from the operating system's random source, never from an injected one. A given key
 * that already belongs to a team stays with that team. Throws ServiceError `usage` for a key that was revoked manually.
 */
export async function addSessionKey(engine: OpenEngine, given: string | null): Promise<SessionKey> {
  await revokeOrphans(engine)
  const { store } = engine.context
  const { teamId } = await engine.localTeam()
  const now = await engineNow(engine.context)
  const label = `session ${hostname()} ${process.pid}`
  const shared = { teamId, label, isOperator: true, now }
  if (given === null) {
    const { key, record } = newApiKey({ random: systemRandom }, { ...shared, environment: 'sandbox', region: 'us' })
    await store.teams.addKey(record)
    return { keyId: record.keyId, key, teamId, origin: 'made' }
  }
  const owner = await findOwner(engine, given)
  if (owner !== null) return { keyId: null, key: given, teamId: owner, origin: 'given' }
  const keyId = randomUuid(systemRandom)
  await store.teams.addKey(recordOfKey(given, { ...shared, keyId }))
  return { keyId, key: given, teamId, origin: 'given' }
}

/**
 * Reuses a profile's key if it is valid, and otherwise creates a new one. Until the profile is saved, a new key is revoked at the end
 * (`keyId`). A key that is not in the data folder is added only if the profile is for this server, because it may be another server's key.
 * Throws ServiceError `conflict`, or ServiceError `usage` for a key that is too weak.
 */
export async function addProfileKey(
  engine: OpenEngine,
  { profile, key, isForThisServer }: ProfileKey,
): Promise<SessionKey> {
  await revokeOrphans(engine)
  const { teams } = engine.context.store
  const known = key === null ? null : await teams.keyOf(hashSecret(key))
  if (known === null && !isForThisServer) throw otherServer(profile)
  // a run's key is revoked when that run ends
  const isKept = known !== null && known.revokedAt === null && !LABEL.test(known.label)
  if (key !== null && isKept) return { keyId: null, key, teamId: known.teamId, origin: 'kept' }
  const { teamId } = await engine.localTeam()
  const settings = { teamId, label: `profile ${profile}`, isOperator: true, now: await engineNow(engine.context) }
  if (key !== null && known === null) {
    refuseWeakKey(key)
    const record = recordOfKey(key, { ...settings, keyId: randomUuid(systemRandom) })
    await teams.addKey(record)
    return { keyId: record.keyId, key, teamId, origin: 'kept' }
  }
  const made = newApiKey({ random: systemRandom }, { ...settings, environment: 'sandbox', region: 'us' })
  await teams.addKey(made.record)
  return { keyId: made.record.keyId, key: made.key, teamId, origin: known === null ? 'made' : 'replaced' }
}

function otherServer(profile: string): ServiceError {
  return new ServiceError('conflict', `The profile "${profile}" belongs to another server or data folder.`, {
    suggestions: [`Save to another profile, or remove this one first with \`svc profile remove ${profile}\`.`],
  })
}

/** Returns the team of a key that does not belong to another run. This run may reuse an earlier run's key. */
async function findOwner(engine: OpenEngine, given: string): Promise<TeamId | null> {
  const known = await engine.context.store.teams.keyOf(hashSecret(given))
  if (known === null || LABEL.test(known.label)) return null
  if (known.revokedAt === null) return known.teamId
  throw new ServiceError('usage', 'The API key on stdin was revoked and cannot be used again.', {
    suggestions: ['Pass another key, or none: each start then creates its own.'],
  })
}

/** Revokes the keys of servers that were killed and could not do so themselves. */
async function revokeOrphans(engine: OpenEngine): Promise<void> {
  const { teams } = engine.context.store
  for (const { keyId, label, revokedAt } of await teams.keys(null)) {
    if (revokedAt !== null) continue
    const [, host, pid] = LABEL.exec(label) ?? []
    if (host === hostname() && !isRunning(Number(pid))) await teams.revokeKey(keyId, await engineNow(engine.context))
  }
}

const LEAST_KEY_CHARACTERS = 16
const MOST_KEY_CHARACTERS = 512

/** Throws ServiceError `usage` for a key that is too short or contains characters other than printable ASCII. */
export function refuseWeakKey(key: string): void {
  const isPrintable = /^[\x21-\x7e]+$/.test(key)
  if (isPrintable && key.length >= LEAST_KEY_CHARACTERS && key.length <= MOST_KEY_CHARACTERS) return
  throw new ServiceError(
    'usage',
    `The API key must be ${LEAST_KEY_CHARACTERS} to ${MOST_KEY_CHARACTERS} printable ASCII characters without spaces.`,
  )
}
