/**
 * Allowed values of request fields and meanings of response fields. They come from /openapi.json, so that pages do not need their own
 * lists.
 */
import { useMemo } from 'preact/hooks'
import { formatTitle } from '../../catalogue/wording.ts'
import { type ApiDocument, type ApiOperation, listOperations, loadDocument, type Schema } from './api-document.ts'
import type { OperationId } from './call.ts'
import { useLoader } from './use-call.ts'

/**
 * Returns a function that finds the allowed values of a request field: `useChoices('order.create')('billing_type')`. A dot selects a nested
 * field. Returns an empty list until the values are loaded, and for a field that accepts any value.
 */
export function useChoices(id: OperationId): (field: string) => readonly string[] {
  const { data } = useLoader('document', loadDocument)
  const operation = useMemo(() => data && operationIn(data, id), [data, id])
  return field => (data === undefined ? [] : choicesIn(data, operation, field))
}

/** Returns a field's options, starting with an option for no value. */
export function toOptions(
  values: readonly string[],
  none?: string,
): { readonly value: string; readonly label: string }[] {
  const first = none === undefined ? [] : [{ value: '', label: none }]
  return [...first, ...values.map(value => ({ value, label: formatTitle(value) }))]
}

function operationIn(from: ApiDocument, id: string): ApiOperation | undefined {
  return listOperations(from).find(each => each.operationId === id)
}

/** Returns the schema of an operation's JSON response. An operation with a resource in its path has one ID for each resource. */
export function responseSchema(from: ApiDocument, id: `${OperationId}.${string}`): Schema | undefined {
  return operationIn(from, id)?.responses['200']?.content?.['application/json']?.schema
}

function choicesIn(from: ApiDocument, operation: ApiOperation | undefined, field: string): readonly string[] {
  const parameter = operation?.parameters?.find(each => each.name === field)?.schema
  let schema = parameter ?? Object.values(operation?.requestBody?.content ?? {})[0]?.schema
  if (parameter === undefined) {
    for (const name of field.split('.')) schema = plain(from, schema)?.properties?.[name]
  }
  const values = enumValues(from, schema)
  return values.filter(each => typeof each === 'string')
}

/** Returns the schema with references resolved and without null; for a list, returns the item schema. */
export function plain(from: ApiDocument, schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  const found = name === undefined ? schema : from.components.schemas[name]
  if (found?.properties || found?.additionalProperties) return found
  // a field that may be null is a union of an object and null; for a list, use the items
  const inside = [...(found?.anyOf ?? []), ...(found?.items ? [found.items] : [])]
  return inside.map(each => plain(from, each)).find(each => each?.properties || each?.additionalProperties) ?? found
}

function enumValues(from: ApiDocument, schema: Schema | undefined): readonly unknown[] {
  const found = plain(from, schema)
  if (found === undefined) return []
  return (
    found.enum ??
    [...(found.anyOf ?? []), ...(found.items ? [found.items] : [])].flatMap(each => enumValues(from, each))
  )
}
