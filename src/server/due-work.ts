/** Runs jobs as they fall due while the server is up (design 9). */
import { stackLines } from '../core/error-text.ts'
import { ServiceError } from '../core/errors.ts'
import type { EngineContext } from '../engine/context.ts'
import { engineNow } from '../engine/engine.ts'
import { runDueJobs } from '../engine/upkeep/jobs.ts'

export interface DueWork {
  /** Looks at once, or again when it is just looking: the clock was moved. */
  look(): void
  /** Looks no more, and resolves when what runs has stopped; what was not finished stays due. */
  stop(): Promise<void>
}

/** One indexed query tells whether something is due. */
const LOOK_MS = 2_000
/** Who is in the way of a purge's last step is waited for in short turns. */
const WAIT_MS = 2_000
/** After a run the server rests for this many times as long as the run took: rebuilding a large file must not become its work. */
const REST_FACTOR = 20
const REST_AFTER_TROUBLE_MS = 60_000

export interface DueWorkOptions {
  /** Gets a line a run, without ids. */
  readonly log: (line: string) => void
  /** Told of what failed; true: it sees to the log. */
  readonly told?: (error: unknown) => boolean
  readonly lookMs?: number
}

/** Begins to look. */
export function startDueWork(
  engine: EngineContext,
  { log, told = () => false, lookMs = LOOK_MS }: DueWorkOptions,
): DueWork {
  const controller = new AbortController()
  const { signal } = controller
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isLooking = false
  let isWantedAgain = false

  const look = async (): Promise<void> => {
    let restMs = lookMs
    try {
      restMs = Math.max(lookMs, await runOnce(engine, signal, log))
    } catch (error) {
      if (!signal.aborted) {
        restMs = REST_AFTER_TROUBLE_MS
        // of a lost store the server tells once (store-watch.ts)
        if (!isLoss(error) && !told(error)) log(`due jobs failed:${logLines(error).join('\n')}`)
      }
    }
    isLooking = false
    schedule(isWantedAgain ? 0 : restMs)
    isWantedAgain = false
  }
  const begin = (): void => {
    isLooking = true
    running = look()
  }
  const schedule = (ms: number): void => {
    if (signal.aborted) return
    timer = setTimeout(begin, ms)
    timer.unref()
  }
  schedule(lookMs)

  return {
    look() {
      if (isLooking) {
        isWantedAgain = true
        return
      }
      clearTimeout(timer)
      schedule(0)
    },
    async stop() {
      controller.abort(new ServiceError('cancelled', 'The server is closing.'))
      clearTimeout(timer)
      await running
    },
  }
}

/** The message of a bug may hold a value. */
function logLines(error: unknown): readonly string[] {
  return error instanceof ServiceError ? [` ${error.code}`] : ['', ...stackLines(error)]
}

function isLoss(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_lost'
}

/** Runs what is due, and answers how long to rest. */
async function runOnce(engine: EngineContext, signal: AbortSignal, log: (line: string) => void): Promise<number> {
  const now = await engineNow(engine)
  const due = await engine.store.dueJobs(now, null, 1)
  if (due.length === 0) return 0
  const began = performance.now()
  const { ran, left } = await runDueJobs(engine, { now, userIds: null, waitMs: WAIT_MS, signal })
  const tookMs = performance.now() - began
  const words = [
    ...ran.map(({ kind, count }) => `${kind} ${count}`),
    ...left.map(({ kind, reason }) => `${kind} waits: ${reason}`),
  ]
  if (words.length > 0) log(`due jobs: ${words.join(', ')} (${tookMs.toFixed(0)} ms)`)
  return left.length > 0 ? REST_AFTER_TROUBLE_MS : tookMs * REST_FACTOR
}
