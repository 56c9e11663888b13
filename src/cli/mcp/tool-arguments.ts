/** The arguments of an operation as one flat list, with their positions in the request. */
import type * as z from 'zod'
import { SHIPPED_REGISTRY } from '../../catalogue/providers.ts'
import { Components, type JsonObject, type JsonValue } from '../../contract/kernel/json-schema.ts'
import type { Operation } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'

/** `whole_body`: the argument is the JSON body itself. */
export type ArgumentLocation = 'params' | 'query' | 'body' | 'whole_body'

export interface Argument {
  readonly location: ArgumentLocation
  readonly isRequired: boolean
  /** JSON Schema without references. */
  readonly schema: JsonObject
}

/** Name of the argument for a body that is a list. */
const LIST_ARGUMENT: Readonly<Partial<Record<OperationId, string>>> = { 'source_priority.replace': 'priorities' }

/** Replacements for schemas that would repeat another tool's schema, or that are more detailed than the tool needs. */
const SHORTER: Readonly<Partial<Record<OperationId, Readonly<Record<string, JsonObject>>>>> = {
  'aggregate.explain': {
    query: {
      type: 'object',
      description: 'The same object as the arguments of aggregate_query: timeframe, queries, config',
    },
  },
  'continuous_query.create': {
    query: {
      type: 'object',
      description:
        'One element of queries of aggregate_query (select, group_by, where, align), with an optional timeframe',
    },
    query_config: { type: ['object', 'null'], description: 'Same as config of aggregate_query' },
  },
}

const USER: JsonObject = { type: 'string', minLength: 1, description: 'user_id (a UUID) or client_user_id' }

/**
 * Operations that receive the user ID unchanged. A deleted user cannot be looked up, so the operation that restores one accepts both IDs.
 */
export const TAKES_RAW_IDS: ReadonlySet<OperationId> = new Set(['user.undo_delete'])

/** Returns the arguments of an operation by name, without deprecated arguments. */
export function listArguments(id: OperationId): ReadonlyMap<string, Argument> {
  const operation: Operation = operations[id]
  const components = new Components()
  const fields = (['params', 'query'] as const).flatMap(location =>
    components
      .fields(operation[location](SHIPPED_REGISTRY))
      .map(field => ({ ...field, location: location as ArgumentLocation })),
  )
  const body = operation.body && components.schema(operation.body(SHIPPED_REGISTRY) as z.ZodType, 'input')
  const named = components.all()
  if (body) fields.push(...bodyFields(id, resolved(body, named)))
  const current = fields.filter(({ schema }) => schema['deprecated'] !== true)
  return new Map(
    current.map(({ name, location, required, schema }) => {
      const isUser = name === 'user_id' && !TAKES_RAW_IDS.has(id)
      const chosen = isUser ? USER : (SHORTER[id]?.[name] ?? (plain(schema, named) as JsonObject))
      return [name, { location, isRequired: required, schema: chosen }]
    }),
  )
}

interface Field {
  readonly name: string
  readonly location: ArgumentLocation
  readonly required: boolean
  readonly schema: JsonObject
}

function bodyFields(id: OperationId, body: JsonObject): Field[] {
  const list = LIST_ARGUMENT[id]
  if (list !== undefined) return [{ name: list, location: 'whole_body', required: true, schema: body }]
  // svc's own schema, whose keywords have the types of JSON Schema
  const required = (body['required'] ?? []) as readonly string[]
  const properties = (body['properties'] ?? {}) as Readonly<Record<string, JsonObject>>
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    location: 'body',
    required: required.includes(name),
    schema,
  }))
}

/** Returns the schema behind a reference, or the schema itself. */
function resolved(schema: JsonObject, components: JsonObject): JsonObject {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  return components[$ref.slice($ref.lastIndexOf('/') + 1)] as JsonObject
}

/** Returns the schema with its references replaced, because not every client follows them, and without svc's own keywords. */
function plain(value: JsonValue, components: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map(item => plain(item, components))
  if (typeof value !== 'object' || value === null) return value
  const whole = resolved(value as JsonObject, components)
  const kept = Object.entries(whole).filter(([key]) => !key.startsWith('x-'))
  return Object.fromEntries(kept.map(([key, item]) => [key, plain(item, components)]))
}
