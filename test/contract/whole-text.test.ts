/**
 * A lone surrogate is refused wherever text is accepted: if it were stored, it would become the replacement character, and two different
 * names would become one. Every text field of every operation is tried. `SVC_TEST_SEED=…` repeats a run.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../src/catalogue/providers.ts'
import { openHttp } from '../../src/client/http.ts'
import type { Operation } from '../../src/contract/kernel/operation.ts'
import { parseInput, type RawInput } from '../../src/contract/kernel/validation.ts'
import { type OperationId, operations } from '../../src/contract/operations.ts'
import { ServiceError } from '../../src/core/errors.ts'
import { findLoneSurrogate, withWholeText } from '../../src/core/whole-text.ts'
import { openHarness } from '../kit/harness.ts'
import { seed } from '../kit/seed.ts'
import { serve } from '../kit/server.ts'
import { inBytes } from './conversation.ts'
import { allDescribed, describedAs, schemaAt } from './requests/documented.ts'
import { schemaArbitrary } from './requests/schema-arbitrary.ts'

const LONE_SURROGATES = ['\ud800', '\udfff', 'Ada\udc00', '\ud83d and more', '\udca5\ud83d']
const MARK = 'Adaphrase'

type Path = readonly (string | number)[]

/** Returns the paths to the texts in a request. */
function textPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, item]) => textPaths(item, [...path, isList ? Number(key) : key]))
}

function changedAt(value: unknown, [key, ...rest]: Path, text: string): unknown {
  if (key === undefined) return text
  const changed = changedAt((value as Record<string | number, unknown>)[key], rest, text)
  if (Array.isArray(value)) return value.with(Number(key), changed)
  return { ...(value as object), [key]: changed }
}

function requestArbitrary(id: OperationId, value: string | undefined): fc.Arbitrary<RawInput> {
  const operation: Operation = operations[id]
  const { described } = describedAs(id, value)
  const texts = () => ['x']
  const fields = (location: string) =>
    fc.record(
      Object.fromEntries(
        (described.parameters ?? [])
          .filter(each => each.in === location)
          .map(each => [each.name, schemaArbitrary(each.schema, schemaAt, texts, each.name)]),
      ),
      { requiredKeys: [], noNullPrototype: true },
    ) as fc.Arbitrary<Record<string, unknown>>
  const schema = operation.bodyIsBytes ? undefined : described.requestBody?.content['application/json']?.schema
  const body = schema === undefined ? fc.constant(undefined) : schemaArbitrary(schema, schemaAt, texts)
  const expanded = operation.expand && value !== undefined ? { [operation.expand.param]: value } : {}
  return fc.record({ params: fields('path').map(own => ({ ...own, ...expanded })), query: fields('query'), body })
}

const LOCATIONS = { params: 'path', query: 'query', body: 'body' } as const

describe(`a lone surrogate (seed ${seed})`, () => {
  it('is refused in every text of every operation, and not repeated', () => {
    const tried = new Set<string>()
    for (const { id, value } of allDescribed) {
      const operation: Operation = operations[id]
      fc.assert(
        fc.property(
          requestArbitrary(id, value),
          fc.nat(),
          fc.constantFrom(...LONE_SURROGATES),
          (request, at, surrogate) => {
            const texts = textPaths({ ...request })
            const path = texts[at % texts.length]
            if (path === undefined) return
            const wrong = changedAt(request, path, `${MARK}${surrogate}`) as RawInput
            const location = path[0] as keyof typeof LOCATIONS
            if (location === 'query' && operation.bodyFromQuery && Object.keys(request.body ?? {}).length > 0) return
            const loc = [
              location === 'query' && operation.bodyFromQuery ? 'body' : LOCATIONS[location],
              ...path.slice(1),
            ]
            const refusal = catchRefusal(() => parseInput(operation, wrong, SHIPPED_REGISTRY))
            const { detail } = refusal.body
            expect(refusal.status).toBe(422)
            // a path without an ID is reported as plain text, whatever else is wrong
            if (typeof detail !== 'string') {
              expect(detail).toContainEqual({ loc, type: 'string_unicode', msg: expect.any(String) })
            }
            expect(`${refusal.message}${JSON.stringify(refusal.body)}`).not.toContain(MARK)
            tried.add(`${id} ${path.slice(0, 2).join('.')}`)
          },
        ),
        { seed: seed, numRuns: 12 },
      )
    }
    expect(tried.size).toBeGreaterThan(100)
  })

  it('is refused in free-form fields and in field names, at any depth', () => {
    expect(findLoneSurrogate({ a: [{ '\ud800': 1 }] })).toMatchObject({
      path: ['a', 0],
      msg: expect.stringContaining('name'),
    })
    let deep: unknown = '\ud800'
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(findLoneSurrogate(deep)?.path[0]).toBe(0)
    const whole = { a: '\ud83d\udca5', b: ['ż', 1, null] }
    expect(findLoneSurrogate(whole)).toBeNull()
    expect(withWholeText(whole)).toBe(whole)
    expect(withWholeText({ a: ['x\ud800'] })).toEqual({ a: ['x\ufffd'] })
  })
})

function catchRefusal(run: () => unknown): ServiceError {
  try {
    run()
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('it was taken')
}

describe('two names that differ only in a lone surrogate', () => {
  it('are two refusals over HTTP, not one user', async () => {
    const server = await serve()
    for (const surrogate of ['\\ud800', '\\ud801']) {
      const body = `{"client_user_id":"${surrogate}"}`
      expect(await server.ask('POST', '/v2/user', { body })).toMatchObject({ status: 422 })
    }
    expect((await server.ask('GET', '/v2/user')).json).toMatchObject({ total: 0 })
    expect(await server.ask('GET', '/v2/user/resolve/%ED%A0%80')).toMatchObject({ status: 400 })
    const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 10_000 })
    const search = client.call('user.search', { query: { query_id: '\ud800' } })
    await expect(search).rejects.toMatchObject({ code: 'invalid_request' })
    const resolve = client.call('user.resolve', { params: { client_user_id: '\ud800' } })
    await expect(resolve).rejects.toMatchObject({ code: 'invalid_request' })
    await client.close()
  })

  it('are refused in a push, and treated as damaged bytes in a file', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    const params = { user_id }
    const note = { resource: 'note', timestamp: '2026-11-20T08:30:00Z', value: 'x\ud800' }
    const pushed = await h.refusal('samples.push', { params, body: inBytes({ samples: [note] }) })
    expect(pushed.body).toMatchObject({ detail: [{ loc: ['body', 'samples', 0, 'value'], type: 'string_unicode' }] })
    const meal = {
      summary: 'meal',
      date: '2026-11-20',
      provider: 'oura',
      source_type: 'app',
      document: { name: '\udc00' },
    }
    const document = await h.refusal('samples.push', { params, body: inBytes(JSON.stringify(meal)) })
    expect(document.body).toMatchObject({ detail: [{ loc: ['body', 'line 1', 'document', 'name'] }] })
    const { skipped, records } = await h.call('import.create', {
      params,
      body: inBytes(`${JSON.stringify(note)}\n${JSON.stringify({ ...note, value: 'fine' })}\n`),
    })
    expect([records, skipped.map(each => each.count)]).toEqual([2, [1]])
    expect(JSON.stringify(skipped)).not.toContain('ud800')
  })
})
