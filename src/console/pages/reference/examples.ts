/** Examples of requests and responses. They are built from the schemas, and contain no stored values. */
import type { ApiDocument, Schema } from '../../api/api-document.ts'
import { resolve } from './document.ts'
import { exampleText } from './example-values.ts'

/** Depth at which nested values are left out, because schemas may contain themselves. */
const MOST_DEPTH = 7

/** Decides how much of a schema an example contains. */
interface Extent {
  readonly fields: (schema: Schema) => readonly string[]
  readonly items: (schema: Schema) => number
}

const REQUIRED: Extent = {
  fields: ({ required = [] }) => required,
  items: ({ minItems = 0 }) => Math.min(minItems, 1),
}

const ALL: Extent = {
  fields: ({ properties = {} }) => Object.keys(properties).filter(name => !properties[name]?.deprecated),
  items: () => 1,
}

/** Returns an example that contains only the required fields. */
export function shortExample(document: ApiDocument, schema: Schema): unknown {
  return build(document, schema, REQUIRED, '', 0)
}

/** Returns an example that contains all fields, except deprecated ones. */
export function fullExample(document: ApiDocument, schema: Schema): unknown {
  return build(document, schema, ALL, '', 0)
}

/** Builds the value of a field; the items of a list have its name. */
function build(document: ApiDocument, given: Schema, extent: Extent, field: string, depth: number): unknown {
  const { schema } = resolve(document, given)
  const inside = (inner: Schema | undefined, name = field): unknown =>
    build(document, inner ?? {}, extent, name, depth + 1)
  const fixed = schema.default ?? schema.const ?? schema.enum?.[0]
  if (fixed !== undefined) return fixed
  const choice = (schema.anyOf ?? schema.oneOf)?.find(each => each.type !== 'null')
  if (choice) return build(document, choice, extent, field, depth)
  const { properties = {}, additionalProperties: others } = schema
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'string') return exampleText(field, schema)
  if (type === 'integer' || type === 'number') return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1
  if (type === 'boolean') return false
  if (depth > MOST_DEPTH) return type === 'array' ? [] : null
  if (type === 'array') return Array.from({ length: extent.items(schema) }, () => inside(schema.items))
  if (type !== 'object') return null
  if (typeof others === 'object' && !schema.properties) return extent === ALL ? { name: inside(others) } : {}
  return Object.fromEntries(extent.fields(schema).map(name => [name, inside(properties[name], name)]))
}
