/** WHOOP's calls for data. */

import { asObject, type JsonObject, member, objectsIn } from '../../files/json/fields.ts'
import { type GrantSession, ProviderError } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { ahead, Cursor } from '../ahead.ts'

/** The most that WHOOP returns at once. */
const PAGE = 25

/** Yields the records of a collection in a window, newest first, a page at a time. Throws ProviderError. */
export function pages(session: GrantSession, path: string, window: PullWindow): AsyncGenerator<readonly JsonObject[]> {
  return ahead(pagesOf(session, path, window), records => records.length)
}

async function* pagesOf(
  session: GrantSession,
  path: string,
  { from, to }: PullWindow,
): AsyncGenerator<readonly JsonObject[]> {
  const url = address(session, path)
  url.searchParams.set('start', new Date(from).toISOString())
  url.searchParams.set('end', new Date(to).toISOString())
  url.searchParams.set('limit', String(PAGE))
  const cursor = new Cursor()
  let next: string | null
  do {
    const body = (await session.send({ method: 'GET', url })).json()
    if (!Array.isArray(member(body, 'records'))) {
      throw new ProviderError('bad_answer', `WHOOP answered ${path} without a list of records.`)
    }
    yield objectsIn(member(body, 'records'))
    next = cursor.next(member(body, 'next_token'))
    if (next !== null) url.searchParams.set('nextToken', next)
  } while (next !== null)
}

/** Returns all records of a collection in a window. Throws ProviderError. */
export async function all(session: GrantSession, path: string, window: PullWindow): Promise<readonly JsonObject[]> {
  const records: JsonObject[] = []
  for await (const page of pages(session, path, window)) records.push(...page)
  return records
}

/** Returns one record, or null if WHOOP does not have it. Throws ProviderError. */
export async function one(session: GrantSession, path: string): Promise<JsonObject | null> {
  const answer = await session.send({ method: 'GET', url: address(session, path), accepted: [404] })
  if (answer.status === 404) return null
  const record = asObject(answer.json())
  if (record === undefined) throw new ProviderError('bad_answer', 'WHOOP answered with something else than a record.')
  return record
}

export function address({ app }: Pick<GrantSession, 'app'>, path: string): URL {
  return new URL(`${app.apiUrl.replace(/\/+$/, '')}${path}`)
}

/** Returns whether the person granted a scope. */
export function isGranted({ app, grant }: GrantSession, scope: string): boolean {
  return (grant.scopes ?? app.scopes).includes(scope)
}
