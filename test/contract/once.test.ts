/**
 * Idempotency keys, for every operation that takes one: the whole conversation runs with each such call made twice under a key and a third
 * time with another request. The result is the same as without keys and with each call made once.
 */
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import type { CallOptions, ServiceClient } from '../../src/client/client.ts'
import { openHttp } from '../../src/client/http.ts'
import { openApiDocument } from '../../src/contract/kernel/openapi.ts'
import {
  type ByteSource,
  type Operation,
  type Reply,
  takesIdempotencyKey,
} from '../../src/contract/kernel/operation.ts'
import { parseInput } from '../../src/contract/kernel/validation.ts'
import { type OperationId, operationIds, operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { far, type Ground, near, prepareGround } from './conversation/ways.ts'
import { wholeConversation as steps } from './conversation/whole.ts'
import { converse, type Outcome } from './conversation.ts'

type Fields = Readonly<Record<string, unknown>>
type Given = { readonly params?: Fields; readonly query?: Fields; readonly body?: unknown }
type Ended = { readonly reply: Reply<unknown> } | { readonly error: ServiceError }

const keyed = operationIds.filter(id => takesIdempotencyKey(operations[id]))
const endStatus = (ended: Ended) => ('reply' in ended ? ended.reply.status : ended.error.status)
const endBody = (ended: Ended) =>
  'error' in ended ? ended.error.body : ended.reply.kind === 'json' ? ended.reply.body : null
const isReplayed = (ended: Ended) =>
  ('reply' in ended ? ended.reply : ended.error).headers['x-idempotent-replayed'] === 'true'

let ground: Ground
let once: Map<string, Outcome>
let twice: Map<string, Outcome>
/** The operations for which each outcome occurred. */
const seen = { repeated: new Set<OperationId>(), refused: new Set<OperationId>(), another: new Set<OperationId>() }
const wrong: string[] = []

beforeAll(async () => {
  ground = await prepareGround()
  const local = await near(ground)
  once = await converse(local, steps, ground)
  await local.close()
  const server = await far(ground, 'twice')
  // a temporary refusal counts as a refusal here and is not retried
  const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 60_000, retries: 0 })
  twice = await converse(doubled(client), steps, ground)
  await client.close()
  await server.close()
}, 240_000)

/** Makes each call that accepts a key twice, and once more with another request. */
function doubled(client: ServiceClient): ServiceClient {
  let calls = 0
  const call = async (id: OperationId, input: Given, options: CallOptions = {}): Promise<Reply<unknown>> => {
    const operation: Operation = operations[id]
    const plain = () => client.call(id, input as never, options)
    if (!takesIdempotencyKey(operation) || options.headers !== undefined) return plain()
    const again = await repeatable(operation, input)
    const under = { ...options, headers: { 'x-idempotency-key': `call-${calls++}` } }
    const run = (given: Given) => settle(client.call(id, given as never, under))
    const first = await run(again())
    const second = await run(again())
    const what = `${id} (${endStatus(first)})`
    if (endStatus(second) !== endStatus(first)) wrong.push(`${what} came to ${endStatus(second)} the second time`)
    if (JSON.stringify(endBody(second)) !== JSON.stringify(endBody(first))) wrong.push(`${what} answered another body`)
    const status = endStatus(first) ?? 0
    const isKept = status < 300 || status === 400 || (status === 404 && !isOfNoOperation(first))
    if (isReplayed(first)) wrong.push(`${what} was a repetition the first time`)
    if (isReplayed(second) !== isKept && !mayBeNobodys(id, first))
      wrong.push(`${what} should ${isKept ? '' : 'not '}have been kept`)
    if (isKept) (status < 300 ? seen.repeated : seen.refused).add(id)
    const other = isReplayed(second) && status < 300 ? another(id, again()) : undefined
    if (other) {
      const third = await settle(client.call(other.id, other.input as never, under))
      const { detail } = endBody(third) as { readonly detail?: { readonly loc: unknown }[] }
      if (endStatus(third) === 422 && JSON.stringify(detail?.[0]?.loc) === '["header","x-idempotency-key"]') {
        seen.another.add(id)
      } else wrong.push(`${what} took another request under its key: ${endStatus(third)}`)
    }
    if ('error' in first) throw first.error
    return first.reply
  }
  return { ...client, call: call as ServiceClient['call'] }
}

const isOfNoOperation = (ended: Ended) => 'error' in ended && ended.error.code === 'unsupported_operation'

async function settle(call: Promise<Reply<unknown>>): Promise<Ended> {
  try {
    return { reply: await call }
  } catch (error) {
    if (error instanceof ServiceError) return { error }
    throw error
  }
}

