/**
 * The conversation that is held with the service in more than one way: embedded, over HTTP, through a validating proxy.
 * Its steps stand in `conversation/`, a file a topic; this file says what a step is and how one is held and remembered.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { CallOptions, ServiceClient } from '../../src/client/client.ts'
import type { CallerInput, Reply } from '../../src/contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'

/** The engine's clock when a conversation begins. */
export const NOW = Date.parse('2026-11-20T08:30:00Z')
/** The id of no user, workout, order or import. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'
/** Days that hold data of who signed in at a provider. */
export const RANGE = { start_date: '2026-11-01', end_date: '2026-11-20' }

/** What earlier answers said, by the name of the step. `files` holds the paths of files made before it began. */
export type Memory = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Step {
  /** Unique in the whole conversation: it is the name of the test, and what its answer is remembered by. */
  readonly name: string
  readonly id: OperationId
  readonly run: (client: ServiceClient, memory: Memory) => Promise<Reply<unknown>>
}

/** Adds a step. Inputs that are wrong on purpose are why a function may give any object. */
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

/** A field of an earlier answer, as text; `undefined` where that step said no such thing. */
export const text = (memory: Memory, name: string, field: string): string => String(memory[name]?.[field])
/** The user that the topics share: it has connections, samples and summaries, and is deleted at the end. */
export const user = (memory: Memory): string => text(memory, 'create a user', 'user_id')
export const forUser = (memory: Memory) => ({ params: { user_id: user(memory) } })
/** Sends the link token that a step `link.token` was given. */
export const withToken =
  (name: string) =>
  (memory: Memory): CallOptions => ({ linkToken: text(memory, name, 'link_token') })
/** The id of the first item of a list in an answer. */
export const firstId = (memory: Memory, name: string, key: string, id = 'id'): string =>
  String((memory[name]?.[key] as Record<string, unknown>[] | undefined)?.[0]?.[id] ?? NOBODY)

/** A body of bytes, made anew each time it is sent. */
export const inBytes = (body: object | string) => ({
  kind: 'stream' as const,
  stream: Readable.from([Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))]),
})

export interface Outcome {
  /** `json`, `empty`, the media type of bytes, or the code and message of a refusal. */
  readonly answer: string
  readonly status: number | null
  /** The body, byte for byte; of bytes their SHA-256. */
  readonly body: string
}

/** What differs between two runs that did the same: sizes of files. */
const VOLATILE = /"((?:file|wal|size)_bytes|uptime_seconds)":\d+/g
/** Who did it is what differs between the two ways, and the ids of such lines hold chance of their own. */
const WHO = /"(actor|entry_id)":"[^"]*"/g
/** Answers in bytes that hold more than the calls that were made: the keys of a server, say. */
const BYTES_THAT_DIFFER: readonly string[] = [
  'application/vnd.sqlite3',
  'application/octet-stream',
  'application/vnd.svc.recording',
]

/** What a conversation is held on: files, and chance that is told of each step (see ways.ts). */
interface Held {
  readonly files: Readonly<Record<string, string>>
  readonly chance: { begin(step: string): void }
}

/** Holds the steps one after the other. */
export async function converse(
  client: ServiceClient,
  steps: readonly Step[],
  { files, chance }: Held,
): Promise<Map<string, Outcome>> {
  const memory: Record<string, Record<string, unknown>> = { files }
  const outcomes = new Map<string, Outcome>()
  for (const { name, run } of steps) {
    chance.begin(name)
    const outcome = await outcomeOf(run(client, memory), body => {
      memory[name] = body
    })
    outcomes.set(name, outcome)
  }
  return outcomes
}

async function outcomeOf(
  call: Promise<Reply<unknown>>,
  remember: (body: Record<string, unknown>) => void,
): Promise<Outcome> {
  try {
    const reply = await call
    if (reply.kind === 'json') {
      remember(reply.body as Record<string, unknown>)
      const body = JSON.stringify(reply.body).replaceAll(VOLATILE, '"$1":0').replaceAll(WHO, '"$1":""')
      return { answer: 'json', status: reply.status, body }
    }
    if (reply.kind !== 'bytes') return { answer: 'empty', status: (reply as { status: number }).status, body: '' }
    const hash = createHash('sha256')
    if (reply.bytes instanceof Uint8Array) hash.update(reply.bytes)
    else for await (const chunk of reply.bytes) hash.update(chunk)
    const body = BYTES_THAT_DIFFER.includes(reply.mediaType) ? 'bytes' : hash.digest('hex')
    return { answer: reply.mediaType, status: reply.status, body }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { answer: `${error.code}: ${error.message}`, status: error.status, body: JSON.stringify(error.body) }
  }
}
