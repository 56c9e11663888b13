/** Builds requests for every operation with a mark in each text and number, whether or not the schema allows it. */
import type { Operation } from '../../src/contract/kernel/operation.ts'
import { type OperationId, operations } from '../../src/contract/operations.ts'
import { type Described, describedAs, schemaAt } from '../contract/requests/documented.ts'
import type { Schema } from '../contract/requests/schema-arbitrary.ts'
import { VALUE, WORD } from './marks.ts'

/** Names that a refusal may repeat, because all callers share them or the caller's own team chose them. They contain no mark. */
const PUBLIC = [
  'provider',
  'resource',
  'data_type',
  'filter_on_providers',
  'fallback_time_zone',
  'func',
  'timeseries',
  'slug',
  'query_id_or_slug',
]

export interface Planted {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

const MOST_DEPTH = 8

/** Returns a value for a schema with marks in it. Names in `sound` keep IDs and public names valid, so that the call gets further. */
function marked(schema: Schema, name: string, sound: ReadonlyMap<string, string>, depth = 0): unknown {
  const known = sound.get(name)
  if (known !== undefined) return known
  if (schema.$ref !== undefined) return marked(schemaAt(schema.$ref), name, sound, depth + 1)
  if ('const' in schema) return schema.const
  if (schema.enum) return PUBLIC.includes(name) ? 'unheard_of' : WORD
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (options && depth < MOST_DEPTH) {
    const first = options.find(each => each.type !== 'null') ?? (options[0] as Schema)
    return marked(first, name, sound, depth + 1)
  }
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'string' && PUBLIC.includes(name)) return 'unheard_of'
  if (type === 'integer' || type === 'number') return VALUE
  if (type === 'boolean') return WORD
  if (type === 'array') return depth > MOST_DEPTH ? [] : [marked(schema.items ?? {}, name, sound, depth + 1)]
  if (type === 'object' && depth < MOST_DEPTH) {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([key, each]) => [key, marked(each, key, sound, depth + 1)]))
  }
  return WORD
}

/** Builds a request with marks. `sound` has valid values by field name, for example IDs of existing objects. */
export function planted(id: OperationId, sound: ReadonlyMap<string, string>): Planted {
  const { described } = describedAs(id)
  const operation: Operation = operations[id]
  const body = described.requestBody?.content['application/json']?.schema
  return {
    params: parameterValues(described, 'path', sound),
    query: parameterValues(described, 'query', sound),
    body: operation.bodyIsBytes
      ? Buffer.from(JSON.stringify([{ resource: 'glucose', timestamp: WORD, value: VALUE, note: WORD }]))
      : body && marked(body, '', sound),
  }
}

function parameterValues(
  described: Described,
  part: string,
  sound: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const own = (described.parameters ?? []).filter(each => each.in === part)
  return Object.fromEntries(own.map(each => [each.name, marked(each.schema, each.name, sound)]))
}

/** Returns the path and query of a request with marks. */
export function requestTarget(id: OperationId, { params, query }: Planted): string {
  const { path } = describedAs(id)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`
}
