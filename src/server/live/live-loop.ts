/**
 * Pulls due collections from live providers until it is stopped. It serves many connections at once, and no team or provider delays
 * another.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { DueLive, maintainLive } from '../../engine/live/due-live.ts'
import type { FairTasks } from '../../engine/live/fair-tasks.ts'
import type { LiveTask, RanLive } from '../../engine/live/live-task.ts'

export interface LiveLoopOptions {
  /** Receives log lines without IDs. */
  readonly log: (line: string) => void
  /** Called with a task's or a check's error; both are repeated later. */
  readonly failed: (error: unknown) => void
  readonly lookMs?: number | undefined
}

const LOOK_MS = SECOND_MS
/** How often a server without an OAuth app checks for one. */
const LOOK_FOR_OAUTH_APPS_MS = 5 * SECOND_MS
/** Checks that are requested within this time are combined. */
const SOON_MS = 5
/** How often subscriptions and revocations are processed. */
const MAINTAIN_MS = 30 * SECOND_MS
const LOG_MS = MINUTE_MS
/** How long `stop` waits for responses that contain the next token set and must not be lost. */
const CLOSE_MS = 2 * SECOND_MS
/** How long a task pauses after a store error. */
const REST_MS = MINUTE_MS

interface LiveParts {
  readonly due: DueLive
  readonly fair: FairTasks
  readonly maintainLive: typeof maintainLive
  closeProviderConnections(when: 'idle' | 'at once'): Promise<void>
}

export class LiveLoop {
  private readonly controller = new AbortController()
  /** Tasks that pause after an error, and when they may run again. */
  private readonly resting = new Map<string, number>()
  private readonly counts = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | null = null
  private isWantedAgain = false
  private isSoon = false
  private parts: LiveParts | null = null
  /** Periodic tasks that have not started yet. */
  private maintenance: readonly LiveTask[] = []
  private maintainedAt = Number.NEGATIVE_INFINITY
  private loggedAt = performance.now()
  private readonly engine: EngineContext
  private readonly options: LiveLoopOptions

  constructor(engine: EngineContext, options: LiveLoopOptions) {
    this.engine = engine
    this.options = options
    this.schedule(0)
  }

  /** Checks for due work at once. Called when a notification arrived or an account was linked. */
  look(): void {
    if (this.looking) this.isWantedAgain = true
    else if (!this.isSoon) this.schedule(SOON_MS)
  }

  /** Stops, and resolves when all tasks have ended. Unfinished work stays due. */
  async stop(): Promise<void> {
    this.controller.abort(new ServiceError('cancelled', 'The server is closing.'))
    clearTimeout(this.timer)
    await this.looking
    if (!this.parts) return
    const { fair, closeProviderConnections } = this.parts
    fair.stop(this.controller.signal.reason)
    const idle = fair.idle()
    const isIdle = await Promise.race([idle.then(() => true), pause(CLOSE_MS, false, { ref: false })])
    await closeProviderConnections(isIdle ? 'idle' : 'at once')
    await idle
  }

  private schedule(ms: number): void {
    if (this.controller.signal.aborted) return
    clearTimeout(this.timer)
    this.isSoon = ms <= SOON_MS
    this.timer = setTimeout(() => {
      this.looking = this.pass().finally(() => {
        this.looking = null
        const lookMs = this.options.lookMs ?? (this.parts ? LOOK_MS : LOOK_FOR_OAUTH_APPS_MS)
        this.schedule(this.isWantedAgain ? SOON_MS : lookMs)
        this.isWantedAgain = false
      })
    }, ms)
    this.timer.unref()
  }

  private async pass(): Promise<void> {
    try {
      const isLate = performance.now() - this.maintainedAt >= MAINTAIN_MS
      if (isLate || !this.parts) await this.prepare()
      if (!this.parts) return
      const { due, fair } = this.parts
      if (isLate) await this.maintain(this.parts)
      const tasks = [...this.maintenance, ...(await due.tasks())]
      if (this.controller.signal.aborted) return
      fair.start(tasks.filter(({ name }) => !this.isResting(name)))
      this.maintenance = this.maintenance.filter(({ name }) => !fair.has(name) && !this.isResting(name))
      this.report()
    } catch (error) {
      this.note(error)
    }
  }

  /** Loads the code that communicates with providers, once a team has an OAuth app. */
  private async prepare(): Promise<void> {
    if (this.parts || (await this.engine.store.live.oauthApps.list(null)).length === 0) return
    const [{ DueLive, maintainLive }, { FairTasks }, { closeProviderConnections }] = await Promise.all([
      import('../../engine/live/due-live.ts'),
      import('../../engine/live/fair-tasks.ts'),
      import('../../engine/live/exchange.ts'),
    ])
    const fair = new FairTasks({
      untilDone: false,
      ran: ran => this.count(ran),
      failed: ({ name }, error) => {
        this.resting.set(name, performance.now() + REST_MS)
        this.note(error)
      },
      // other connections may be waiting for the slot
      ended: () => this.look(),
    })
    this.parts = { due: new DueLive(this.engine), fair, maintainLive, closeProviderConnections }
  }

  private isResting(name: string): boolean {
    const until = this.resting.get(name)
    if (until === undefined || until > performance.now()) return until !== undefined
    this.resting.delete(name)
    return false
  }

  private async maintain({ due, maintainLive }: LiveParts): Promise<void> {
    this.maintainedAt = performance.now()
    this.count(await maintainLive(this.engine, this.controller.signal))
    this.maintenance = await due.maintenance()
  }

  private count(ran: readonly RanLive[]): void {
    for (const { kind, count } of ran) this.counts.set(kind, (this.counts.get(kind) ?? 0) + count)
  }

  private report(): void {
    if (this.counts.size === 0 || performance.now() - this.loggedAt < LOG_MS) return
    this.loggedAt = performance.now()
    const words = [...this.counts].map(([kind, count]) => `${kind} ${count}`)
    this.counts.clear()
    this.options.log(`live providers: ${words.join(', ')}`)
  }

  private note(error: unknown): void {
    if (!this.controller.signal.aborted) this.options.failed(error)
  }
}
