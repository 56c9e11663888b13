/** The thread's side of aggregate queries: a store of its own, and answers as bytes (design 5). */
import type { MessagePort } from 'node:worker_threads'
import { useOwnProviders } from '../catalogue/own-providers.ts'
import { ServiceError } from '../core/errors.ts'
import { type AggregateWork, bodyOf, tablesOf } from '../engine/aggregate/work.ts'
import { openDataFolder } from '../store/data-folder.ts'
import { openSqliteStore } from '../store/sqlite/store.ts'

/** What the server posts. */
export type ToThread =
  | { readonly kind: 'work'; readonly id: number; readonly work: AggregateWork }
  | { readonly kind: 'abort'; readonly id: number }

/** What the thread posts: a refusal keeps everything that its answer is made of. */
export type FromThread =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly refused: Refusal }
  | { readonly id: number; readonly failed: { readonly name: string; readonly stack: string | undefined } }

export type Refusal = Pick<ServiceError, 'code' | 'message' | 'status' | 'body' | 'suggestions' | 'headers'>

/** Answers what comes through the port from the data folder, until the port closes. */
export function serveAggregates(port: MessagePort, dataDir: string): void {
  useOwnProviders(process.env['SVC_PROVIDERS'])
  const store = openSqliteStore({ folder: openDataFolder(dataDir), waitForLock: 'async' })
  const running = new Map<number, AbortController>()
  const answer = async (id: number, work: AggregateWork): Promise<void> => {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      const bytes = await bodyOf(await tablesOf(store, work, controller.signal), work.mediaType)
      // what shares its memory with others is copied, the rest moves
      const whole = bytes.byteLength === bytes.buffer.byteLength
      port.postMessage({ id, bytes } satisfies FromThread, whole ? [bytes.buffer as ArrayBuffer] : [])
    } catch (error) {
      port.postMessage({ id, ...failureOf(error) })
    } finally {
      running.delete(id)
    }
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'work') void answer(message.id, message.work)
    else running.get(message.id)?.abort(new ServiceError('cancelled', 'The caller closed the connection.'))
  })
}

function failureOf(error: unknown) {
  if (error instanceof ServiceError) {
    const { code, message, status, body, suggestions, headers } = error
    return { refused: { code, message, status, body, suggestions, headers } }
  }
  const { name, stack } = error instanceof Error ? error : new Error(`a ${typeof error} was thrown`)
  return { failed: { name, stack } }
}
