/**
 * Parses and maps providers' responses in a thread with a limited heap. A pull that takes too much time or memory ends the thread and
 * counts as a bad response for its collection; the other pulls in the thread are repeated.
 */
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type { PulledPage, PullRequest } from '../../connectors/connector.ts'
import { ProviderError, type TokenSession } from '../../connectors/provider-session.ts'
import { installation } from '../../core/installation/current.ts'
import { SECOND_MS } from '../../core/time.ts'
import { type Mapping, type MappingOwner, PullInterrupted } from '../../engine/live/mapping/mapping.ts'
import { type ArrivingBytes, arrivingBytes, tooMuch } from '../../engine/live/responses/arriving.ts'
import type { ReceivedResponse } from '../../engine/live/responses/response.ts'
import { BUSY, type FromMapping, type PostedRequest, type ToMapping, toPostedFailure } from './mapping-worker.ts'

/** Returns the thread's code. It is evaluated outside the bundle, so it only loads the bundle, which does the work. */
const threadCode = (): string => `
const { parentPort, workerData } = require('node:worker_threads')
const { THREADS } = ${installation().bundleExpression(fileURLToPath(import.meta.url))}
THREADS.mapping(parentPort, workerData)`

export interface MappingLimits {
  /** Heap limit for long-lived objects. The limits on responses keep each response far below it. */
  readonly heapMb: number
  /** Time limit for working on one pull. The largest page takes several seconds on a slow machine. */
  readonly longestTickMs: number
}
const LIMITS: MappingLimits = { heapMb: 512, longestTickMs: 20 * SECOND_MS }
/** Heap limit for new objects. With 32 MB, a thread takes 14 MB more; with 12 MB, parsing 10,000 records takes a third longer. */
const YOUNG_MB = 16
const LOOKS_PER_TICK = 20

interface MappedPull {
  readonly owner: MappingOwner
  readonly session: TokenSession
  /** Request errors, by request number. */
  readonly thrown: Map<number, unknown>
  /** Settles the promise for the next page. */
  settle: { resolve(page: PulledPage | null): void; reject(error: unknown): void } | null
  /** The reason why the pull ended, if nothing was waiting for a page at that time. */
  ended: unknown
  /** Responses that the thread has not read yet. */
  readonly unread: ArrivingBytes[]
}

interface RunningThread {
  readonly worker: Worker
  readonly busy: Int32Array
  readonly pulls: Map<number, MappedPull>
}

/** A thread that starts with the first pull. After it ends, the next pull restarts it. */
export class MappingThread implements Mapping {
  private running: Promise<RunningThread> | null = null
  private ids = 0
  private readonly limits: MappingLimits

  constructor(limits = LIMITS) {
    this.limits = limits
  }

