/** Makes the server fail deliberately: statuses, delays, and closed connections. Each fault is listed in the response headers. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Fault, FaultEffect } from '../../store/fault.ts'
import type { Store } from '../../store/port.ts'
import { effectText, FaultPlan, type Hit, isNeverHit } from './fault-plan.ts'

/** The response header that lists the faults that hit the request. */
export const FAULT_HEADER = 'svc-fault'
/** `Retry-After` of 429 and 503 responses. */
const RETRY_AFTER_SECONDS = '1'
/** Time for the first half of a cut body to leave the machine. */
const FLUSH_MS = 25

export interface FaultOptions {
  /** Faults from the command line. Faults in the store are read at every request. */
  readonly faults: readonly Fault[]
  readonly seed: string
  readonly store: Pick<Store, 'faults'>
}

export function addFaults(app: FastifyInstance, { faults, seed, store }: FaultOptions): void {
  const plan = new FaultPlan(faults, seed)
  const delays = new Delays()
  const toCut = new WeakSet<object>()

  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = (request.raw.url ?? '/').split('?', 1)
    // these paths respond even while the store does not
    if (isNeverHit(path)) return
    // the operation itself reports a problem with the store
    const kept = await store.faults.list().catch(() => [])
    const hits = plan.hits(request.method, path, kept)
    if (hits.length === 0) return
    reply.isPlain = false
    reply.header(FAULT_HEADER, hits.map(faultMark).join(', '))
    await delays.wait(totalDelay(hits), reply)
    const effect = hits.map(hit => hit.effect).find(each => each.kind !== 'latency')
    if (effect?.kind === 'cut') toCut.add(reply)
    if (effect?.kind === 'drop') return drop(reply)
    if (effect?.kind === 'status') return respond(effect, reply)
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!toCut.has(reply)) return done()
    done(null, cut(payload, reply))
  })
  app.addHook('preClose', done => {
    delays.end()
    done()
  })
}

/** Returns the header's value: `503; id=3`. */
function faultMark({ id, effect }: Hit): string {
  return `${effectText(effect)}; id=${id}`
}

function totalDelay(hits: readonly Hit[]): number {
  return hits.reduce((sum, { effect }) => sum + (effect.kind === 'latency' ? effect.delayMs : 0), 0)
}

/** Delays that end when their connection closes. When the server closes, all delays end and no new ones start. */
class Delays {
  private readonly running = new Set<() => void>()
  private isEnded = false

  wait(ms: number, { raw }: FastifyReply): Promise<void> {
    if (ms === 0 || this.isEnded) return Promise.resolve()
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        raw.removeListener('close', end)
        this.running.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      raw.once('close', end)
      this.running.add(end)
    })
  }

  end(): void {
    this.isEnded = true
    for (const end of [...this.running]) end()
  }
}

function respond({ status }: FaultEffect & { readonly kind: 'status' }, reply: FastifyReply): FastifyReply {
  if (status === 429 || status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  return reply
    .code(status)
    .type('application/json')
    .send('{"detail":"This response is a fault that was set up on purpose. See the svc-fault header."}')
}

function drop(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}

/**
 * Sends the headers for the whole body, then only its first half. If the response has no body, closes the connection without a response.
 */
function cut(payload: unknown, reply: FastifyReply): unknown {
  if (payload instanceof Readable) return Readable.from(firstPiece(payload, reply), { objectMode: false })
  const bytes = typeof payload === 'string' || payload instanceof Uint8Array ? Buffer.from(payload as string) : null
  if (bytes === null || bytes.length === 0) {
    reply.raw.destroy()
    return payload
  }
  reply.header('content-length', bytes.length)
  return Readable.from(thenEnd(bytes.subarray(0, bytes.length >> 1), reply), { objectMode: false })
}

async function* thenEnd(half: Buffer, reply: FastifyReply): AsyncGenerator<Uint8Array> {
  if (half.length > 0) yield half
  await new Promise(resolve => setTimeout(resolve, FLUSH_MS))
  reply.raw.destroy()
}

async function* firstPiece(pieces: Readable, reply: FastifyReply): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece as Uint8Array)
    yield* thenEnd(bytes.subarray(0, Math.max(1, bytes.length >> 1)), reply)
    return
  }
}
