/** Converts the contract's zod schemas to JSON Schema (2020-12) and collects the named ones as shared components. */
import * as z from 'zod'
import { present } from '../../core/present.ts'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** `input` is data from the caller; `output` is data from the service. */
export type Side = 'input' | 'output'

/** Marks a schema that becomes a component once it is moved into the collection. */
const COMPONENT = 'x-component'

/**
 * The metadata that zod's converter sees. A schema's `id` is stored under a separate key: the contract builds a new schema object at every
 * call, and the converter refuses two objects with the same ID even if they are equal.
 */
class ContractMetadata extends z.core.$ZodRegistry<Record<string, unknown>> {
  // biome-ignore lint/suspicious/noExplicitAny: the signature of the class it extends
  override get(schema: z.core.$ZodType): any {
    const meta = z.globalRegistry.get(schema as z.ZodType)
    if (!meta) return undefined
    const { id, sensitive, ...rest } = meta as Record<string, unknown>
    return {
      ...rest,
      ...(id === undefined ? {} : { [COMPONENT]: id }),
      ...(sensitive === undefined ? {} : { 'x-sensitive': sensitive }),
    }
  }
}

/** Collects a document's named schemas: each is replaced by a `{$ref}`, and stored in `components.schemas`. */
export class Components {
  private readonly byName = new Map<string, JsonObject>()
  private readonly metadata = new ContractMetadata()

  /** Returns a zod schema's JSON Schema, with its named parts replaced by references into this collection. */
  schema(schema: z.ZodType, side: Side): JsonObject {
    return this.lift(this.convert(schema, side) as JsonObject, side) as JsonObject
  }

  /** Returns the fields of an object schema, and whether each is required. */
  fields(schema: z.ZodObject): { readonly name: string; readonly required: boolean; readonly schema: JsonObject }[] {
    const whole = this.convert(schema, 'input') as { properties?: Record<string, JsonObject>; required?: string[] }
    const required = new Set(whole.required ?? [])
    return Object.entries(whole.properties ?? {}).map(([name, field]) => ({
      name,
      required: required.has(name),
      schema: this.lift(withoutNull(field), 'input') as JsonObject,
    }))
  }

  all(): JsonObject {
    return Object.fromEntries([...this.byName].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  private convert(schema: z.core.$ZodType, side: Side): Record<string, unknown> {
    const { $schema, ...json } = z.toJSONSchema(schema, {
      io: side,
      target: 'draft-2020-12',
      metadata: this.metadata,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => this.restate(zodSchema, jsonSchema as Record<string, unknown>, side),
    })
    return json
  }

  /** Corrects schemas that the converter translates too literally, such as text that represents a number. */
  private restate(schema: z.core.$ZodType, json: Record<string, unknown>, side: Side): void {
    const def = (schema as z.core.$ZodTypes)._zod.def
    if (def.type === 'pipe') replace(json, this.convert(meantSide(def), side))
    else if (def.type === 'union' && def.options.slice(1).some(isTransformed)) {
      replace(json, this.convert(present(def.options[0], 'the first option of a union'), side))
    } else if (def.type === 'default') json['default'] = def.defaultValue
    // a response may have more fields than the schema lists
    else if (def.type === 'object' && side === 'output') delete json['additionalProperties']
    // object keys are always strings
    else if (def.type === 'record' && def.keyType._zod.def.type === 'string') delete json['propertyNames']
    else if (def.type === 'number') dropSafeBounds(json)
    // "anything or null" is the same as "anything"
    else if (def.type === 'nullable' && isAnything(json['anyOf'])) delete json['anyOf']
  }

  private lift(value: JsonValue, side: Side): JsonValue {
    if (Array.isArray(value)) return value.map(item => this.lift(item, side))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value as JsonObject).filter(([key]) => key !== COMPONENT)
    const lifted = Object.fromEntries(entries.map(([key, item]) => [key, this.lift(item, side)]))
    const name = (value as JsonObject)[COMPONENT]
    return typeof name === 'string' ? { $ref: `#/components/schemas/${this.add(name, lifted, side)}` } : lifted
  }

  /** Adds a named schema. If the input and output schemas with this name differ, the name of the one added later has a suffix. */
  private add(name: string, schema: JsonObject, side: Side): string {
    const known = this.byName.get(name)
    if (known === undefined) this.byName.set(name, schema)
    else if (JSON.stringify(known) !== JSON.stringify(schema)) {
      const own = `${name}${side === 'input' ? 'Request' : 'Answer'}`
      this.byName.set(own, schema)
      return own
    }
    return name
  }
}

/** Returns the JSON Schema of a response (or request) as a separate document, with its named parts in `$defs`. */
export function schemaOnItsOwn(schema: z.ZodType, side: Side = 'output'): JsonObject {
  const components = new Components()
  const body = components.schema(schema, side)
  const text = JSON.stringify({ ...body, $defs: components.all() }).replaceAll('#/components/schemas/', '#/$defs/')
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...(JSON.parse(text) as JsonObject) }
}

/** Returns the more specific side of a pipe: not the side that is a transform or a union of texts to parse. */
function meantSide(def: z.core.$ZodPipeDef): z.core.$ZodType {
  const type = (side: z.core.$ZodType): string => side._zod.def.type
  if (type(def.out) === 'transform') return def.in
  return type(def.in) === 'transform' || type(def.in) === 'union' ? def.out : def.in
}

function isTransformed(schema: z.core.$ZodType): boolean {
  const def = (schema as z.core.$ZodTypes)._zod.def
  return def.type === 'pipe' && (def.out as z.core.$ZodType)._zod.def.type === 'transform'
}

function isAnything(options: unknown): boolean {
  return Array.isArray(options) && options.some(option => Object.keys(option).length === 0)
}

/** Drops the bounds of safe integers, which do not describe the field. */
function dropSafeBounds(json: Record<string, unknown>): void {
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum']
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum']
}

function replace(json: Record<string, unknown>, by: Record<string, unknown>): void {
  for (const key of ['anyOf', 'type', 'pattern']) delete json[key]
  Object.assign(json, by)
}

/** Removes null from a parameter's type: a path or query parameter either is absent or has a value. */
function withoutNull(schema: JsonObject): JsonObject {
  const { anyOf, type, ...rest } = schema
  if (Array.isArray(type)) return { ...rest, type: type.find(name => name !== 'null') ?? 'string' }
  if (!Array.isArray(anyOf)) return schema
  const options = (anyOf as readonly JsonObject[]).filter(option => option['type'] !== 'null')
  const [only, second] = options
  return only && !second ? { ...rest, ...only } : { ...rest, anyOf: options }
}
