/** Pulls a live connection on request, while the caller waits. */
import { randomUUID } from 'node:crypto'
import type { ConnectionRecord } from '../../../store/data-write.ts'
import type { EngineContext } from '../../context.ts'
import { pullConnection } from './pull.ts'

export interface RefreshOptions {
  /** Maximum time that the caller waits. Unfinished work stays due. */
  readonly mostMs: number
  readonly signal: AbortSignal | undefined
}

/** The result of a refresh. `waiting`: the pull continues later, or another process is pulling. */
export type RefreshOutcome = 'refreshed' | 'waiting' | 'failed'

/** Makes all of a connection's collections due, and pulls as many as time allows. */
export async function refreshLive(
  engine: EngineContext,
  { userId, provider }: Pick<ConnectionRecord, 'userId' | 'provider'>,
  { mostMs, signal }: RefreshOptions,
): Promise<RefreshOutcome> {
  const key = { userId, provider }
  await engine.store.live.pulls.hasten(key, null, engine.wall.now())
  if (mostMs <= 0 || signal?.aborted) return 'waiting'
  const late = AbortSignal.timeout(mostMs)
  const { outcome } = await pullConnection(engine, key, {
    holder: randomUUID(),
    signal: signal ? AbortSignal.any([signal, late]) : late,
    untilDone: true,
  })
  if (outcome === 'done') return 'refreshed'
  // the connection has since been disconnected, or was never pulled
  return outcome === 'failed' || outcome === 'none' ? 'failed' : 'waiting'
}
