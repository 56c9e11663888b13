/** The OpenAPI document of the server: the parts that the reference shows, and functions that read them. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

export interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-audience'?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
  }
}

export interface ApiOperation extends Described {
  readonly method: string
  readonly path: string
}

/** Loads the document of this server. Throws Problem through `send`. */
export async function loadDocument(answer: Promise<Response>): Promise<ApiDocument> {
  return (await (await answer).json()) as ApiDocument // the server builds it from its own table of operations
}

/** Returns all operations, in the order of the document. */
export function operationsOf(document: ApiDocument): readonly ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  )
}

/** Returns the operations whose id, method, path or summary contains all of the words. */
export function matching(operations: readonly ApiOperation[], search: string): readonly ApiOperation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return operations
  return operations.filter(({ operationId, method, path, summary }) => {
    const text = `${operationId} ${method} ${path} ${summary}`.toLowerCase()
    return words.every(word => text.includes(word))
  })
}

/** Returns the schema that a reference points to, with its name in the document. */
export function resolve(
  document: ApiDocument,
  schema: Schema,
): { readonly schema: Schema; readonly name: string | null } {
  const name = schema.$ref?.split('/').at(-1) ?? null
  const target = name === null ? undefined : document.components.schemas[name]
  return target === undefined ? { schema, name: null } : { schema: target, name }
}

/** Returns the answer that a reference points to. */
export function resolveAnswer(document: ApiDocument, answer: Answer): Answer {
  const name = answer.$ref?.split('/').at(-1)
  return (name === undefined ? undefined : document.components.responses[name]) ?? answer
}

/** Returns the type of a schema in words: "string (uuid) or null". */
export function typeText(document: ApiDocument, schema: Schema): string {
  if (schema.$ref) return resolve(document, schema).name ?? 'object'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' or ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(each => typeText(document, each)))].join(' or ')
  if (schema.allOf) return schema.allOf.map(each => typeText(document, each)).join(' and ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any'])
  return types
    .map(type => (type === 'array' ? `list of ${itemText(document, schema)}` : withFormat(type, schema)))
    .join(' or ')
}

function itemText(document: ApiDocument, { items }: Schema): string {
  return items === undefined ? 'any' : typeText(document, items)
}

function withFormat(type: string, { format }: Schema): string {
  return format !== undefined && type === 'string' ? `string (${format})` : type
}

/** Returns the limits and the default of a value, in words. */
export function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern } = schema
  const whole = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    whole(minimum) ? `at least ${minimum}` : '',
    whole(exclusiveMinimum) ? `more than ${exclusiveMinimum}` : '',
    whole(maximum) ? `at most ${maximum}` : '',
    minLength ? `at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}` : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minItems ? `at least ${minItems} ${minItems === 1 ? 'item' : 'items'}` : '',
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    pattern !== undefined && pattern.length <= 60 ? `matches ${pattern}` : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean)
}

const MOST_DEPTH = 4

/** Returns a value to start from, which fits a schema: required fields only. */
export function exampleOf(document: ApiDocument, given: Schema, depth = 0): unknown {
  const { schema } = resolve(document, given)
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choice = (schema.anyOf ?? schema.oneOf)?.[0]
  if (choice) return exampleOf(document, choice, depth)
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0]
  if (type === 'array')
    return schema.items && (schema.minItems ?? 0) > 0 ? [exampleOf(document, schema.items, depth + 1)] : []
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  if (type === 'boolean') return false
  if (type === 'string') return ''
  if (type !== 'object' || depth >= MOST_DEPTH) return null
  const required = schema.required ?? []
  return Object.fromEntries(
    required.map(name => [name, exampleOf(document, schema.properties?.[name] ?? {}, depth + 1)]),
  )
}
