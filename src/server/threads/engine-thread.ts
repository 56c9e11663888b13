/** Runs a server's long work in a separate thread, so that it never blocks other requests. */
import { fileURLToPath } from 'node:url'
import type { ResourceLimits, Worker } from 'node:worker_threads'
import type { ByteSource, Reply, ThreadName } from '../../contract/kernel/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import { installation } from '../../core/installation/current.ts'
import type { Apart, EngineRequest, JobRunOptions, LiveRun, LiveRunOptions, RanJobs } from '../../engine/context.ts'
import type { LiveObservation } from '../../engine/live/observation.ts'
import type { Count } from '../../store/team.ts'
import type { CallOutcome, Failure, FromThread, Refusal, ThreadOptions, ToThread, Work } from './engine-worker.ts'
import { PieceReader, PieceSource } from './thread-pieces.ts'
import { startPool } from './thread-priority.ts'

/** Returns the thread's code. It is evaluated outside the bundle, so it only loads the bundle, which does the work. */
const threadCode = (): string => `
const { parentPort, workerData } = require('node:worker_threads')
const { THREADS } = ${installation().bundleExpression(fileURLToPath(import.meta.url))}
THREADS.engine(parentPort, workerData)`

/** A call that is running in the thread, or whose response is still being sent. */
interface Call {
  resolve(outcome: CallOutcome): void
  reject(error: unknown): void
  readonly response: PieceReader
  readonly upload: PieceSource | null
  /** Receives observations from work with live providers. */
  readonly live: LiveRunOptions | undefined
}

/** Callbacks for a piece of work. */
interface Beside {
  readonly upload?: AsyncIterable<Uint8Array> | null
  readonly live?: LiveRunOptions
  /** Called when the thread has received the work, with a function that sends it a message about the work. */
  readonly begun?: (send: (kind: 'look') => void) => void
}

interface EngineThreadOptions {
  readonly limits?: ResourceLimits
  readonly observe?: (observation: LiveObservation) => void
  readonly count?: (count: Count) => void
}

interface RunningThread {
  readonly worker: Promise<Worker>
  readonly calls: Map<number, Call>
}

/** Heap limit for a thread's new objects. Without a limit, each thread that has worked once keeps three times as much memory. */
const YOUNG_MB = 12

/** A thread that starts with the first call, and restarts with the first call after a failure. */
export class EngineThread {
  private running: RunningThread | undefined
  private readonly options: () => ThreadOptions
  private readonly own: EngineThreadOptions
  private next = 0

  /** `own` configures the thread, and `options` configures the engine in it. */
  constructor(options: () => ThreadOptions, own: EngineThreadOptions = {}) {
    this.options = options
    this.own = own
  }

  /** Runs an operation in the thread. Throws any error from the operation, and an Error if the thread fails. */
  async operation(operation: OperationId, given: EngineRequest): Promise<Reply<unknown>> {
    const { input, credentials, caller, accept, signal } = given
    const source = input.body as ByteSource | undefined
    const upload = source?.kind === 'stream' && 'stream' in source ? source.stream : null
    const request = { input: { ...input, ...(upload ? { body: undefined } : {}) }, credentials, caller, accept }
    const work: Work = { kind: 'operation', operation, request, hasUpload: upload !== null }
    return buildReply(await this.run(work, signal, { upload }))
  }

  /** Runs jobs in the thread, and throws the same errors as `run`. */
  async jobs({ now, userIds, signal }: JobRunOptions): Promise<readonly RanJobs[]> {
    const { outcome } = await this.run({ kind: 'jobs', options: { now, userIds } }, signal)
    return 'ran' in outcome ? outcome.ran : []
  }

  /** Starts pulling due collections from live providers in the thread. */
  live(options: LiveRunOptions): LiveRun {
    const controller = new AbortController()
    let look = (): void => {}
    const begun: Beside['begun'] = send => {
      look = () => send('look')
    }
    const ended = this.run({ kind: 'live' }, controller.signal, { live: options, begun }).then(
      () => {},
      error => {
        if (!controller.signal.aborted) options.failed(error)
      },
    )
    return {
      look: () => look(),
      async stop() {
        controller.abort(new ServiceError('cancelled', 'The server is closing.'))
        await ended
      },
      ended,
    }
  }

  async close(): Promise<void> {
    const worker = await this.running?.worker
    this.running = undefined
    await worker?.terminate()
  }

