/** Finds the operation that a method and a path stand for, with its path and query parameters. */
import type { Operation } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { nearest, ServiceError } from '../../core/errors.ts'

export interface FoundOperation {
  readonly id: OperationId
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  /** A parameter that is repeated is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
}

/** What a server has beside the operations. */
const SERVER_PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/link']

/** Throws ServiceError `not_found` or `method_not_allowed`, with what there is. `given` is a path, with a query or without. */
export function findOperation(method: string, given: string): FoundOperation {
  const [pathText = '', queryText = ''] = splitOnce(given, '?')
  const path = `/${pathText.replace(/^\/+|\/+$/g, '')}`
  const methods: string[] = []
  let found: FoundOperation | undefined
  for (const id of Object.keys(operations) as OperationId[]) {
    const operation: Operation = operations[id]
    const params = match(operation.path, path)
    if (!params) continue
    methods.push(operation.method)
    if (operation.method !== method) continue
    // as at the server, what is written out wins over what a parameter takes: /v2/user/metrics is no user
    if (found && Object.keys(found.params).length <= Object.keys(params).length) continue
    found = { id, operation, params, query: parseQuery(queryText) }
  }
  if (found) return found
  if (methods.length > 0) {
    throw new ServiceError('method_not_allowed', `${path} does not answer ${method}. It answers ${methods.join(', ')}.`)
  }
  if (SERVER_PATHS.includes(path)) {
    throw new ServiceError('not_found', `${path} is no operation: only \`svc serve\` has it.`, {
      suggestions: ['Start `svc serve`, and read it at the address that it prints.'],
    })
  }
  const known = new Set(Object.values(operations).map(each => each.path))
  throw new ServiceError('not_found', `There is no operation at ${path}.`, {
    suggestions: [
      `Nearest: ${(nearest(path, known).length > 0 ? nearest(path, known) : sameStart(path, [...known])).join(', ')}`,
    ],
  })
}

/** The parameters of a path that the template stands for. */
function match(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = given[i] as string
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (part !== text) return undefined
    } else params[name] = decode(text)
  }
  return params
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new ServiceError('usage', 'The path holds a "%" that starts no valid escape.', { cause })
  }
}

function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  const fields = new URLSearchParams(text)
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name)
    query[name] = values.length === 1 ? (values[0] as string) : values
  }
  return query
}

/** The paths that share most with a path from its start. */
function sameStart(path: string, known: readonly string[]): string[] {
  const shared = (each: string) => {
    let n = 0
    while (n < each.length && each[n] === path[n]) n++
    return n
  }
  return [...new Set(known)].sort((a, b) => shared(b) - shared(a)).slice(0, 3)
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
