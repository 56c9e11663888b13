/** Reads the server's OpenAPI document. */
import type { ApiDocument, ApiOperation, DocumentedResponse, Schema } from '../../api/api-document.ts'

/** An operation, and the document with the schemas that it refers to. */
export interface OperationProps {
  readonly document: ApiDocument
  readonly operation: ApiOperation
}

/** Returns the operations whose ID, method, path or summary contains all words. */
export function searchOperations(operations: readonly ApiOperation[], search: string): readonly ApiOperation[] {
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

/** Returns the response that a reference points to. */
export function resolveResponse(document: ApiDocument, response: DocumentedResponse): DocumentedResponse {
  const name = response.$ref?.split('/').at(-1)
  return (name === undefined ? undefined : document.components.responses[name]) ?? response
}

/** Returns the type of a schema in words, such as "string (uuid) or null". */
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
export function describeLimits(schema: Schema): readonly string[] {
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