  /** Yields the pages of a pull. Throws the abort reason of the session's signal at once, even while the thread is busy. */
  async *pull(owner: MappingOwner, session: TokenSession, pullRequest: PullRequest): AsyncGenerator<PulledPage> {
    this.running ??= this.start()
    const { worker, pulls } = await this.running
    const id = ++this.ids
    const pull: MappedPull = { owner, session, thrown: new Map(), settle: null, ended: null, unread: [] }
    const post = (message: ToMapping): void => worker.postMessage(message)
    pulls.set(id, pull)
    const { signal } = session
    const stop = (): void => pull.settle?.reject(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    post({ kind: 'pull', id, provider: owner.provider, app: session.app, tokenSet: session.tokenSet, pullRequest })
    try {
      for (;;) {
        signal?.throwIfAborted()
        const page = await new Promise<PulledPage | null>((resolve, reject) => {
          if (pull.ended !== null) return reject(pull.ended)
          pull.settle = { resolve, reject }
          post({ kind: 'next', id })
        })
        if (page === null) return
        yield page
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      pulls.delete(id)
      read(pull)
      post({ kind: 'end', id })
    }
  }

  /** Ends the thread. Pulls in progress are interrupted. */
  async close(): Promise<void> {
    const running = await this.running?.catch(() => null)
    await running?.worker.terminate()
  }

  private async start(): Promise<RunningThread> {
    const { Worker } = await import('node:worker_threads')
    const shared = new SharedArrayBuffer(BUSY.length * Int32Array.BYTES_PER_ELEMENT)
    const worker = new Worker(threadCode(), {
      eval: true,
      workerData: shared,
      resourceLimits: { maxOldGenerationSizeMb: this.limits.heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
    })
    worker.unref()
    const running: RunningThread = { worker, busy: new Int32Array(shared), pulls: new Map() }
    let reason = 'memory'
    const watch = watched(running.busy, this.limits, () => {
      reason = 'time'
      void worker.terminate()
    })
    worker.on('message', (message: FromMapping) => take(running, message))
    // its `exit` follows
    worker.once('error', () => {})
    worker.once('exit', () => {
      clearInterval(watch)
      this.running = null
      interrupt(running, reason)
    })
    return running
  }
}

/** Ends a thread that has worked on one pull for too long. */
function watched(busy: Int32Array, { longestTickMs }: MappingLimits, late: () => void): NodeJS.Timeout {
  let tick = -1
  let since = performance.now()
  const timer = setInterval(() => {
    const now = Atomics.load(busy, BUSY.isBusy) === 1 ? Atomics.load(busy, BUSY.turn) : -1
    if (now !== tick || now === -1) since = performance.now()
    tick = now
    if (performance.now() - since > longestTickMs) late()
  }, longestTickMs / LOOKS_PER_TICK)
  timer.unref()
  return timer
}

/**
 * Ends all pulls of a thread that has ended. The pull that it was working on counts as failed because of its responses, and the others are
 * repeated.
 */
function interrupt({ busy, pulls }: RunningThread, reason: string): void {
  const culprit = Atomics.load(busy, BUSY.pull)
  for (const [id, pull] of pulls) {
    const message = `${pull.owner.provider} sent responses that take too much ${reason} to read.`
    end(pull, id === culprit ? new ProviderError('bad_answer', message) : new PullInterrupted())
  }
  pulls.clear()
}

function end(pull: MappedPull, error: Error): void {
  pull.ended = error
  pull.settle?.reject(error)
}

/** Counts a pull's responses as read, because the thread has moved on to another request or has ended. */
function read({ unread }: MappedPull): void {
  for (const response of unread.splice(0)) response.end()
}

function take(running: RunningThread, message: FromMapping): void {
  const pull = running.pulls.get(message.id)
  if (pull === undefined) return
  read(pull)
  if (message.kind === 'send') void send(running, pull, message)
  else if (message.kind === 'page') pull.settle?.resolve(message.page)
  else {
    const { request, failure } = message
    const unknown = {
      kind: 'bad_answer',
      message: `${pull.owner.provider} sent a response that cannot be read.`,
    } as const
    const { kind, message: text, ...details } = failure ?? unknown
    pull.settle?.reject(
      request !== null && pull.thrown.has(request) ? pull.thrown.get(request) : new ProviderError(kind, text, details),
    )
  }
}

async function send(
  { worker, pulls }: RunningThread,
  pull: MappedPull,
  { id, n, request }: FromMapping & { readonly kind: 'send' },
): Promise<void> {
  const { session, thrown } = pull
  const post = (message: ToMapping, moved: readonly ArrayBuffer[] = []): void => worker.postMessage(message, moved)
  try {
    // the engine's sessions return these
    const { parts } = (await session.send(unposted(request))) as ReceivedResponse
    // the rest of a pull is not read after the pull has ended
    if (!pulls.has(id)) return
    const { teamId, provider } = pull.owner
    const response = arrivingBytes(`${teamId} ${provider}`, () => end(pull, tooMuch(provider)))
    pull.unread.push(response)
    response.add(parts.bytes.length)
    post({ kind: 'answer', id, n, parts, tokenSet: session.tokenSet }, [parts.bytes.buffer as ArrayBuffer])
  } catch (error) {
    thrown.set(n, error)
    post({ kind: 'failed', id, n, failure: toPostedFailure(error) })
  }
}

function unposted({ url, form, ...request }: PostedRequest) {
  return {
    ...request,
    url: new URL(url),
    ...(form && { form: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])) }),
  }
}