  private async run(work: Work, signal: AbortSignal | undefined, { upload, live, begun }: Beside = {}) {
    signal?.throwIfAborted()
    this.running ??= this.start()
    const { worker: started, calls } = this.running
    const worker = await started
    signal?.throwIfAborted()
    const id = this.next++
    const post = (message: ToThread, transfer: readonly ArrayBuffer[] = []): void =>
      worker.postMessage(message, transfer)
    const response = new PieceReader(id, post)
    let outcome: CallOutcome | undefined
    // the thread does not know the abort reason
    let brokenUpload: unknown
    const abort = (): void => {
      post({ kind: 'abort', id })
      // the caller may never read the response that it already has
      if (!outcome) return
      response.fail(signal?.reason)
      forget()
    }
    const forget = (): void => {
      calls.delete(id)
      signal?.removeEventListener('abort', abort)
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      outcome = await new Promise<CallOutcome>((resolve, reject) => {
        const onBroken = (error: unknown): void => {
          brokenUpload = error
        }
        const source = upload ? new PieceSource(upload, id, post, onBroken) : null
        calls.set(id, { resolve, reject, response, upload: source, live })
        post({ kind: 'work', id, work })
        begun?.(kind => post({ kind, id }))
      })
      // a read transaction that requests share may be older than this call's result
      await new Promise(setImmediate)
      if ('refused' in outcome) throw brokenUpload ?? toError(outcome)
      if ('failed' in outcome) throw toError(outcome)
      return { outcome, pieces: () => untilRead(response, forget) }
    } finally {
      if (!outcome || !isStream(outcome)) forget()
    }
  }

  private start(): RunningThread {
    const calls = new Map<number, Call>()
    // a failed thread reports the failure before it ends, so the next one may already be running
    const broken = (error: unknown) => {
      if (this.running === running) this.running = undefined
      for (const { reject, response } of calls.values()) {
        reject(error)
        response.fail(error)
      }
      calls.clear()
    }
    const worker = this.open(calls, broken)
    const running: RunningThread = { worker, calls }
    worker.catch(broken)
    return running
  }

  private async open(calls: ReadonlyMap<number, Call>, broken: (error: unknown) => void): Promise<Worker> {
    const [{ Worker }] = await Promise.all([import('node:worker_threads'), startPool()])
    const worker = new Worker(threadCode(), {
      eval: true,
      workerData: this.options(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, ...this.own.limits },
    })
    // only the server's socket should keep the process alive
    worker.unref()
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'observed') this.own.observe?.(message.observation)
      else if (message.kind === 'counted') this.own.count?.(message.count)
      else take(calls.get(message.id), message)
    })
    worker.once('error', broken)
    worker.once('exit', () => broken(new Error('the thread for long work has ended')))
    return worker
  }
}

function take(call: Call | undefined, message: Exclude<FromThread, { kind: 'observed' | 'counted' }>): void {
  if (message.kind === 'outcome') call?.resolve(message.outcome)
  else if (message.kind === 'pull') void call?.upload?.pull()
  else if (message.kind === 'drop') void call?.upload?.drop()
  else if (message.kind === 'line') call?.live?.log(message.line)
  else if (message.kind === 'trouble') call?.live?.failed(toError(message.failure))
  else if (message.kind === 'piece') call?.response.arrived(message.bytes)
  else call?.response.fail(new Error('a response broke off in its thread'))
}

function isStream(outcome: CallOutcome): boolean {
  return 'bytes' in outcome && outcome.bytes === null
}

async function* untilRead(response: PieceReader, forget: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* response.pieces()
  } finally {
    forget()
  }
}

function buildReply({
  outcome,
  pieces,
}: {
  outcome: CallOutcome
  pieces: () => AsyncIterable<Uint8Array>
}): Reply<unknown> {
  if (!('reply' in outcome)) throw new Error('the thread returned no reply for an operation')
  const { reply } = outcome
  if (reply.kind === 'empty') return reply
  const bytes = 'bytes' in outcome && outcome.bytes !== null ? toBuffer(outcome.bytes) : null
  if (reply.kind === 'bytes') return { ...reply, bytes: bytes ?? pieces() }
  return {
    ...reply,
    get body(): unknown {
      return JSON.parse(`${bytes}`)
    },
    wire: () => bytes,
    wireBytes: bytes?.length ?? 0,
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function toError(failure: Failure): Error {
  if ('refused' in failure) return refusal(failure.refused)
  return Object.assign(new Error('work failed in its thread'), failure.failed)
}

function refusal({ code, message, status, ...rest }: Refusal): ServiceError {
  return new ServiceError(code, message, { ...rest, ...(status === null ? {} : { status }) })
}

/** A server's threads. They are separate, so that a long change does not delay reads, and a long read does not delay changes. */
export class EngineThreads implements Apart {
  private readonly threads: Readonly<Record<ThreadName, EngineThread>>

  constructor(options: () => ThreadOptions, own: EngineThreadOptions) {
    this.threads = { reads: new EngineThread(options, own), changes: new EngineThread(options, own) }
  }

  operation(thread: ThreadName, id: OperationId, request: EngineRequest): Promise<Reply<unknown>> {
    return this.threads[thread].operation(id, request)
  }

  jobs(options: JobRunOptions): Promise<readonly RanJobs[]> {
    return this.threads.changes.jobs(options)
  }

  live(options: LiveRunOptions): LiveRun {
    return this.threads.changes.live(options)
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.threads).map(thread => thread.close()))
  }
}

/** Returns whether the code runs from the bundle, which is the only case in which a thread has a module to load. */
export function canThread(): boolean {
  return import.meta.url.endsWith('.cjs')
}
