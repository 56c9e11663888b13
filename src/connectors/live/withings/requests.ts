/** Sends requests to Withings. All of them are POST with a form, and answers have an envelope. */
import { SECOND_MS } from '../../../core/time.ts'
import { isTimeZone, zoneOffset } from '../../../core/zones.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../files/json/fields.ts'
import { type AppSession, ProviderError } from '../../provider-session.ts'
import { ahead, Cursor } from '../ahead.ts'
import { failureOf, readAnswer } from './status.ts'

type Form = Readonly<Record<string, string>>

/** Returns the body of an answer. Throws ProviderError. */
export async function call(session: AppSession, path: string, form: Form, isRepeatable = true): Promise<unknown> {
  const url = apiAddress(session, path)
  const { status, body } = readAnswer(await session.send({ method: 'POST', url, form, isRepeatable }))
  const failure = failureOf(status)
  if (failure) throw failure
  return body
}

function apiAddress({ app }: AppSession, path: string): URL {
  return new URL(`${app.apiUrl.replace(/\/$/, '')}${path}`)
}

export interface WithingsPage {
  /** `undefined` stands for a row that is no object. */
  readonly rows: readonly (JsonObject | undefined)[]
  readonly body: unknown
}

/** Yields the rows of a list, page by page. Throws ProviderError. */
export function pages(session: AppSession, path: string, form: Form, list: string): AsyncGenerator<WithingsPage> {
  return ahead(pagesOf(session, path, form, list), ({ rows }) => rows.length)
}

async function* pagesOf(session: AppSession, path: string, form: Form, list: string): AsyncGenerator<WithingsPage> {
  const cursor = new Cursor()
  let offset: string | null = null
  for (;;) {
    const body = await call(session, path, offset === null ? form : { ...form, offset })
    yield { rows: asList(member(body, list)).map(asObject), body }
    const more = member(body, 'more')
    if (more !== true && more !== 1) return
    // what comes next is said by the server, and is not always a count of rows
    offset = cursor.next(member(body, 'offset'))
    if (offset === null) throw new ProviderError('bad_answer', 'The answer says that there is more, but not where.')
  }
}

/** Returns whole seconds that cover the time: `down` for the beginning of a range, `up` for its end. */
export function seconds(ms: number, direction: 'down' | 'up'): string {
  return String(direction === 'down' ? Math.floor(ms / SECOND_MS) : Math.ceil(ms / SECOND_MS))
}

/** Returns the zone that a record names, or its answer; null if neither names a valid one. */
export function zoneOf(...holders: readonly unknown[]): string | null {
  for (const holder of holders) {
    const zone = asText(member(holder, 'timezone'))
    if (zone !== undefined && isTimeZone(zone)) return zone
  }
  return null
}

export function offsetAt(zone: string | null, at: number): number | null {
  return zone === null ? null : zoneOffset(zone, at)
}
