/**
 * Sends requests to a provider's API: builds URLs below the API URL, checks that response bodies are objects, and reads paginated lists.
 */

import { type AppSession, ProviderError, type ProviderResponse } from '../provider-session.ts'
import { asList, asObject, type JsonObject, member } from '../shared/json-fields.ts'
import { ahead, Cursor } from './ahead.ts'

export type QueryParameters = Readonly<Record<string, string>>

/** Returns the URL of a path below the API URL. */
export function apiUrl({ app }: Pick<AppSession, 'app'>, path: string, query: QueryParameters = {}): URL {
  const url = new URL(`${app.apiUrl.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Returns the object in a response. Throws ProviderError `bad_answer` for anything else. */
export function objectIn(response: ProviderResponse): JsonObject {
  const body = asObject(response.json())
  if (body === undefined) throw new ProviderError('bad_answer', 'The response is not a JSON object.')
  return body
}

/** Requests an object. Throws ProviderError. */
export async function getObject(session: AppSession, path: string): Promise<JsonObject> {
  return objectIn(await session.send({ method: 'GET', url: apiUrl(session, path) }))
}

/** Requests a record. Returns null if the provider does not have the record. Throws ProviderError. */
export async function getRecord(session: AppSession, path: string): Promise<JsonObject | null> {
  const response = await session.send({ method: 'GET', url: apiUrl(session, path), accepted: [404] })
  return response.status === 404 ? null : objectIn(response)
}

/** The format of a paginated list. */
export interface ListForm {
  /** Path of the records in a response. */
  readonly records: string
  /** Whether a response without records may omit the list. */
  readonly isOptional?: boolean
  /** The response field with the next position, and the parameter that requests that position; absent if responses are complete. */
  readonly next?: { readonly field: string; readonly parameter: string }
}

/** Yields a list's items, a page at a time. Throws ProviderError. */
export function getPages(
  session: AppSession,
  form: ListForm,
  path: string,
  query: QueryParameters = {},
): AsyncGenerator<readonly unknown[]> {
  return ahead(requestPages(session, form, path, query), records => records.length)
}

async function* requestPages(
  session: AppSession,
  { records, isOptional = false, next }: ListForm,
  path: string,
  query: QueryParameters,
): AsyncGenerator<readonly unknown[]> {
  const cursor = new Cursor()
  let token: string | null = null
  do {
    const url = apiUrl(session, path, query)
    if (next && token !== null) url.searchParams.set(next.parameter, token)
    const body = objectIn(await session.send({ method: 'GET', url }))
    const list = member(body, records)
    if (!Array.isArray(list) && !(isOptional && (list ?? null) === null)) {
      throw new ProviderError('bad_answer', `The response has no list "${records}".`)
    }
    yield asList(list)
    token = next ? cursor.next(member(body, next.field)) : null
  } while (token !== null)
}

/** Returns all of a list's items. Throws ProviderError. */
export async function getAll(
  session: AppSession,
  form: ListForm,
  path: string,
  query?: QueryParameters,
): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const page of getPages(session, form, path, query)) all.push(...page)
  return all
}

/** Returns whether a scope was granted. If the granted scopes are unknown, the requested ones count as granted. */
export function isGranted(
  { app, tokenSet }: { app: AppSession['app']; tokenSet: { scopes: readonly string[] | null } },
  scope: string,
): boolean {
  return (tokenSet.scopes ?? app.scopes).includes(scope)
}

/** Returns a text parsed as JSON; undefined if it is not JSON. The parser's message would quote the text. */
export function parsedJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'))
  } catch {
    return undefined
  }
}
