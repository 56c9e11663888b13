/** Values that a field of a call may have, and what the fields of an answer mean, read from /openapi.json, so that no page keeps a list of its own. */
import { type OperationId, send } from './call.ts'
import { useLoadOf } from './use-call.ts'

/** The parts of /openapi.json that the pages read. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly { readonly name?: string; readonly schema?: Schema }[]
  readonly requestBody?: Contents
  readonly responses: Readonly<Record<string, Partial<Contents>>>
}
interface Contents {
  readonly content: Readonly<Record<string, { readonly schema?: Schema }>>
}
/** A JSON schema of the description. */
export interface Schema {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
  readonly deprecated?: boolean
  readonly const?: unknown
}

let description: Promise<Description> | null = null

/** Reads the description; once, because it changes only with the version of the server. */
export async function loadDescription(): Promise<Description> {
  description ??= send('GET', '/openapi.json').then(
    answer => answer.json() as Promise<Description>, // the server's own tests hold it to OpenAPI
  )
  return description.catch((error: unknown) => {
    description = null
    throw error
  })
}

/**
 * The values of an enumeration in a request: `useChoices('provider.fail', 'error_type')`. A dot leads to a nested field. Empty until they
 * are loaded, and for a field that takes any value. Nothing is loaded while `isWanted` is false.
 */
export function useChoices(id: OperationId, field: string, isWanted = true): readonly string[] {
  const load = useLoadOf(isWanted ? `choices ${id} ${field}` : null, async () =>
    choicesIn(await loadDescription(), id, field),
  )
  return load.data ?? []
}

function operationIn(from: Description, id: string): Operation | undefined {
  return Object.values(from.paths)
    .flatMap(each => Object.values(each))
    .find(each => each.operationId === id)
}

/** Returns the schema of the JSON that an operation answers with. An operation with a resource in its path has an id for each resource. */
export function answerIn(from: Description, id: `${OperationId}.${string}`): Schema | undefined {
  return operationIn(from, id)?.responses['200']?.content?.['application/json']?.schema
}

function choicesIn(from: Description, id: OperationId, field: string): readonly string[] {
  const operation = operationIn(from, id)
  const parameter = operation?.parameters?.find(each => each.name === field)?.schema
  let schema = parameter ?? Object.values(operation?.requestBody?.content ?? {})[0]?.schema
  if (parameter === undefined) {
    for (const name of field.split('.')) schema = plain(from, schema)?.properties?.[name]
  }
  const values = valuesOf(from, schema)
  return values.filter(each => typeof each === 'string')
}

/** Returns the schema itself: behind its name, in the items of a list, and without null. */
export function plain(from: Description, schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split('/').at(-1)
  const found = name === undefined ? schema : from.components.schemas[name]
  if (found?.properties || found?.additionalProperties) return found
  // a field that may be null is a choice between an object and null; of a list, the items count
  const inside = [...(found?.anyOf ?? []), ...(found?.items ? [found.items] : [])]
  return inside.map(each => plain(from, each)).find(each => each?.properties || each?.additionalProperties) ?? found
}

function valuesOf(from: Description, schema: Schema | undefined): readonly unknown[] {
  const found = plain(from, schema)
  if (found === undefined) return []
  return (
    found.enum ?? [...(found.anyOf ?? []), ...(found.items ? [found.items] : [])].flatMap(each => valuesOf(from, each))
  )
}
