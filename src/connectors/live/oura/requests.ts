/** Sends requests for Oura's documents. */
import { formatInstant } from '../../../core/time.ts'
import { asList, asObject, type JsonObject, member } from '../../files/json/fields.ts'
import { type GrantSession, ProviderError } from '../../provider-session.ts'
import { ahead, Cursor } from '../ahead.ts'

/** Yields the documents of a range, page by page; `undefined` stands for one that is no object. Throws ProviderError. */
export function documentPages(
  session: GrantSession,
  path: string,
  range: Readonly<Record<string, string>>,
): AsyncGenerator<readonly (JsonObject | undefined)[]> {
  return ahead(pagesOf(session, path, range), documents => documents.length)
}

async function* pagesOf(
  session: GrantSession,
  path: string,
  range: Readonly<Record<string, string>>,
): AsyncGenerator<readonly (JsonObject | undefined)[]> {
  const cursor = new Cursor()
  let token: string | null = null
  do {
    const url = documentUrl(session, path)
    for (const [name, value] of Object.entries(range)) url.searchParams.set(name, value)
    if (token !== null) url.searchParams.set('next_token', token)
    const answer = (await session.send({ method: 'GET', url })).json()
    const documents = member(answer, 'data')
    if (!Array.isArray(documents)) throw new ProviderError('bad_answer', `The answer for ${path} has no list "data".`)
    yield asList(documents).map(asObject)
    token = cursor.next(member(answer, 'next_token'))
  } while (token !== null)
}

/** Returns one document, or null if Oura no longer has it. Throws ProviderError. */
export async function document(session: GrantSession, path: string, id: string): Promise<JsonObject | null> {
  const url = documentUrl(session, `${path}/${encodeURIComponent(id)}`)
  const answer = await session.send({ method: 'GET', url, accepted: [404] })
  return answer.status === 404 ? null : checkedObject(answer.json(), path)
}

export async function personalInfo(session: GrantSession): Promise<JsonObject> {
  const answer = await session.send({ method: 'GET', url: documentUrl(session, 'personal_info') })
  return checkedObject(answer.json(), 'personal_info')
}

/** Returns the parameters of a range of time. */
export function timesOf(from: number, to: number): Readonly<Record<string, string>> {
  return { start_datetime: formatInstant(from), end_datetime: formatInstant(to) }
}

function checkedObject(value: unknown, path: string): JsonObject {
  const object = asObject(value)
  if (object === undefined) throw new ProviderError('bad_answer', `The answer for ${path} is not an object.`)
  return object
}

function documentUrl({ app }: GrantSession, path: string): URL {
  return new URL(`${app.apiUrl.replace(/\/$/, '')}/v2/usercollection/${path}`)
}
