/** The thread's side of long work: it opens its own engine on the same store, as another process would. */
import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import type { Reply } from '../../contract/kernel/operation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EngineRequest, JobRunOptions, RanJobs } from '../../engine/context.ts'
import { runOperation } from '../../engine/engine.ts'
import type { LiveObservation } from '../../engine/live/observation.ts'
import { type OpenEngine, type OpenOptions, openEngine } from '../../engine/open.ts'
import { runUserJobs } from '../../engine/upkeep/jobs.ts'
import type { Count } from '../../store/team.ts'
import { LiveLoop } from '../live/live-loop.ts'
import { MappingThreads } from './mapping-threads.ts'
import { type PieceMessage, PieceReader, PieceSource, toOwnBuffer } from './thread-pieces.ts'
import { lowerPriority } from './thread-priority.ts'

/** Options with which the thread opens its engine. */
export type ThreadOptions = Pick<
  OpenOptions,
  'dataDir' | 'store' | 'publicUrl' | 'providers' | 'allowPrivateTargets' | 'loopbackTargets'
>

/** A call as plain data, because it is posted to the thread. An upload follows piece by piece. */
export type Work =
  | {
      readonly kind: 'operation'
      readonly operation: OperationId
      readonly request: Pick<EngineRequest, 'input' | 'credentials' | 'caller' | 'accept'>
      readonly hasUpload: boolean
    }
  | { readonly kind: 'jobs'; readonly options: Omit<JobRunOptions, 'signal'> }
  /** Work that runs until it is aborted. */
  | { readonly kind: 'live' }

/** Messages from the server to the thread. */
export type ToThread =
  | { readonly kind: 'work'; readonly id: number; readonly work: Work }
  | { readonly kind: 'abort' | 'look'; readonly id: number }
  | PieceMessage

/** The result of a call. A refusal contains everything needed for its response; a stream follows piece by piece. */
export type CallOutcome =
  | {
      readonly reply: Omit<Extract<Reply<never>, { kind: 'json' }>, 'body' | 'wire' | 'wireBytes'>
      readonly bytes: Uint8Array
    }
  | { readonly reply: Omit<Extract<Reply<never>, { kind: 'bytes' }>, 'bytes'>; readonly bytes: Uint8Array | null }
  | { readonly reply: Extract<Reply<never>, { kind: 'empty' }> }
  | { readonly ran: readonly RanJobs[] }
  | { readonly ended: true }
  | Failure

export type Failure =
  | { readonly refused: Refusal }
  | { readonly failed: { readonly name: string; readonly stack: string | undefined } }

/** Messages from the thread to the server. `line`, `trouble` and `observed` are about live providers. */
export type FromThread =
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: CallOutcome }
  | PieceMessage
  | { readonly kind: 'line'; readonly id: number; readonly line: string }
  | { readonly kind: 'trouble'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'observed'; readonly observation: LiveObservation }
  | { readonly kind: 'counted'; readonly count: Count }

export type Refusal = Pick<ServiceError, 'code' | 'message' | 'status' | 'body' | 'suggestions' | 'headers'>

/** A call in the thread, until its complete response is sent. */
interface RunningCall {
  readonly controller: AbortController
  readonly upload: PieceReader
  response?: PieceSource
  loop?: LiveLoop
}

/** Handles the port's messages until it closes. */
export function serveEngine(port: MessagePort, options: ThreadOptions): void {
  lowerPriority()
  let opened: Promise<OpenEngine> | undefined
  const calls = new Map<number, RunningCall>()
  const post = (message: FromThread, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer)

  const contextOf = async () => {
    const observe = (observation: LiveObservation): void => post({ kind: 'observed', observation })
    // the mapping threads start with the first pulls
    const count = (each: Count): void => post({ kind: 'counted', count: each })
    opened ??= openEngine({ ...options, waitForLock: 'async', observe, count, mapping: new MappingThreads() })
    try {
      return (await opened).context
    } catch (error) {
      // the next call tries again, because a networked store may be available by then
      opened = undefined
      throw error
    }
  }
  const outcomeOf = async (id: number, work: Work, call: RunningCall): Promise<CallOutcome> => {
    const { signal } = call.controller
    const engine = await contextOf()
    if (work.kind === 'jobs') return { ran: await runUserJobs(engine, { ...work.options, signal }) }
    if (work.kind === 'live') {
      call.loop = new LiveLoop(engine, {
        log: line => post({ kind: 'line', id, line }),
        failed: error => post({ kind: 'trouble', id, failure: toFailure(error) }),
      })
      if (!signal.aborted) await once(signal, 'abort')
      await call.loop.stop()
      return { ended: true }
    }
    const { operation, request, hasUpload } = work
    const body = hasUpload ? { kind: 'stream', stream: call.upload.pieces() } : request.input.body
    const reply = await runOperation(engine, operation, { ...request, input: { ...request.input, body }, signal })
    return toOutcome(reply, pieces => {
      // once a response's head is sent, a refusal can only end the response
      call.response = new PieceSource(pieces, id, post, () => calls.delete(id))
    })
  }
  const work = async (id: number, task: Work): Promise<void> => {
    const call: RunningCall = { controller: new AbortController(), upload: new PieceReader(id, post) }
    calls.set(id, call)
    const outcome = await outcomeOf(id, task, call).catch(toFailure)
    if (!call.response) calls.delete(id)
    const bytes = 'bytes' in outcome ? outcome.bytes : null
    post({ kind: 'outcome', id, outcome }, bytes ? [bytes.buffer as ArrayBuffer] : [])
  }
  port.on('message', (message: ToThread) => {
    const call = calls.get(message.id)
    if (message.kind === 'work') void work(message.id, message.work)
    else if (message.kind === 'look') call?.loop?.look()
    else if (message.kind === 'pull') void call?.response?.pull()
    else if (message.kind === 'drop') void call?.response?.drop()
    else if (message.kind === 'piece') call?.upload.arrived(message.bytes)
    // the server reports the reason, which it knows
    else if (message.kind === 'broken') call?.upload.fail(new ServiceError('cancelled', 'The upload was interrupted.'))
    else {
      call?.controller.abort(new ServiceError('cancelled', 'The caller closed the connection.'))
      void call?.response?.drop()
    }
  })
}

function toOutcome(reply: Reply<unknown>, stream: (pieces: AsyncIterable<Uint8Array>) => void): CallOutcome {
  if (reply.kind === 'empty') return { reply }
  const { status, headers } = reply
  if (reply.kind === 'json') {
    const wire = reply.wire?.() ?? null
    const body = wire ?? JSON.stringify(reply.body)
    const bytes = typeof body === 'string' ? Buffer.from(body, wire === null ? 'utf8' : 'latin1') : body
    return { reply: { kind: 'json', status, headers }, bytes: toOwnBuffer(bytes) }
  }
  const { kind, mediaType, bytes } = reply
  if (bytes instanceof Uint8Array) return { reply: { kind, status, headers, mediaType }, bytes: toOwnBuffer(bytes) }
  stream(bytes)
  return { reply: { kind, status, headers, mediaType }, bytes: null }
}

function toFailure(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { code, message, status, body, suggestions, headers } = error
    return { refused: { code, message, status, body, suggestions, headers } }
  }
  const { name, stack } = error instanceof Error ? error : new Error(`a ${typeof error} was thrown`)
  return { failed: { name, stack } }
}
