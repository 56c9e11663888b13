/**
 * Runs live tasks so that no team waits for another team's provider. Each pair of team and provider has its own share of the slots. A task
 * that waits for its provider does not keep others from running: after a moment, it no longer counts as working. When all slots are taken,
 * a task from one of the largest shares ends to free its slot.
 */
import type { TeamId } from '../../core/ids.ts'
import { SECOND_MS } from '../../core/time.ts'
import type { LiveTask, RanLive } from './live-task.ts'

/**
 * Maximum number of a share's tasks that are receiving responses. Each task requests several collections at once, and keeps their pages in
 * memory.
 */
const WORKING_OF_SHARE = 4
/** Maximum number of tasks in a share. Most of them are waiting for a response, a limit or a pause. */
const MOST_OF_SHARE = 32
/** Maximum number of tasks in total. Each one uses a few sockets. */
const MOST = 256
/** Time without a response after which a task counts as waiting. */
const WAITING_MS = 2 * SECOND_MS
/** How much larger the load of the task that frees its slot must be. With a smaller difference, the two tasks would alternate forever. */
const LARGER = 3

export interface FairTasksOptions {
  /** Whether a pull continues until nothing is due. Otherwise, it ends after a while so that others can run. */
  readonly untilDone: boolean
  readonly ran: (ran: readonly RanLive[]) => void
  /** Called with a task's error, unless the task was stopped. */
  readonly failed: (task: LiveTask, error: unknown) => void
  /** Called when a task has ended. */
  readonly ended: () => void
}

interface RunningTask {
  readonly task: LiveTask
  readonly controller: AbortController
  readonly ended: Promise<void>
  /** When the last response was received, by the monotonic clock. */
  activeAt: number
}

export class FairTasks {
  private readonly running = new Map<string, RunningTask>()
  private readonly options: FairTasksOptions
  private isStopped = false

  constructor(options: FairTasksOptions) {
    this.options = options
  }

  has(name: string): boolean {
    return this.running.has(name)
  }

  /** Returns the running tasks. */
  tasks(): readonly LiveTask[] {
    return [...this.running.values()].map(({ task }) => task)
  }

  /**
   * Starts tasks while there is room. The next task is always the one whose team and provider have the smallest load. Returns the tasks
   * that were not started.
   */
  start(tasks: readonly LiveTask[]): readonly LiveTask[] {
    const waiting = tasks.filter(({ name }) => !this.has(name))
    while (!this.isStopped) {
      const load = new Load(this.running.values())
      let best: LiveTask | undefined
      for (const task of waiting) if (load.hasRoom(task) && !(best && load.of(best) <= load.of(task))) best = task
      if (best === undefined || (load.isFull && !this.makeRoom(load, best))) break
      waiting.splice(waiting.indexOf(best), 1)
      this.run(best)
    }
    return waiting
  }

  /** Resolves when no task is running. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended))
  }

  /** Ends all tasks and starts no more. Unfinished work stays due. */
  stop(reason: unknown): void {
    this.isStopped = true
    for (const { controller } of this.running.values()) controller.abort(reason)
  }

  /** Ends the longest-waiting task among those with the largest load, if that balances the loads. The ended task stays due. */
  private makeRoom(load: Load, { teamId, provider }: LiveTask): boolean {
    const least = load.of({ teamId, provider }) + LARGER
    const [yielding] = [...this.running.values()]
      .filter(({ controller, task }) => !controller.signal.aborted && load.of(task) >= least)
      .sort((a, b) => load.of(b.task) - load.of(a.task) || a.activeAt - b.activeAt)
    yielding?.controller.abort(new Error('the task made room for another one'))
    return yielding !== undefined
  }

  private run(task: LiveTask): void {
    const controller = new AbortController()
    const run = async (): Promise<void> => {
      // wait until the task is registered as running
      await Promise.resolve()
      try {
        controller.signal.throwIfAborted()
        const { untilDone } = this.options
        const onActivity = (): void => {
          running.activeAt = performance.now()
        }
        this.options.ran(await task.run({ signal: controller.signal, untilDone, onActivity }))
      } catch (error) {
        if (!controller.signal.aborted) this.options.failed(task, error)
      }
      this.running.delete(task.name)
      this.options.ended()
    }
    const running: RunningTask = { task, controller, activeAt: performance.now(), ended: run() }
    this.running.set(task.name, running)
  }
}

type TeamProvider = Pick<LiveTask, 'teamId' | 'provider'>

/** Number of running tasks, by team, provider and share. */
class Load {
  private readonly counts = new Map<TeamId | string, number>()
  private all = 0

  constructor(running: Iterable<RunningTask>) {
    const waitsSince = performance.now() - WAITING_MS
    for (const { task, controller, activeAt } of running) {
      if (controller.signal.aborted) continue
      this.all++
      const { teamId, provider } = task
      const working = activeAt > waitsSince ? [`working ${teamId} ${provider}`] : []
      for (const name of [teamId, provider, `${teamId} ${provider}`, ...working]) {
        this.counts.set(name, this.count(name) + 1)
      }
    }
  }

  get isFull(): boolean {
    return this.all >= MOST
  }

  /** Returns whether a share has room for another task. */
  hasRoom({ teamId, provider }: TeamProvider): boolean {
    const share = `${teamId} ${provider}`
    return this.count(`working ${share}`) < WORKING_OF_SHARE && this.count(share) < MOST_OF_SHARE
  }

  /** Returns the total load of a team and a provider. */
  of({ teamId, provider }: TeamProvider): number {
    return this.count(teamId) + this.count(provider)
  }

  private count(name: string): number {
    return this.counts.get(name) ?? 0
  }
}
