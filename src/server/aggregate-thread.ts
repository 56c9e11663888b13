/** Aggregate queries of a server in a thread of their own: a long one never holds up the other requests (design 5). */
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { ServiceError } from '../core/errors.ts'
import type { AggregateWork } from '../engine/aggregate/work.ts'
import type { FromThread, Refusal, ToThread } from './aggregate-worker.ts'

/** Compiled where no bundle reaches: the bundle's own module does the work. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
require(workerData.module).THREADS.aggregate(parentPort, workerData.dataDir)`

interface Waiting {
  resolve(bytes: Uint8Array): void
  reject(error: unknown): void
}

/** A thread, and the queries that it is at work on. */
interface Running {
  readonly worker: Promise<Worker>
  readonly waiting: Map<number, Waiting>
}

/** Starts the thread with the first query, and again after one that broke it. */
export class AggregateThread {
  private running: Running | undefined
  private readonly dataDir: string
  private next = 0

  constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  /** The body of the answer. Throws what the query throws, and an Error when the thread breaks. */
  async run(work: AggregateWork, signal: AbortSignal | undefined): Promise<Uint8Array> {
    signal?.throwIfAborted()
    this.running ??= this.start()
    const { worker: started, waiting } = this.running
    const worker = await started
    signal?.throwIfAborted()
    const id = this.next++
    const abort = () => worker.postMessage({ kind: 'abort', id } satisfies ToThread)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ kind: 'work', id, work } satisfies ToThread)
      })
    } finally {
      waiting.delete(id)
      signal?.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    const worker = await this.running?.worker
    this.running = undefined
    await worker?.terminate()
  }

  private start(): Running {
    const waiting = new Map<number, Waiting>()
    // a thread that broke says so and ends a moment later, when the next one may be at work already
    const broken = (error: unknown) => {
      if (this.running === running) this.running = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    const worker = this.open(waiting, broken)
    const running: Running = { worker, waiting }
    worker.catch(broken)
    return running
  }

  private async open(waiting: ReadonlyMap<number, Waiting>, broken: (error: unknown) => void): Promise<Worker> {
    const { Worker } = await import('node:worker_threads')
    const workerData = { module: fileURLToPath(import.meta.url), dataDir: this.dataDir }
    const worker = new Worker(THREAD, { eval: true, workerData })
    // a server is kept alive by its socket
    worker.unref()
    worker.on('message', (message: FromThread) => take(waiting.get(message.id), message))
    worker.once('error', broken)
    worker.once('exit', () => broken(new Error('the thread for aggregate queries ended')))
    return worker
  }
}

function take(waiting: Waiting | undefined, message: FromThread): void {
  if ('bytes' in message) waiting?.resolve(message.bytes)
  else if ('refused' in message) waiting?.reject(refusal(message.refused))
  else waiting?.reject(Object.assign(new Error('an aggregate query failed in its thread'), message.failed))
}

function refusal({ code, message, status, ...rest }: Refusal): ServiceError {
  return new ServiceError(code, message, { ...rest, ...(status === null ? {} : { status }) })
}

/** Whether the code runs from the bundle: only then is there a module that a thread can load. */
export function canThread(): boolean {
  return import.meta.url.endsWith('.cjs')
}
