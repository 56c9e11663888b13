/** A tool that calls operations of the service. */
import type { ServiceClient } from '../../client/client.ts'
import type { JsonObject } from '../../contract/kernel/json-schema.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { didYouMean, invalid, ServiceError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import { withUser } from '../arguments/user-argument.ts'
import { nextPage } from './next-page.ts'
import { type Arguments, type McpTool, SKIP, type ToolResult } from './tool.ts'
import { type Argument, listArguments, TAKES_RAW_IDS } from './tool-arguments.ts'
import { isIdempotent, isReadOnly, RECORD_LISTS, type ToolSpec } from './tool-table.ts'

/** Arguments of each action. */
type Actions = ReadonlyMap<string, { readonly id: OperationId; readonly args: ReadonlyMap<string, Argument> }>

/** Returns the tool for a table entry. Its schemas are built on first use, because building all of them takes half a second. */
export function operationTool(spec: ToolSpec, client: ServiceClient): McpTool {
  let built: Actions | undefined
  const actions = (): Actions => {
    built ??= new Map(Object.entries(spec.operations).map(([name, id]) => [name, { id, args: listArguments(id) }]))
    return built
  }
  const onlyReads = isReadOnly(spec)
  return {
    name: spec.name,
    title: spec.title,
    get description() {
      return describe(spec, actions())
    },
    get inputSchema() {
      return buildSchema(actions(), onlyReads)
    },
    isReadOnly: onlyReads,
    isDestructive: spec.isDestructive === true,
    isIdempotent: isIdempotent(spec),
    call: async (given, signal) => callOperation(chosen(actions(), given, onlyReads), client, signal),
  }
}

function describe({ about, operations: ids }: ToolSpec, actions: Actions): string {
  const entries = Object.entries(ids)
  const [only] = entries
  if (only && entries.length === 1) return `${about} ${operations[only[1]].summary}.`
  const lines = [...actions].map(([name, { id, args }]) => {
    const needed = [...args].filter(([, { isRequired }]) => isRequired).map(([arg]) => arg)
    return `- ${name}: ${operations[id].summary}${needed.length === 0 ? '' : ` (needs ${needed.join(', ')})`}`
  })
  return [about, 'Actions:', ...lines].join('\n')
}

function buildSchema(actions: Actions, onlyReads: boolean): JsonObject {
  const names = [...actions.keys()]
  const properties: Record<string, JsonObject> = {}
  if (names.length > 1) {
    properties['action'] = { type: 'string', enum: names, ...(onlyReads ? { default: names[0] ?? '' } : {}) }
  }
  const all = new Set([...actions.values()].flatMap(({ args }) => [...args.keys()]))
  for (const name of all) properties[name] = mergedSchema(actions, name)
  if (onlyReads) {
    const description = 'Continue a result that was cut: skip this number of records (from page.next)'
    properties[SKIP] = { type: 'integer', minimum: 0, default: 0, description }
  }
  const isAlwaysNeeded = (name: string) => [...actions.values()].every(({ args }) => args.get(name)?.isRequired)
  const required = [...(names.length > 1 && !onlyReads ? ['action'] : []), ...[...all].filter(isAlwaysNeeded)]
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Returns one schema for an argument that several actions may have, and lists these actions in its description. */
function mergedSchema(actions: Actions, name: string): JsonObject {
  const having = [...actions].flatMap(([action, { args }]) => {
    const found = args.get(name)
    return found ? [{ action, schema: found.schema }] : []
  })
  const distinct = [...new Map(having.map(({ schema }) => [JSON.stringify(schema), schema])).values()]
  const first = present(distinct[0], 'the schema of an argument')
  const schema = distinct.length === 1 ? first : { anyOf: distinct }
  if (having.length === actions.size) return schema
  const described = typeof first['description'] === 'string' ? `${first['description']}. ` : ''
  return { ...schema, description: `${described}For ${having.map(({ action }) => action).join(', ')}` }
}

interface Chosen {
  readonly id: OperationId
  readonly args: ReadonlyMap<string, Argument>
  readonly given: Arguments
}

/** Throws ServiceError `invalid_request` for an unknown action, an unknown argument or a missing one. */
function chosen(actions: Actions, all: Arguments, onlyReads: boolean): Chosen {
  const names = [...actions.keys()]
  const { action, ...others } = all
  const hasChoice = names.length > 1
  // without a choice, `action` is an unknown argument
  const given = hasChoice ? others : all
  const name = hasChoice && (action !== undefined || !onlyReads) ? action : names[0]
  const found = typeof name === 'string' ? actions.get(name) : undefined
  if (!found) throw invalid([{ loc: ['arguments', 'action'], msg: `must be one of ${names.join(', ')}`, type: 'enum' }])
  const { id, args } = found
  const unknown = Object.keys(given).filter(each => !args.has(each))
  const missing = [...args].filter(([each, { isRequired }]) => isRequired && (given[each] ?? null) === null)
  const issues = [
    ...unknown.map(each => ({ loc: ['arguments', shown(each)], msg: notKnown(each, [...args.keys()]), type: 'extra' })),
    ...missing.map(([each]) => ({ loc: ['arguments', each], msg: 'is required', type: 'missing' })),
  ]
  if (issues.length > 0) throw invalid(issues)
  return { id, args, given }
}

/** Returns the name to show. A name that no schema could have is not repeated, because it may be a value. */
function shown(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : '(unnamed)'
}

function notKnown(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'none' : known.join(', ')
  return `is not an argument here.${didYouMean(name.slice(0, 40), known)} Arguments: ${list}`
}

async function callOperation(call: Chosen, client: ServiceClient, signal: AbortSignal): Promise<ToolResult> {
  const user = TAKES_RAW_IDS.has(call.id) ? undefined : call.given['user_id']
  const send = async (given: Arguments): Promise<ToolResult> => {
    // the service checks the input, as for any client
    const reply = await client.call(call.id, buildInput(call, given) as never, { signal })
    if (reply.kind === 'bytes') throw new ServiceError('bad_response', `The response to ${call.id} is not JSON.`)
    const body = reply.kind === 'empty' ? null : reply.body
    return { body, lists: RECORD_LISTS[call.id], next: nextPage(body, call.args) }
  }
  if (typeof user !== 'string') return send(call.given)
  return withUser(client, user, user_id => send({ ...call.given, user_id }))
}

/** Returns the input of the operation. Null means no value, except in a body, where it clears a field. */
function buildInput({ id, args }: Chosen, given: Arguments): unknown {
  const hasBody = operations[id].method !== 'GET' && 'body' in operations[id]
  const input = { params: {} as Record<string, unknown>, query: {} as Record<string, unknown> }
  let body: unknown = hasBody ? {} : undefined
  for (const [name, value] of Object.entries(given)) {
    const location = args.get(name)?.location
    if (location === 'whole_body') body = value
    else if (location === 'body') body = { ...(body as object), [name]: value }
    else if (location !== undefined && value !== null) input[location][name] = value
  }
  return { ...input, body }
}
