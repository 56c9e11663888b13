/**
 * Processes that take turns: each waits for leave before and after every write about live connections, and while the provider has a request
 * of it. One at a time goes on, or is killed there.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { storeVariables } from '../../kit/postgres/database.ts'
import { until } from '../../kit/until.ts'
import type { StandInOptions, StandInRequest } from '../../providers/stand-in.ts'

/** Where a process waits. */
export interface Point {
  readonly process: SteppedProcess
  /** `before pulls.bring`, `arrived renewal`. */
  readonly name: string
  /** Lets it go on. False: its process is killed, so that what has not happened does not. */
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
  /** What became of its call. */
  end: { readonly done: 'answered' | 'failed' | 'killed'; readonly answer: unknown } | null
}

type Decide = (point: Point) => 'leave' | 'kill'

/** A lease of a process that was killed ends after less than this. */
const LEASES_MS = 5 * MINUTE_MS
/** How long a process that waits at another point is given to show what else it does. */
const MORE_MS = 15
/** Where a process waits because a grant is under a lease. Time goes on by so much, until the lease has lasted long enough. */
const FOUND = 'found renewal'
const WAITED_MS = MINUTE_MS
/** From the first of these points to one of the others, no time passes: the process is about to store the only pair that works. */
const BEGINS_RENEWAL = 'before grants.lease'
const ENDS_RENEWAL = ['after grants.renew', 'before grants.release', FOUND]

export interface SteppedOptions {
  /** Path of the engine as a module. */
  readonly module: string
  readonly dataDir: string
  /** The clock of all processes, which a kill sets forward. */
  readonly time: { ms: number }
}

export class SteppedProcesses {
  /** What all of them have printed. */
  printed = ''
  private readonly options: SteppedOptions
  /** Processes that have nothing to do, and the next one, which is on its way. */
  private readonly idle: Promise<SteppedProcess>[] = []
  private readonly running = new Set<SteppedProcess>()
  private readonly renewing = new Set<SteppedProcess>()
  /** All that were started, by process id. */
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

  /** The gate of the stand-in. A request may arrive after its process was killed. */
  readonly gate: NonNullable<StandInOptions['gate']> = (request, when) => {
    const process = this.started.get(String(request.headers['x-process']))
    const phase = phaseOf(request)
    if (process?.end?.done === 'killed') return Promise.resolve(false)
    if (process === undefined || phase === null || !this.running.has(process)) return Promise.resolve(true)
    return new Promise(resolve => this.wait({ process, name: `${when} ${phase}`, leave: resolve }))
  }

  /** Runs tasks at the same time, each in a process of its own. Resolves when every process has ended its call or was killed. */
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
      // what a process does beside its points takes longer on a busy machine
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
      if (point.name === BEGINS_RENEWAL) this.renewing.add(process)
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

  /** Nothing of a process is waited for any more. */
  private ended(process: SteppedProcess, end: NonNullable<SteppedProcess['end']>): void {
    process.end = end
    this.running.delete(process)
    this.renewing.delete(process)
    for (const each of this.waiting.filter(other => other.process === process)) each.leave(end.done !== 'killed')
    this.waiting = this.waiting.filter(other => other.process !== process)
  }

  /** Lets the leases of killed processes end, unless somebody else is renewing. */
  private settleLeases(): void {
    if (this.renewing.size > 0) return
    if (this.owedMs === 0 && this.waiting.some(({ name }) => name === FOUND)) this.owedMs = WAITED_MS
    if (this.owedMs === 0) return
    this.options.time.ms += this.owedMs
    this.owedMs = 0
    for (const { child } of this.running) child.send({ ms: this.options.time.ms })
  }

  /** Waits for what the active process does next. */
  private async change(before: number): Promise<void> {
    const isElsewhere = () => this.waiting.some(each => each.process === this.active)
    if (isElsewhere()) await pause(MORE_MS)
    await until(() => this.changes > before || isElsewhere(), {
      everyMs: 1,
      why: () => `nothing happens:\n${this.printed}`,
    })
  }

  private wait(point: Point): void {
    if (ENDS_RENEWAL.includes(point.name)) this.renewing.delete(point.process)
    this.waiting.push(point)
    this.changes++
  }

  /** Takes a process that is ready, and starts the one after it. */
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
      // what it sent before it was killed may come later
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

function phaseOf({ path: asked, form }: StandInRequest): string | null {
  if (form.get('grant_type') === 'authorization_code') return 'exchange'
  if (form.get('grant_type') === 'refresh_token') return 'renewal'
  if (asked.endsWith('/personal_info')) return 'profile'
  if (asked.endsWith('/revoke')) return 'revocation'
  return asked.startsWith('/v2/usercollection/') ? 'page' : null
}
