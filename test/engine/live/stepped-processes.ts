/**
 * Processes that run step by step: each waits for permission before and after every write about live connections, and while the provider
 * has one of its requests. One at a time continues, or is killed there.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { storeVariables } from '../../kit/postgres/database.ts'
import { until } from '../../kit/until.ts'
import type { FakeProviderOptions, FakeProviderRequest } from '../../providers/fake-provider.ts'

/** Where a process waits. */
export interface Point {
  readonly process: SteppedProcess
  /** `before pulls.bring`, `arrived refresh`. */
  readonly name: string
  /** Lets it continue. False: its process is killed, so that the next step never happens. */
  readonly leave: (isAlive: boolean) => void
}

/** A call that a process makes. */
export interface Task {
  readonly operation: string
  readonly input: object
  readonly linkToken?: string
}

export interface SteppedProcess {
  readonly child: ChildProcess
  /** The outcome of its call. */
  end: { readonly done: 'answered' | 'failed' | 'killed'; readonly answer: unknown } | null
}

type Decide = (point: Point) => 'leave' | 'kill'

/** The lease of a killed process ends after less than this. */
const LEASES_MS = 5 * MINUTE_MS
/** The time for a process that waits at another point to show its next step. */
const MORE_MS = 15
/** Where a process waits because a token set is under a lease. Time advances by this much, until the lease has lasted long enough. */
const FOUND = 'found refresh'
const WAITED_MS = MINUTE_MS
/** From the first of these points to one of the others, no time passes: the process is about to store the only valid token set. */
const BEGINS_REFRESH = 'before tokenSets.lease'
const ENDS_REFRESH = ['after tokenSets.refresh', 'before tokenSets.release', FOUND]

export interface SteppedOptions {
  /** Path of the engine as a module. */
  readonly module: string
  readonly dataDir: string
  /** The clock of all processes, which a kill advances. */
  readonly time: { ms: number }
}

export class SteppedProcesses {
  /** The output of all of them. */
  printed = ''
  private readonly options: SteppedOptions
  /** Idle processes, and the next one, which is starting. */
  private readonly idle: Promise<SteppedProcess>[] = []
  private readonly running = new Set<SteppedProcess>()
  private readonly refreshing = new Set<SteppedProcess>()
  /** All started processes, by process ID. */
  private readonly started = new Map<string, SteppedProcess>()
  private waiting: Point[] = []
  private active: SteppedProcess | null = null
  private changes = 0
  private owedMs = 0

  constructor(options: SteppedOptions) {
    this.options = options
    atEndOfFile(async () => {
      for (const process of await Promise.all(this.idle)) process.child.kill('SIGKILL')
    })
  }

  /** The gate of the fake provider. A request may arrive after its process was killed. */
  readonly gate: NonNullable<FakeProviderOptions['gate']> = (request, when) => {
    const process = this.started.get(String(request.headers['x-process']))
    const phase = requestPhase(request)
    if (process?.end?.done === 'killed') return Promise.resolve(false)
    if (process === undefined || phase === null || !this.running.has(process)) return Promise.resolve(true)
    return new Promise(resolve => this.wait({ process, name: `${when} ${phase}`, leave: resolve }))
  }

  /** Runs tasks at the same time, each in its own process. Resolves when every process has ended its call or was killed. */
  async run(tasks: readonly Task[], random: () => number, decide: Decide): Promise<readonly SteppedProcess[]> {
    const processes = await Promise.all(tasks.map(() => this.take()))
    for (const [i, process] of processes.entries()) {
      this.active = process
      this.running.add(process)
      const before = this.changes
      process.child.send({ ms: this.options.time.ms, ...(tasks[i] as Task) }) // one task for each process
      await this.change(before)
    }
    while (this.running.size > 0) {
      // work between the points takes longer on a busy machine
      await until(() => this.waiting.length > 0 || this.running.size === 0, {
        everyMs: 1,
        why: () => 'every process waits for something else',
      })
      const point = this.waiting.splice(Math.floor(random() * this.waiting.length), 1)[0]
      if (point === undefined) break
      await this.step(point, decide(point))
      this.settleLeases()
    }
    this.active = null
    return processes
  }