/** Returns the same input each time, because a stream can be read only once. */
async function repeatable({ bodyIsBytes }: Operation, input: Given): Promise<() => Given> {
  const source = input.body as ByteSource | undefined
  if (!bodyIsBytes || source?.kind !== 'stream') return () => input
  const pieces: Uint8Array[] = []
  for await (const piece of source.stream) pieces.push(piece)
  return () => ({ ...input, body: { kind: 'stream', stream: Readable.from(pieces) } })
}

/** An unknown link token has no owner, and the server may purge a user past the grace period at any time. */
const mayBeNobodys = (id: OperationId, ended: Ended) =>
  id === 'user.undo_delete' || (endBody(ended) as { error_type?: unknown } | null)?.error_type === 'invalid_token'

interface Other {
  readonly id: OperationId
  readonly input: Given
}

/** Returns another valid request: with a different body or query, or for another operation of the same owner. */
function another(id: OperationId, input: Given): Other | undefined {
  const operation: Operation = operations[id]
  if (operation.bodyIsBytes) {
    return { id, input: { ...input, body: { kind: 'stream', stream: Readable.from([Buffer.from('other')]) } } }
  }
  const asText = (given: Given): string =>
    JSON.stringify(parseInput(operation, { params: {}, query: {}, body: undefined, ...given }, SHIPPED_REGISTRY))
  const before = asText(input)
  for (const part of ['body', 'query'] as const) {
    for (const changed of changes(input[part] ?? {})) {
      const given = { ...input, [part]: changed }
      try {
        if (asText(given) !== before) return { id, input: given }
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
      }
    }
  }
  if (operation.auth === 'link_token') return undefined
  if (id === 'order.cancel') return { id: 'order.simulate', input }
  if (id === 'import.undo') return { id: 'order.cancel', input: { params: { order_id: input.params?.['import_id'] } } }
  const { user_id } = { ...(input.params ?? {}), ...((input.body ?? {}) as Fields) } as { user_id?: unknown }
  if (user_id === undefined) return { id: id === 'engine.run_due' ? 'engine.seed' : 'engine.run_due', input: {} }
  return { id: id === 'user.sign_in_token' ? 'user.refresh' : 'user.sign_in_token', input: { params: { user_id } } }
}

function* changes(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* [`${value}x`, '2026-11-19', 'whoop']
  else if (typeof value === 'number') yield value + 1
  else if (typeof value === 'boolean') yield !value
  else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      // the same key is a different one for another user
      if (name === 'user_id') continue
      for (const changed of changes(each)) {
        yield Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }
      }
      if (!Array.isArray(value)) yield { ...value, [name]: undefined }
    }
  }
}

describe('an idempotency key', () => {
  it('is accepted by every POST that changes something, with the listed exceptions', () => {
    const posts = operationIds.filter(id => operations[id].method === 'POST')
    expect(posts.filter(id => !keyed.includes(id)).sort()).toEqual([
      // read-only
      'aggregate.download',
      'aggregate.explain',
      'aggregate.query',
      // replace the store that would keep the response
      'engine.reset',
      'labs.order_set_markers',
      'recording.read',
      'recording.replay',
      // responds with a stream
      'recording.start',
      'snapshot.restore',
    ])
    expect(operationIds.filter(id => operations[id].method !== 'POST' && keyed.includes(id))).toEqual([])
  })

  it('is documented in /openapi.json for each of them', () => {
    const { paths } = JSON.parse(JSON.stringify(openApiDocument({ version: '1', serverUrl: null }))) as {
      paths: Record<string, Record<string, { parameters?: { name: string; in: string }[]; responses: object }>>
    }
    for (const id of operationIds) {
      const { path, method, expand }: Operation = operations[id]
      if (expand) continue
      const described = paths[path]?.[method.toLowerCase()]
      const names = (described?.parameters ?? []).filter(each => each.in === 'header').map(each => each.name)
      const own = ['x-idempotency-key', 'idempotency-key', 'x-idempotency-error']
      expect([id, own.every(name => names.includes(name))]).toEqual([id, keyed.includes(id)])
      if (keyed.includes(id)) expect(Object.keys(described?.responses ?? {})).toContain('409')
    }
  })

  it('makes a repeated call return the first response', () => {
    expect(wrong).toEqual([])
    expect(keyed.filter(id => !seen.repeated.has(id))).toEqual([])
    expect(seen.refused.size).toBeGreaterThan(5)
  })

  it('refuses another request', () => {
    expect(keyed.filter(id => !seen.another.has(id))).toEqual([])
  })

  const compared = steps.filter(each => each.id !== 'audit.list' && each.id !== 'engine.overview')
  it.each(compared.map(each => [each.name, each.id]))('changes nothing twice: %s (%s)', name => {
    expect(twice.get(name)).toEqual(once.get(name))
  })
})
