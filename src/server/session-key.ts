/** The API key of one run of the server. Each start creates it (or is given one), and it is revoked when the server stops. */
import { hostname } from 'node:os'
import { ServiceError } from '../core/errors.ts'
import { hashSecret, type TeamId } from '../core/ids.ts'
import { randomUuid, systemRandom } from '../core/random.ts'
import { engineNow } from '../engine/engine.ts'
import type { OpenEngine } from '../engine/open.ts'
import { newApiKey, recordOfKey } from '../engine/teams/new-api-key.ts'

export interface SessionKey {
  /** Null: the key existed before, and stays valid. */
  readonly keyId: string | null
  readonly key: string
  readonly teamId: string
}

/** `session HOST PID`: identifies the process that a key belongs to. */
const LABEL = /^session (\S+) (\d+)$/

/**
 * Creates or registers the key of this run. Keys always come from the operating system's random source, never from an injected one. A given
 * key that already belongs to a team stays that team's. Throws ServiceError `usage` if it was revoked by hand.
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

/** Returns the team of a key that does not belong to a run of a server. A key of an earlier run may be used again by this one. */
async function ownerOf(engine: OpenEngine, given: string): Promise<TeamId | null> {
  const known = await engine.context.store.teams.keyOf(hashSecret(given))
  if (known === null || LABEL.test(known.label)) return null
  if (known.revokedAt === null) return known.teamId
  throw new ServiceError('usage', 'The API key on stdin was revoked and cannot be used again.', {
    suggestions: ['Pass another key, or none: each start then creates its own.'],
  })
}

/** Revokes the keys of killed servers: they could not do so themselves, so the next server on this machine does. */
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
