/** Generates values that a JSON Schema of the OpenAPI document allows: what a careful caller could send. */
import fc from 'fast-check'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** Returns texts that are more useful than random ones for a field of this name, for example existing IDs. */
export type KnownTexts = (name: string) => readonly string[]

const MOST_DEPTH = 6

/** Generates values for a schema. `refs` resolves `$ref`, and `known` gives useful values for a field name. */
export function schemaArbitrary(
  schema: Schema,
  refs: (ref: string) => Schema,
  known: KnownTexts,
  name = '',
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (each: Schema, as = name): fc.Arbitrary<unknown> => schemaArbitrary(each, refs, known, as, depth + 1)
  if (schema.$ref !== undefined) return depth > MOST_DEPTH ? fc.constant(null) : inner(refs(schema.$ref))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options) {
    const simple = depth > MOST_DEPTH ? options.filter(isSimple) : options
    return fc.oneof(...(simple.length > 0 ? simple : options).map(each => inner(each)))
  }
  if (schema.allOf) {
    return fc.tuple(...schema.allOf.map(each => inner(each))).map(parts => Object.assign({}, ...(parts as object[])))
  }
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  switch (type) {
    case 'string':
      return texts(schema, known(name))
    case 'integer':
      return fc.integer(bounds(schema, 1))
    case 'number':
      return fc.oneof(
        fc.integer(bounds(schema, 1)),
        fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true }),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const most = Math.min(schema.maxItems ?? 3, Math.max(3, schema.minItems ?? 0))
      const item = depth > MOST_DEPTH ? fc.constant(null) : inner(schema.items ?? {})
      return fc.array(item, { minLength: Math.min(schema.minItems ?? 0, most), maxLength: most })
    }
    case 'object':
      return objects(schema, inner)
    default:
      return fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  }
}

function isSimple(schema: Schema): boolean {
  return schema.$ref === undefined && schema.type !== 'object' && schema.type !== 'array'
}

function bounds(schema: Schema, step: number): { min: number; max: number } {
  const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1000 : schema.exclusiveMinimum + step)
  const max = schema.maximum ?? (schema.exclusiveMaximum === undefined ? 100_000 : schema.exclusiveMaximum - step)
  return { min: Math.ceil(Math.min(min, max)), max: Math.floor(Math.max(min, max)) }
}

const day = fc.date({ min: new Date('2000-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })

function texts(schema: Schema, known: readonly string[]): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = 40 } = schema
  const length = { minLength, maxLength: Math.min(maxLength, Math.max(40, minLength)) }
  const free = fc.string({ ...length, unit: 'grapheme' })
  const shaped =
    format === 'uuid'
      ? fc.uuid()
      : format === 'date'
        ? day.map(at => at.toISOString().slice(0, 10))
        : format === 'date-time'
          ? day.map(at => at.toISOString())
          : format === 'email'
            ? fc.constant('someone@example.test')
            : pattern === undefined
              ? free
              : matching(pattern, free)
  return known.length === 0 ? shaped : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, shaped)
}

/** A pattern that the generator does not support (such as look-behind) falls back to free text. */
function matching(pattern: string, free: fc.Arbitrary<string>): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'))
  } catch {
    return free
  }
}

function objects(
  schema: Schema,
  inner: (each: Schema, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, inner(each, name)] as const)
  const { additionalProperties } = schema
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    const names = schema.propertyNames ? inner(schema.propertyNames, '') : fc.string({ maxLength: 10 })
    return fc.dictionary(names as fc.Arbitrary<string>, inner(additionalProperties, ''), { maxKeys: 3 })
  }
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true })
}
