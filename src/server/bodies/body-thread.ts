/**
 * Calls with large bodies, whole in a thread: to parse one, check it and write what it holds takes up to seconds. They take turns, so
 * that the memory of the thread bounds that of all of them.
 */
import type { Reply } from '../../contract/kernel/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { EngineRequest } from '../../engine/context.ts'
import type { EngineThread } from '../threads/engine-thread.ts'
import { overloaded } from './budget.ts'

/** Bodies of together so many bytes run at once, and share transactions; a larger one runs alone. */
const SHARED_BYTES = 1024 * 1024
/** A thread that has nothing to do for so long is ended: it holds some 50 MB. */
const IDLE_MS = 60_000
/** What a body of 32 MiB within the limits of a push can make of itself, with room for the collector. */
export const BODY_HEAP_MB = 512

interface Waiting {
  readonly bytes: number
  enter(): void
}

export class BodyThread {
  private readonly thread: Pick<EngineThread, 'operation' | 'close'>
  private bytes = 0
  private count = 0
  private readonly waiting: Waiting[] = []
  private idle: NodeJS.Timeout | undefined

  constructor(thread: Pick<EngineThread, 'operation' | 'close'>) {
    this.thread = thread
  }

  /** `bytes`: of the body, unpacked. Throws what the call throws, and ServiceError `overloaded` when the thread ran out of memory. */
  async run(id: OperationId, request: EngineRequest, bytes: number): Promise<Reply<unknown>> {
    await this.turn(bytes, request.signal)
    clearTimeout(this.idle)
    try {
      return await this.thread.operation(id, request)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      // the thread was at work on others, too: nobody knows how far this one had come
      throw overloaded('The call took more memory than there is; it may be done or not. Send it again, in parts.')
    } finally {
      this.bytes -= bytes
      this.count--
      this.admit()
      if (this.count === 0) this.idle = setTimeout(() => void this.thread.close(), IDLE_MS).unref()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.idle)
    await this.thread.close()
  }

  private turn(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = this.waiting.indexOf(entry)
        if (at >= 0) this.waiting.splice(at, 1)
        reject(signal?.reason)
        // who came after it may fit in
        this.admit()
      }
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const entry = { bytes, enter }
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      this.waiting.push(entry)
      this.admit()
    })
  }

  /** In the order in which they came. */
  private admit(): void {
    for (;;) {
      const [next] = this.waiting
      if (next === undefined || (this.count > 0 && this.bytes + next.bytes > SHARED_BYTES)) return
      this.waiting.shift()
      this.bytes += next.bytes
      this.count++
      next.enter()
    }
  }
}
