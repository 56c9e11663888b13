/**
 * Runs the work for live providers for as long as a server runs. The work runs in a thread if threads are available, so that calls do not
 * wait for it. It starts when the first OAuth app exists; until then, the server only checks for one.
 */
import { stackLines } from '../../core/error-text.ts'
import { ServiceError } from '../../core/errors.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { EngineContext, LiveRun } from '../../engine/context.ts'
import { startWatch, type Watch } from '../guards/look.ts'
import { LiveLoop } from './live-loop.ts'

export interface LiveWork {
  /** Checks for due work at once. Called when a notification arrived or an account was linked. */
  look(): void
  /** Stops, and resolves when all tasks have ended. Unfinished work stays due. */
  stop(): Promise<void>
}

export interface LiveWorkOptions {
  /** Receives log lines without IDs. */
  readonly log: (line: string) => void
  /** Called with an error; returns true if the callee takes care of logging it. */
  readonly onError?: (error: unknown) => boolean
  readonly lookMs?: number
}

/** How often a server without an OAuth app checks for one. */
const LOOK_FOR_OAUTH_APPS_MS = 5 * SECOND_MS
/** How long the work pauses after its thread has failed. */
const REST_MS = MINUTE_MS

/** Starts checking for due work. */
export function startLiveWork(engine: EngineContext, { log, onError, lookMs }: LiveWorkOptions): LiveWork {
  /** Logs a refusal's error code, or a bug's stack without its message, which may contain a value. */
  const failed = (error: unknown): void => {
    // store-watch.ts reports a lost store once
    if (onError?.(error) || (error instanceof ServiceError && error.code === 'store_lost')) return
    const lines = error instanceof ServiceError ? [error.code] : ['', ...stackLines(error)]
    log(`live providers failed: ${lines.join('\n')}`)
  }
  const { apart } = engine
  return apart
    ? new LiveThread(engine, () => apart.live({ log, failed }))
    : new LiveLoop(engine, { log, failed, lookMs })
}

/** Runs the work in a thread, which is restarted when it fails. */
class LiveThread implements LiveWork {
  private readonly engine: EngineContext
  private readonly start: () => LiveRun
  private readonly appWatch: Watch
  private run: LiveRun | null = null
  private restsUntil = 0
  private isStopped = false

  constructor(engine: EngineContext, start: () => LiveRun) {
    this.engine = engine
    this.start = start
    this.appWatch = startWatch(LOOK_FOR_OAUTH_APPS_MS, () => this.lookForOAuthApps())
    void this.appWatch.look()
  }

  look(): void {
    if (this.run) this.run.look()
    else void this.appWatch.look()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.appWatch.stop()
    await this.run?.stop()
  }

  private async lookForOAuthApps(): Promise<void> {
    if (this.run || performance.now() < this.restsUntil) return
    // store-watch.ts finds and logs problems with the store
    const apps = await this.engine.store.live.oauthApps.list(null).catch(() => [])
    if (apps.length === 0 || this.isStopped) return
    const run = this.start()
    this.run = run
    void run.ended.then(() => {
      this.run = null
      this.restsUntil = performance.now() + REST_MS
    })
  }
}
