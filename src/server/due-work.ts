/** Runs jobs when they fall due, for as long as the server runs. */
import { stackLines } from '../core/error-text.ts'
import { ServiceError } from '../core/errors.ts'
import { MINUTE_MS } from '../core/time.ts'
import { removeEndedSessions } from '../engine/console/sessions.ts'
import type { EngineContext } from '../engine/context.ts'
import { removeOldCounts } from '../engine/counters.ts'
import { removeOldExchanges } from '../engine/deliveries/exchange.ts'
import { engineNow } from '../engine/engine.ts'
import { removeOldResponses } from '../engine/idempotency/once.ts'
import { removeOldFiles } from '../engine/intake/kept-file.ts'
import { runDueJobs } from '../engine/upkeep/jobs.ts'

export interface DueWork {
  /** Checks for due jobs at once, or again after the current run. Called after the clock was moved. */
  look(): void
  /** Stops checking, and resolves when the running job has stopped. Unfinished jobs stay due. */
  stop(): Promise<void>
}

/** How often to check. A check is cheap, because one indexed query finds due jobs. */
const LOOK_MS = 2_000
/** How long a purge's last step waits for other readers before it is postponed. */
const WAIT_MS = 2_000
/** Pause after a run, as a multiple of the run's duration, so that rebuilding a large file does not become the server's main work. */
const REST_FACTOR = 20
const REST_AFTER_TROUBLE_MS = 60_000
/**
 * Interval, in real time, at which what is kept for a limited time is removed: attempts' requests, keyed responses, imported
 * files, counts, ended sessions.
 */
const REMOVE_OLD_MS = 10 * MINUTE_MS

export interface DueWorkOptions {
  /** Receives one line per run, without IDs. */
  readonly log: (line: string) => void
  /** Called with an error; returns true if the callee takes care of logging it. */
  readonly onError?: (error: unknown) => boolean
  readonly lookMs?: number
}

/** Starts checking for due jobs. */
export function startDueWork(
  engine: EngineContext,
  { log, onError = () => false, lookMs = LOOK_MS }: DueWorkOptions,
): DueWork {
  const controller = new AbortController()
  const { signal } = controller
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isLooking = false
  let isWantedAgain = false
  let removedAt = Number.NEGATIVE_INFINITY

  const look = async (): Promise<void> => {
    let restMs = lookMs
    try {
      restMs = Math.max(lookMs, await runOnce(engine, signal, log))
      if (performance.now() - removedAt >= REMOVE_OLD_MS) {
        await removeOldExchanges(engine, signal)
        await removeOldResponses(engine, signal)
        await removeOldFiles(engine, signal)
        await removeOldCounts(engine, signal)
        await removeEndedSessions(engine)
        removedAt = performance.now()
      }
    } catch (error) {
      if (!signal.aborted) {
        restMs = REST_AFTER_TROUBLE_MS
        // store-watch.ts reports a lost store once
        if (!isLoss(error) && !onError(error)) log(`due jobs failed:${logLines(error).join('\n')}`)
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

/** Returns an error's log lines: only the code of a refusal, or only the stack of a bug, because a bug's message may contain a value. */
function logLines(error: unknown): readonly string[] {
  return error instanceof ServiceError ? [` ${error.code}`] : ['', ...stackLines(error)]
}

function isLoss(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'store_lost'
}

/** Runs the due jobs, and returns the pause in milliseconds. */
async function runOnce(engine: EngineContext, signal: AbortSignal, log: (line: string) => void): Promise<number> {
  const now = await engineNow(engine)
  const due = await engine.store.jobs.due(now, null, 1)
  if (due.length === 0) return 0
  const began = performance.now()
  const { ran, left } = await runDueJobs(engine, { now, userIds: null, waitMs: WAIT_MS, signal })
  const tookMs = performance.now() - began
  const words = [
    ...ran.map(({ kind, count }) => `${kind} ${count}`),
    ...left.map(({ kind, reason }) => `${kind} is waiting: ${reason}`),
  ]
  if (words.length > 0) log(`due jobs: ${words.join(', ')} (${tookMs.toFixed(0)} ms)`)
  return left.length > 0 ? REST_AFTER_TROUBLE_MS : tookMs * REST_FACTOR
}
