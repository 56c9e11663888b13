/** The API key that each start of the server mints (or is given), and that ends with it. */
import { hostname } from 'node:os'
import { hashSecret } from '../core/ids.ts'
import { randomToken, randomUuid, systemRandom } from '../core/random.ts'
import { engineNow } from '../engine/engine.ts'
import type { OpenEngine } from '../engine/open.ts'

export interface SessionKey {
  readonly keyId: string
  readonly key: string
  readonly teamId: string
}

/** `session HOST PID`: says which process a key belongs to. */
const LABEL = /^session (\S+) (\d+)$/

/** Keys come from the operating system, never from an injected source (design 9). */
export async function addSessionKey(engine: OpenEngine, given: string | null): Promise<SessionKey> {
  await revokeOrphans(engine)
  const { teamId } = await engine.localTeam()
  const key = given ?? `sk_us_${randomToken(systemRandom)}`
  const keyId = randomUuid(systemRandom)
  const createdOn = await engineNow(engine.context)
  const label = `session ${hostname()} ${process.pid}`
  await engine.context.store.addKey({ keyId, teamId, hash: hashSecret(key), label, createdOn })
  return { keyId, key, teamId }
}

/** A server that was killed could not take its key back: the next one of this machine does. */
async function revokeOrphans(engine: OpenEngine): Promise<void> {
  const { store } = engine.context
  for (const { keyId, label } of await store.keys()) {
    const [, host, pid] = LABEL.exec(label) ?? []
    if (host === hostname() && !isRunning(Number(pid))) await store.revokeKey(keyId, await engineNow(engine.context))
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
