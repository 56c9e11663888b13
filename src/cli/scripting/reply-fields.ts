/** Looks up a field in the response schemas, because an optional member may be absent from every record of one response. */
import { Components, type JsonObject, type JsonValue } from '../../contract/kernel/json-schema.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { isObject } from '../runtime/json-text.ts'
import type { FieldPath } from './fields.ts'

/**
 * Returns whether a record of one of the operations may have the member. With `isList`, the records are the items of a list in the
 * response.
 */
export function isReplyField(ids: Iterable<OperationId>, path: FieldPath, isList: boolean): boolean {
  return [...ids].some(id => {
    const components = new Components()
    const reply = components.schema(operations[id].reply(), 'output')
    const named = components.all()
    const records = isList ? listItems(reply, named) : [reply]
    return records.some(record => allows(record, path, named))
  })
}

/** Returns the schemas of the items of the response, or of the lists directly below it. */
function listItems(reply: JsonObject, named: JsonObject): JsonObject[] {
  const root = resolved(reply, named)
  const lists = [root, ...Object.values(toObject(root['properties'])).map(each => resolved(toObject(each), named))]
  return lists.flatMap(each => (each['items'] === undefined ? [] : [toObject(each['items'])]))
}

function allows(schema: JsonObject, path: FieldPath, named: JsonObject): boolean {
  const [key, ...rest] = path
  if (key === undefined) return true
  const here = resolved(schema, named)
  const inner = [here['anyOf'], here['oneOf'], here['allOf']].flatMap(each => (Array.isArray(each) ? each : []))
  const deeper = [...inner, ...(here['items'] === undefined ? [] : [here['items']])]
  if (deeper.some(each => allows(toObject(each), path, named))) return true
  const member = toObject(here['properties'])[key] ?? here['additionalProperties']
  return typeof member === 'object' && member !== null && allows(toObject(member), rest, named)
}

function resolved(schema: JsonObject, named: JsonObject): JsonObject {
  const ref = schema['$ref']
  return typeof ref === 'string' ? toObject(named[ref.slice(ref.lastIndexOf('/') + 1)]) : schema
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {}
}
