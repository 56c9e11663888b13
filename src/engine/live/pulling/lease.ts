/** The lease on a live connection. Only one process can pull a connection at a time. */
import { SECOND_MS } from '../../../core/time.ts'
import type { LiveConnectionRecord, LiveKey } from '../../../store/live/connections.ts'
import type { EngineContext } from '../../context.ts'

/** How long a lease lasts after its process has died. */
const LEASE_MS = 60 * SECOND_MS
const PROLONG_MS = 15 * SECOND_MS

/** Thrown when a lease is lost because another process has taken over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface HeldLease {
  readonly record: LiveConnectionRecord
  readonly holder: string
  /** Aborted with LeaseLost when the lease is lost, or when the given signal is aborted. */
  readonly signal: AbortSignal
  /** Ends the lease. Does nothing if the lease was lost. */
  release(): Promise<void>
}

/** Leases a connection and extends the lease until it is released. Returns null if another process has the lease. */
export async function acquireLease(
  engine: EngineContext,
  key: LiveKey,
  { holder, signal }: { readonly holder: string; readonly signal: AbortSignal | undefined },
): Promise<HeldLease | null> {
  const { pulls } = engine.store.live
  const take = (): Promise<LiveConnectionRecord | null> => {
    const now = engine.wall.now()
    return pulls.lease(key, { holder, now, until: now + LEASE_MS })
  }
  const record = await take()
  if (record === null) return null
  const controller = new AbortController()
  let taken = performance.now()
  const prolong = async (): Promise<void> => {
    const began = performance.now()
    try {
      if ((await take()) === null) controller.abort(new LeaseLost())
      else taken = began
    } catch {
      // keep retrying on a busy store while the lease lasts
      if (performance.now() - taken > LEASE_MS) controller.abort(new LeaseLost())
    }
  }
  const timer = setInterval(() => void prolong(), PROLONG_MS)
  timer.unref()
  return {
    record,
    holder,
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    async release() {
      clearInterval(timer)
      if (!controller.signal.aborted) await pulls.release(key, holder)
    },
  }
}
