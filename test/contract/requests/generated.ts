/** Generates requests for an operation: valid ones from the OpenAPI document, and invalid ones derived from them. */
import fc from 'fast-check'
import type { Operation } from '../../../src/contract/kernel/operation.ts'
import { type OperationId, operations } from '../../../src/contract/operations.ts'
import { describedAs, schemaAt } from './documented.ts'
import { change, encodeText, rawBody, wildText } from './mutation.ts'
import { type KnownTexts, schemaArbitrary } from './schema-arbitrary.ts'

/** A request as it is sent. All headers except the key are included; `body` contains the bytes to send. */
export interface GeneratedRequest {
  readonly method: string
  /** Path and query, encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Where the request was corrupted, for the failure message. */
  readonly twist: string
}

type Values = Readonly<Record<string, unknown>>

/** Generates requests for an operation (and a value of its expanded path); about half of them are valid. */
export function requestArbitrary(
  id: OperationId,
  value: string | undefined,
  known: KnownTexts,
): fc.Arbitrary<GeneratedRequest> {
  const operation: Operation = operations[id]
  const { path, described } = describedAs(id, value)
  const parameters = described.parameters ?? []
  const valuesOf = (location: string): fc.Arbitrary<Values> => {
    const own = parameters.filter(each => each.in === location)
    const fields = own.map(each => [each.name, schemaArbitrary(each.schema, schemaAt, known, each.name)] as const)
    const requiredKeys = own.filter(each => each.required).map(each => each.name)
    return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true }) as fc.Arbitrary<Values>
  }
  const right = fc.record({
    params: valuesOf('path'),
    query: valuesOf('query'),
    headers: valuesOf('header').chain(headers => withLinkToken(operation, headers, known)),
    body: bodies(operation, described.requestBody?.content['application/json']?.schema, known),
  })
  const twist = fc.oneof(
    { weight: 10, arbitrary: fc.constant({ kind: 'none' as const }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('body' as const), change }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('bytes' as const), raw: rawBody }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('path' as const), at: fc.nat(), by: wildText }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('query' as const), at: fc.nat(), by: wildText }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('header' as const), by: fc.constantFrom(...WILD_HEADERS) }) },
  )
  return fc.tuple(right, twist).map(([values, how]) => {
    const params = Object.entries(values.params)
    const segments = new Map(params.map(([name, each]) => [name, encodeText(String(each))]))
    const query = pairs(values.query)
    let headers: Record<string, string> = headerTexts(values.headers)
    let json = values.body === undefined ? undefined : values.body
    let bytes: Buffer | null = null
    let type = 'application/json'
    if (how.kind === 'path' && params.length > 0) segments.set(params[how.at % params.length]?.[0] as string, how.by)
    if (how.kind === 'query') {
      const names = [...parameters.filter(each => each.in === 'query').map(each => each.name), 'nobody_knows_it']
      query.push(`${names[how.at % names.length]}=${how.by}`)
    }
    if (how.kind === 'header') headers = { ...headers, ...how.by }
    if (how.kind === 'body' && json !== undefined && !Buffer.isBuffer(json)) json = how.change(json)
    if (Buffer.isBuffer(json)) {
      bytes = json
      type = 'application/octet-stream'
    } else if (json !== undefined) bytes = Buffer.from(JSON.stringify(json) ?? 'null')
    if (how.kind === 'bytes' && operation.method !== 'GET') {
      const made = how.raw(bytes?.toString('utf8') ?? '{}')
      bytes = made.bytes
      type = made.type ?? type
    }
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segments.get(name) || 'x')
    return {
      method: operation.method,
      target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
      headers: bytes === null ? headers : { 'content-type': type, ...headers },
      body: bytes,
      twist: how.kind,
    }
  })
}

const WILD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'image/png' },
  { accept: '*/*;q=0' },
  { accept: ',;,' },
  { accept: 'a/b'.repeat(1_000) },
  { 'content-encoding': 'gzip' },
  { 'content-type': 'x' },
  { 'x-service-link-token': '\u00ff\u00fe' },
  { 'x-service-link-token': 'x'.repeat(4_000) },
  { 'x-request-id': '<script>' },
  { 'x-idempotency-key': 'k'.repeat(5_000) },
  { range: 'bytes=0-1' },
  { 'if-none-match': '*' },
  { cookie: 'a=b' },
]

/** Uses an issued token, because guesses are limited, and a caller who guesses is refused everything else too. */
function withLinkToken({ auth }: Operation, headers: Values, known: KnownTexts): fc.Arbitrary<Values> {
  const tokens = auth === 'link_token' ? known('link_token') : []
  if (tokens.length === 0) return fc.constant(headers)
  return fc.constantFrom(...tokens).map(token => ({ ...headers, 'x-service-link-token': token }))
}

function bodies(
  operation: Operation,
  schema: Parameters<typeof schemaArbitrary>[0] | undefined,
  known: KnownTexts,
): fc.Arbitrary<unknown> {
  if (!operation.body) return fc.constant(undefined)
  if (operation.bodyIsBytes) return byteBodies
  if (operation.bodyFromQuery) return fc.constant(undefined)
  return schemaArbitrary(schema ?? {}, schemaAt, known)
}

const SAMPLE = { resource: 'glucose', timestamp: '2026-11-19T08:30:00+01:00', value: 5.5 }

/** Uploads: some readable, one modified, and random bytes. */
const byteBodies = fc.oneof(
  fc.constantFrom(
    Buffer.from(JSON.stringify([SAMPLE])),
    Buffer.from(`${JSON.stringify(SAMPLE)}\n${JSON.stringify({ ...SAMPLE, value: 6 })}\n`),
    Buffer.from('<?xml version="1.0"?><HealthData locale="en_GB"></HealthData>'),
    Buffer.from('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "a"><!ENTITY b "&a;&a;">]><HealthData>&b;</HealthData>'),
    Buffer.from('PK\u0003\u0004 and no more'),
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    Buffer.from('Time,Value\n2026-11-19,1\n'),
    Buffer.alloc(0),
  ),
  change.map(how => Buffer.from(JSON.stringify(how({ samples: [SAMPLE], summaries: [] })) ?? '')),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
)

function pairs(values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(each => `${encodeText(name)}=${encodeText(String(each))}`),
  )
}

/** Keeps only what a header may contain. */
function headerTexts(values: Values): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [name, String(value).replace(/[^\x21-\x7e]/g, '_')])
  return Object.fromEntries(entries.filter(([, value]) => value !== ''))
}
