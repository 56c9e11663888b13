/** The API key that each start of the server mints (or is given), and that ends with it. */
import { hostname } from 'node:os'
import { ServiceError } from '../core/errors.ts'
import { hashSecret, type TeamId } from '../core/ids.ts'
import { randomUuid, systemRandom } from '../core/random.ts'
import { engineNow } from '../engine/engine.ts'
import type { OpenEngine } from '../engine/open.ts'
import { newApiKey, recordOfKey } from '../engine/teams/new-api-key.ts'

export interface SessionKey {
  /** Null: the key was there before, and stays. */
  readonly keyId: string | null
  readonly key: string
  readonly teamId: string
}

/** `session HOST PID`: says which process a key belongs to. */
const LABEL = /^session (\S+) (\d+)$/

/**
 * Keys come from the operating system, never from an injected source (design 9). A given key that belongs to a team already is
 * that team's; throws ServiceError `usage` for one that was revoked by hand.
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
    return { keyId: record.keyId, key, teamId }
  }
  const owner = await ownerOf(engine, given)
  if (owner !== null) return { keyId: null, key: given, teamId: owner }
  const keyId = randomUuid(systemRandom)
  await store.teams.addKey(recordOfKey(given, { ...shared, keyId }))
  return { keyId, key: given, teamId }
}

/** The team of a key that is no server's. One of an earlier server may be used again by this one. */
async function ownerOf(engine: OpenEngine, given: string): Promise<TeamId | null> {
  const known = await engine.context.store.teams.keyOf(hashSecret(given))
  if (known === null || LABEL.test(known.label)) return null
  if (known.revokedAt === null) return known.teamId
  throw new ServiceError('usage', 'The API key on stdin was revoked: a revoked key stays so.', {
    suggestions: ['Give another one, or none: each start mints its own.'],
  })
}

/** A server that was killed could not take its key back: the next one of this machine does. */
async function revokeOrphans(engine: OpenEngine): Promise<void> {
  const { teams } = engine.context.store
  for (const { keyId, label, revokedAt } of await teams.keys(null)) {
    if (revokedAt !== null) continue
    const [, host, pid] = LABEL.exec(label) ?? []
    if (host === hostname() && !isRunning(Number(pid))) await teams.revokeKey(keyId, await engineNow(engine.context))
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
