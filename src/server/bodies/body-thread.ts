/**
 * Runs calls with large bodies entirely in a thread, because parsing, checking and writing a large body can take seconds. Calls run one
 * after the other, so that the thread's memory limit applies to all of them together.
 */
import type { Reply } from '../../contract/kernel/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import type { EngineRequest } from '../../engine/context.ts'
import type { EngineThread } from '../threads/engine-thread.ts'
import { overloaded } from './budget.ts'

/** Bodies with at most this total size run concurrently and share transactions; a larger body runs alone. */
const SHARED_BYTES = 1024 * 1024
/** How long the thread may be idle before it ends, because it uses about 50 MB. */
const IDLE_MS = 60_000
/** Memory that a push with a 32 MiB body can need, plus room for the garbage collector. */
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

  /**
   * Runs a call whose body has `bytes` bytes when unpacked. Throws any error of the call, and ServiceError `overloaded` if the thread ran
   * out of memory.
   */
  async run(id: OperationId, request: EngineRequest, bytes: number): Promise<Reply<unknown>> {
    await this.waitForSlot(bytes, request.signal)
    clearTimeout(this.idle)
    try {
      return await this.thread.operation(id, request)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      // the thread also ran other calls, so this call may have been carried out partly or not at all
      throw overloaded(
        'The call needed more memory than is available. It may or may not have taken effect. Send it again in smaller parts.',
      )
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

  private waitForSlot(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const at = this.waiting.indexOf(entry)
        if (at >= 0) this.waiting.splice(at, 1)
        reject(signal?.reason)
        // calls that come later in the queue may fit now
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

  /** Admits calls in the order in which they arrived. */
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
