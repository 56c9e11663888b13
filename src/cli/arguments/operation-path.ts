/** Finds the operation for a method and a path, with its path and query parameters. */
import type { Operation } from '../../contract/kernel/operation.ts'
import { type OperationId, operations } from '../../contract/operations.ts'
import { nearest, ServiceError } from '../../core/errors.ts'

export interface FoundOperation {
  readonly id: OperationId
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  /** The parameters by name; a repeated parameter becomes a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>
}

/** Server paths that are not operations. */
const SERVER_PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json', '/link']

/** `given` is a path with or without a query. Throws ServiceError `not_found` or `method_not_allowed`, which lists the allowed methods. */
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
    // As in the server, a literal path takes precedence over a parameter: /v2/user/metrics is not a user.
    if (found && Object.keys(found.params).length <= Object.keys(params).length) continue
    found = { id, operation, params, query: parseQuery(queryText) }
  }
  if (found) return found
  if (methods.length > 0) {
    throw new ServiceError('method_not_allowed', `${path} does not allow ${method}. It allows ${methods.join(', ')}.`)
  }
  if (SERVER_PATHS.includes(path)) {
    throw new ServiceError('not_found', `${path} is not an operation. Only \`svc serve\` provides it.`, {
      suggestions: ['Start `svc serve` and request the path at the URL that it prints.'],
    })
  }
  const known = new Set(Object.values(operations).map(each => each.path))
  throw new ServiceError('not_found', `There is no operation at ${path}.`, {
    suggestions: [
      `Nearest: ${(nearest(path, known).length > 0 ? nearest(path, known) : sameStart(path, [...known])).join(', ')}`,
    ],
  })
}

/** Returns the path parameters if the template matches the path. */
function match(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? ''
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
    throw new ServiceError(
      'usage',
      'The path contains a "%" that does not start a valid escape. Write %25 for a percent sign.',
      { cause },
    )
  }
}

function parseQuery(text: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  const fields = new URLSearchParams(text)
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name)
    const [only, second] = values
    query[name] = only === undefined || second !== undefined ? values : only
  }
  return query
}

/** Returns the known paths that share the longest prefix with a path. */
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
