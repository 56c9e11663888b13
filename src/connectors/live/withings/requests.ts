/** Sends requests to Withings. All of them are POST with a form, and answers have an envelope. */
import { SECOND_MS } from '../../../core/time.ts'
import { isTimeZone, zoneOffset } from '../../../core/zones.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../files/json/fields.ts'
import { type AppSession, ProviderError } from '../../provider-session.ts'
import { ahead } from '../ahead.ts'
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
  return ahead(pagesOf(session, path, form, list))
}

async function* pagesOf(session: AppSession, path: string, form: Form, list: string): AsyncGenerator<WithingsPage> {
  const seen = new Set<string>()
  let offset: string | undefined
  for (;;) {
    const body = await call(session, path, offset === undefined ? form : { ...form, offset })
    yield { rows: asList(member(body, list)).map(asObject), body }
    const more = member(body, 'more')
    if (more !== true && more !== 1) return
    // what comes next is said by the server, and is not always a count of rows
    offset = String(member(body, 'offset'))
    if (seen.has(offset)) throw new ProviderError('bad_answer', `The pages of ${form['action']} do not end.`)
    seen.add(offset)
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
