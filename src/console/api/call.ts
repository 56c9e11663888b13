/** Calls the service's operations. Their IDs, inputs and responses are derived from the operations table. */
import type { CallerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { OperationId, Operations } from '../../contract/operations.ts'
import { BASE } from './base.ts'
import { Problem, readProblem, unreachable } from './problem.ts'
import { ROUTES } from './routes.ts'
import { csrfToken, endSession } from './session.ts'

export type { OperationId }
export type Input<K extends OperationId> = CallerInput<Operations[K]>
/** The JSON response of an operation. */
export type ResponseOf<K extends OperationId> = ReplyBody<Operations[K]>

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Requested media type; JSON by default. */
  readonly accept?: string
}

/** Returns the path and query of a call, for a download link. */
export function callUrl<K extends OperationId>(id: K, input: Input<K>): string {
  return buildRequest(id, input).url
}

/** Returns the method, path and query of a call, as `svc api` accepts them. */
export function buildRequest<K extends OperationId>(
  id: K,
  input: Input<K>,
): { readonly method: string; readonly url: string; readonly body: unknown } {
  const [method = 'GET', path = '/'] = ROUTES[id].split(' ')
  const {
    params = {},
    query = {},
    body,
  } = input as {
    readonly params?: Fields
    readonly query?: Fields
    readonly body?: unknown
  }
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name] ?? '')))
  return { method, url: withQuery(filled, query), body }
}

/** Adds the parameters that have a value to a path. */
export function withQuery(path: string, query: Fields): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

type Fields = Readonly<Record<string, unknown>>

/** Calls an operation and returns its JSON. Throws Problem, or the signal's abort reason if the signal aborted the call. */
export async function call<K extends OperationId>(
  id: K,
  input: Input<K>,
  options: CallOptions = {},
): Promise<ResponseOf<K>> {
  const response = await callRaw(id, input, options)
  if (response.status === 204) return undefined as ResponseOf<K> // this operation is declared to have no response body
  return (await response.json()) as ResponseOf<K> // the server follows the table, which its own tests check
}

/** Calls an operation and returns the raw response, for bytes. Throws like `call`. */
export async function callRaw<K extends OperationId>(
  id: K,
  input: Input<K>,
  { signal, accept = 'application/json' }: CallOptions = {},
): Promise<Response> {
  const { method, url, body } = buildRequest(id, input)
  return sendRequest(method, url, {
    signal,
    accept,
    ...(body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' }),
  })
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined
  readonly accept?: string
  readonly body?: BodyInit
  readonly type?: string
}

/** Sends any request with the page's session. Throws Problem. Ends the page's session if it is no longer valid. */
export async function sendRequest(method: string, url: string, options: SendOptions = {}): Promise<Response> {
  const { signal, accept = 'application/json', body, type } = options
  const headers: Record<string, string> = { accept }
  if (type !== undefined) headers['content-type'] = type
  if (method !== 'GET' && method !== 'HEAD') headers['x-svc-csrf-token'] = csrfToken()
  const response = await fetch(`${BASE}${url}`, {
    method,
    headers,
    credentials: 'same-origin',
    redirect: 'error',
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  const problem = await readProblem(response)
  if (problem.status === 401) endSession()
  throw problem
}

export { Problem }
