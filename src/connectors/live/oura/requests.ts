/** Sends requests for Oura's documents. */
import { formatInstant } from '../../../core/time.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../files/json/fields.ts'
import { type GrantSession, ProviderError } from '../../provider-session.ts'
import { ahead } from '../ahead.ts'

/** Yields the documents of a range, page by page; `undefined` stands for one that is no object. Throws ProviderError. */
export function documentPages(
  session: GrantSession,
  path: string,
  range: Readonly<Record<string, string>>,
): AsyncGenerator<readonly (JsonObject | undefined)[]> {
  return ahead(pagesOf(session, path, range))
}

async function* pagesOf(
  session: GrantSession,
  path: string,
  range: Readonly<Record<string, string>>,
): AsyncGenerator<readonly (JsonObject | undefined)[]> {
  const seen = new Set<string>()
  for (;;) {
    const token = [...seen].at(-1)
    const url = documentUrl(session, path)
    for (const [name, value] of Object.entries(range)) url.searchParams.set(name, value)
    if (token !== undefined) url.searchParams.set('next_token', token)
    const answer = (await session.send({ method: 'GET', url })).json()
    const documents = member(answer, 'data')
    if (!Array.isArray(documents)) throw new ProviderError('bad_answer', `The answer for ${path} has no list "data".`)
    yield asList(documents).map(asObject)
    const next = asText(member(answer, 'next_token')) ?? ''
    if (next === '') return
    if (seen.has(next)) throw new ProviderError('bad_answer', `The pages of ${path} do not end.`)
    seen.add(next)
  }
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
