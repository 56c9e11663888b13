/**
 * A conversation with the service that runs in several ways: embedded, over HTTP, and through a validating proxy. Its steps are in
 * `conversation/`, one file for each topic. This file defines a step, and how steps are run and their results kept.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { CallOptions, ServiceClient } from '../../src/client/client.ts'
import type { CallerInput, Reply } from '../../src/contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'

/** The engine's clock at the start of a conversation. */
export const NOW = Date.parse('2026-11-20T08:30:00Z')
/** An ID that no user, workout, order or import has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'
/** Days with data for users who signed in at a provider. */
export const RANGE = { start_date: '2026-11-01', end_date: '2026-11-20' }

/** Fields of earlier responses, by the name of the step. `files` contains the paths of files that were created before the start. */
export type Memory = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Step {
  /** Unique in the whole conversation: it names the test, and the response is kept under it. */
  readonly name: string
  readonly id: OperationId
  readonly run: (client: ServiceClient, memory: Memory) => Promise<Reply<unknown>>
}

/** Adds a step. A function may return any object, because some inputs are wrong on purpose. */
export type AddStep = <K extends OperationId>(
  name: string,
  id: K,
  input: CallerInput<Operations[K]> | ((memory: Memory) => object),
  options?: (memory: Memory) => CallOptions,
) => void

/** The steps of a topic, in the order they are added. */
export function topic(): { readonly steps: readonly Step[]; readonly step: AddStep } {
  const steps: Step[] = []
  const step: AddStep = (name, id, input, options = () => ({})) => {
    type Input = CallerInput<Operations[typeof id]>
    const run: Step['run'] = (client, memory) => {
      const given = typeof input === 'function' ? (input(memory) as Input) : input
      return client.call(id, given, options(memory))
    }
    steps.push({ name, id, run })
  }
  return { steps, step }
}

/** Returns a field of an earlier response as text; `undefined` if that response had no such field. */
export const text = (memory: Memory, name: string, field: string): string => String(memory[name]?.[field])
/** The user that the topics share: it has connections, samples and summaries, and is deleted at the end. */
export const user = (memory: Memory): string => text(memory, 'create a user', 'user_id')
export const forUser = (memory: Memory) => ({ params: { user_id: user(memory) } })
/** Sends the link token from the response to a step that called `link.token`. */
export const withToken =
  (name: string) =>
  (memory: Memory): CallOptions => ({ linkToken: text(memory, name, 'link_token') })
/** Returns the ID of the first item of a list in a response. */
export const firstId = (memory: Memory, name: string, key: string, id = 'id'): string =>
  String((memory[name]?.[key] as Record<string, unknown>[] | undefined)?.[0]?.[id] ?? NOBODY)

/** Returns a body of bytes that is created again each time it is sent. */
export const inBytes = (body: object | string) => ({
  kind: 'stream' as const,
  stream: Readable.from([Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))]),
})

export interface Outcome {
  /** `json`, `empty`, the media type of bytes, or the code and message of an error. */
  readonly kind: string
  readonly status: number | null
  /** The body, byte for byte; for a body of bytes, their SHA-256. */
  readonly body: string
}

/** Values that differ between two runs of the same steps: file sizes and uptime. */
const VOLATILE = /"((?:file|wal|size)_bytes|uptime_seconds)":\d+/g
/** The caller differs between the two ways, and the IDs of such audit entries are random. */
const WHO = /"(actor|entry_id)":"[^"]*"/g
/** Binary responses that depend on more than the calls, for example on a server's keys. */
const BYTES_THAT_DIFFER: readonly string[] = [
  'application/vnd.sqlite3',
  'application/octet-stream',
  'application/vnd.svc.recording',
]

/** The environment of a conversation: files, and randomness that restarts with each step (see ways.ts). */
interface Held {
  readonly files: Readonly<Record<string, string>>
  readonly chance: { begin(step: string): void }
}

/** Runs the steps one after the other. */
export async function converse(
  client: ServiceClient,
  steps: readonly Step[],
  { files, chance }: Held,
): Promise<Map<string, Outcome>> {
  const memory: Record<string, Record<string, unknown>> = { files }
  const outcomes = new Map<string, Outcome>()
  for (const { name, run } of steps) {
    chance.begin(name)
    const outcome = await toOutcome(run(client, memory), body => {
      memory[name] = body
    })
    outcomes.set(name, outcome)
  }
  return outcomes
}

async function toOutcome(
  call: Promise<Reply<unknown>>,
  remember: (body: Record<string, unknown>) => void,
): Promise<Outcome> {
  try {
    const reply = await call
    if (reply.kind === 'json') {
      remember(reply.body as Record<string, unknown>)
      const body = JSON.stringify(reply.body).replaceAll(VOLATILE, '"$1":0').replaceAll(WHO, '"$1":""')
      return { kind: 'json', status: reply.status, body }
    }
    if (reply.kind !== 'bytes') return { kind: 'empty', status: (reply as { status: number }).status, body: '' }
    const hash = createHash('sha256')
    if (reply.bytes instanceof Uint8Array) hash.update(reply.bytes)
    else for await (const chunk of reply.bytes) hash.update(chunk)
    const body = BYTES_THAT_DIFFER.includes(reply.mediaType) ? 'bytes' : hash.digest('hex')
    return { kind: reply.mediaType, status: reply.status, body }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: `${error.code}: ${error.message}`, status: error.status, body: JSON.stringify(error.body) }
  }
}
