/** The console's message for a failed call: the problem, the advice and a code. */
import { fieldsOf } from './body.ts'

/** A field of the request that the server refused. */
export interface FieldProblem {
  /** Path of the value: `client_user_id` for `body.client_user_id`. */
  readonly field: string
  readonly message: string
  /** Columns of the refused table, if the server lists them. */
  readonly columns?: readonly string[]
}

/** Statuses of temporary refusals. For any other 4xx, the same call would be refused again. */
const PASSING: readonly number[] = [408, 409, 425, 429]

/** A call that did not succeed. `message` is safe to show, because the server never repeats a sensitive value. */
export class Problem extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** Code from docs/errors.md; empty if the server sent none. */
  readonly code: string
  readonly fields: readonly FieldProblem[]

  constructor(status: number, code: string, message: string, fields: readonly FieldProblem[] = []) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.fields = fields
  }

  /** Whether the same call may succeed later. */
  get mayPass(): boolean {
    return this.status < 400 || this.status >= 500 || PASSING.includes(this.status)
  }

  /** Whether the ID in the call is unknown or invalid. For calls that send only an ID. */
  get isMissing(): boolean {
    return this.status === 404 || this.status === 422
  }
}

/** Returns null for a missing item, for `catch`. Throws any other error. */
export function noneIfMissing(error: unknown): null {
  if (error instanceof Problem && error.isMissing) return null
  throw error
}

/** Returns the problem for a server that does not respond. */
export function unreachable(): Problem {
  return new Problem(0, 'unreachable', 'The server does not respond. Check that it is running, then try again.')
}

/** Reads the problem from an error response. */
export async function readProblem(response: Response): Promise<Problem> {
  const code = response.headers.get('x-svc-error-code') ?? ''
  const text = await response.text().catch(() => '')
  const detail = parseDetail(text)
  if (typeof detail === 'string' && detail !== '') return new Problem(response.status, code, detail)
  if (Array.isArray(detail)) {
    const fields = detail.map(fieldProblem)
    const message = fields.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ')
    return new Problem(response.status, code, message, fields)
  }
  const { error_message: errorMessage } = fieldsOf(detail)
  if (typeof errorMessage === 'string') return new Problem(response.status, code, errorMessage)
  return new Problem(response.status, code, `The server responded with status ${response.status}.`)
}

function parseDetail(text: string): unknown {
  try {
    const body = fieldsOf(JSON.parse(text))
    return body['detail'] ?? body['error'] ?? body['error_message']
  } catch {
    return undefined
  }
}

/** Converts an issue. The first part of `loc` only says whether the value is in the body, the path or the query. */
function fieldProblem(issue: unknown): FieldProblem {
  const { loc, msg, ctx } = fieldsOf(issue)
  const field = Array.isArray(loc) ? loc.slice(1).join('.') : ''
  const { columns } = fieldsOf(ctx)
  const message = typeof msg === 'string' ? msg : 'is not valid'
  return { field, message, ...(Array.isArray(columns) ? { columns: columns.map(String) } : {}) }
}
