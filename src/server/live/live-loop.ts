/** Pulls what is due at live providers until it is stopped: several connections at once, and no team holds up another. */
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { DueLive, LiveTask, RanLive } from '../../engine/live/due-live.ts'

export interface LiveLoopOptions {
  /** Receives one line from time to time, without ids. */
  readonly log: (line: string) => void
  /** Called with what a task or a look throws; both are repeated later. */
  readonly failed: (error: unknown) => void
  readonly lookMs?: number | undefined
}

const LOOK_MS = SECOND_MS
/** How often a server without a set-up looks for one. */
const LOOK_FOR_SETUPS_MS = 5 * SECOND_MS
/** Looks that are asked for at the same time are one. */
const SOON_MS = 5
/** How often subscriptions and revocations are seen to. */
const MAINTAIN_MS = 30 * SECOND_MS
const LOG_MS = MINUTE_MS
/** Connections. Each is asked for several collections at once, and their pages are in memory. */
const AT_ONCE = 4
/** How long a task rests that met an error of the store. */
const REST_MS = MINUTE_MS

export class LiveLoop {
  private readonly controller = new AbortController()
  private readonly running = new Map<string, { readonly teamId: TeamId; readonly ended: Promise<void> }>()
  /** Tasks that rest after trouble, and until when. */
  private readonly resting = new Map<string, number>()
  private readonly counts = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | null = null
  private maintaining: Promise<void> | null = null
  private isWantedAgain = false
  private isSoon = false
  private due: DueLive | null = null
  private maintainedAt = Number.NEGATIVE_INFINITY
  private loggedAt = performance.now()
  private readonly engine: EngineContext
  private readonly options: LiveLoopOptions

  constructor(engine: EngineContext, options: LiveLoopOptions) {
    this.engine = engine
    this.options = options
    this.schedule(0)
  }

  /** Looks for what is due at once: a notification came, or an account was linked. */
  look(): void {
    if (this.looking) this.isWantedAgain = true
    else if (!this.isSoon) this.schedule(SOON_MS)
  }

  /** Stops, and resolves when nothing runs any more. What was not finished stays due. */
  async stop(): Promise<void> {
    this.controller.abort(new ServiceError('cancelled', 'The server is closing.'))
    clearTimeout(this.timer)
    await this.looking
    await Promise.all([this.maintaining, ...[...this.running.values()].map(({ ended }) => ended)])
    if (this.due) {
      const { closeProviderConnections } = await import('../../engine/live/exchange.ts')
      await closeProviderConnections()
    }
  }

  private schedule(ms: number): void {
    if (this.controller.signal.aborted) return
    clearTimeout(this.timer)
    this.isSoon = ms <= SOON_MS
    this.timer = setTimeout(() => {
      this.looking = this.turn().finally(() => {
        this.looking = null
        const lookMs = this.options.lookMs ?? (this.due ? LOOK_MS : LOOK_FOR_SETUPS_MS)
        this.schedule(this.isWantedAgain ? SOON_MS : lookMs)
        this.isWantedAgain = false
      })
    }, ms)
    this.timer.unref()
  }

  private async turn(): Promise<void> {
    try {
      const isLate = performance.now() - this.maintainedAt >= MAINTAIN_MS
      if (isLate || !this.due) await this.prepare()
      if (!this.due) return
      if (isLate) this.maintain()
      if (this.running.size < AT_ONCE) this.start(await this.due.tasks())
      this.report()
    } catch (error) {
      this.note(error)
    }
  }

  /** Loads the parts that talk to providers, once a team has a set-up. */
  private async prepare(): Promise<void> {
    const setups = await this.engine.store.live.setups.list(null)
    if (setups.length === 0) this.due = null
    else if (!this.due) {
      const { DueLive } = await import('../../engine/live/due-live.ts')
      this.due = new DueLive(this.engine)
    }
  }

  /** Starts tasks, each time one of the team that has the fewest. */
  private start(tasks: readonly LiveTask[]): void {
    const { signal } = this.controller
    const waiting = tasks.filter(({ name }) => !this.running.has(name) && !this.isResting(name))
    while (this.running.size < AT_ONCE && waiting.length > 0 && !signal.aborted) {
      const counts = new Map<TeamId, number>()
      for (const { teamId } of this.running.values()) counts.set(teamId, (counts.get(teamId) ?? 0) + 1)
      const countOf = (at: number): number => counts.get((waiting[at] as LiveTask).teamId) ?? 0 // `at` is an index of it
      let best = 0
      for (let at = 1; at < waiting.length; at++) if (countOf(at) < countOf(best)) best = at
      for (const task of waiting.splice(best, 1)) this.run(task)
    }
  }

  private run(task: LiveTask): void {
    const { name, teamId, kind, size } = task
    const run = async (): Promise<void> => {
      try {
        const isDone = await task.run({ signal: this.controller.signal, untilDone: false })
        if (isDone) this.count(kind, size)
      } catch (error) {
        this.resting.set(name, performance.now() + REST_MS)
        this.note(error)
      }
      this.running.delete(name)
      // others may wait for the place
      this.look()
    }
    this.running.set(name, { teamId, ended: run() })
  }

  private isResting(name: string): boolean {
    const until = this.resting.get(name)
    if (until === undefined || until > performance.now()) return until !== undefined
    this.resting.delete(name)
    return false
  }

  private maintain(): void {
    this.maintainedAt = performance.now()
    this.maintaining ??= this.maintained().finally(() => {
      this.maintaining = null
    })
  }

  private async maintained(): Promise<void> {
    try {
      const { maintainLive } = await import('../../engine/live/due-live.ts')
      const ran: readonly RanLive[] = await maintainLive(this.engine, this.controller.signal)
      for (const { kind, count } of ran) this.count(kind, count)
    } catch (error) {
      this.note(error)
    }
  }

  private count(kind: string, count: number): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + count)
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