  private async step(point: Point, decision: ReturnType<Decide>): Promise<void> {
    const { process } = point
    const before = this.changes
    if (decision === 'leave') {
      this.active = process
      if (point.name === BEGINS_REFRESH) this.refreshing.add(process)
      point.leave(true)
      await this.change(before)
      return
    }
    const ended = once(process.child, 'exit')
    process.child.kill('SIGKILL')
    await ended
    point.leave(false)
    this.ended(process, { done: 'killed', answer: point.name })
    this.owedMs = LEASES_MS
  }

  /** Stops waiting for a process. */
  private ended(process: SteppedProcess, end: NonNullable<SteppedProcess['end']>): void {
    process.end = end
    this.running.delete(process)
    this.refreshing.delete(process)
    for (const each of this.waiting.filter(other => other.process === process)) each.leave(end.done !== 'killed')
    this.waiting = this.waiting.filter(other => other.process !== process)
  }

  /** Lets the leases of killed processes expire, unless another process is refreshing. */
  private settleLeases(): void {
    if (this.refreshing.size > 0) return
    if (this.owedMs === 0 && this.waiting.some(({ name }) => name === FOUND)) this.owedMs = WAITED_MS
    if (this.owedMs === 0) return
    this.options.time.ms += this.owedMs
    this.owedMs = 0
    for (const { child } of this.running) child.send({ ms: this.options.time.ms })
  }

  /** Waits for the next step of the active process. */
  private async change(before: number): Promise<void> {
    const isElsewhere = () => this.waiting.some(each => each.process === this.active)
    if (isElsewhere()) await pause(MORE_MS)
    await until(() => this.changes > before || isElsewhere(), {
      everyMs: 1,
      why: () => `nothing happens:\n${this.printed}`,
    })
  }

  private wait(point: Point): void {
    if (ENDS_REFRESH.includes(point.name)) this.refreshing.delete(point.process)
    this.waiting.push(point)
    this.changes++
  }

  /** Takes a process that is ready, and starts the next one. */
  private async take(): Promise<SteppedProcess> {
    if (this.idle.length < 2) this.idle.push(this.start())
    const process = await (this.idle.shift() ?? this.start())
    process.end = null
    return process
  }

  private async start(): Promise<SteppedProcess> {
    const { module, dataDir, time } = this.options
    const program = path.join(import.meta.dirname, 'killed-process.mjs')
    const child = spawn(process.execPath, [program, module, dataDir, String(time.ms)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...storeVariables(dataDir) },
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.printed += text.toString()
      })
    }
    const stepped: SteppedProcess = { child, end: null }
    this.started.set(String(child.pid), stepped)
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`a process ended early:\n${this.printed}`)))
      child.once('message', () => resolve())
    })
    child.on('message', (message: { id: number; point: string } | NonNullable<SteppedProcess['end']>) => {
      // requests that it sent before it was killed may arrive later
      if (stepped.end?.done === 'killed') return
      if ('point' in message) {
        const leave = (isAlive: boolean): void => void (isAlive && child.send({ leave: message.id }))
        this.wait({ process: stepped, name: message.point, leave })
        return
      }
      this.ended(stepped, message)
      this.idle.push(Promise.resolve(stepped))
      this.changes++
    })
    return stepped
  }
}

function requestPhase({ path: asked, form }: FakeProviderRequest): string | null {
  if (form.get('grant_type') === 'authorization_code') return 'exchange'
  if (form.get('grant_type') === 'refresh_token') return 'refresh'
  if (asked.endsWith('/personal_info')) return 'profile'
  if (asked.endsWith('/revoke')) return 'revocation'
  return asked.startsWith('/v2/usercollection/') ? 'page' : null
}
