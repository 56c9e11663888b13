/** Polar's calls for data. */
import { DAY_MS, formatDate, HOUR_MS, MINUTE_MS, parseDateTime, readInstant } from '../../../core/time.ts'
import type { PullRequest } from '../../connector.ts'
import { asNumber, asObject, type JsonObject, member, objectsIn } from '../../files/json/fields.ts'
import { type AppSession, type GrantSession, type ProviderAnswer, ProviderError } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { type Anchor, LocalTimes } from './times.ts'

export const PROVIDER = 'polar'

/** Nights and exercises are listed for about this long: further back there is no offset to borrow. */
const LISTED_MS = 31 * DAY_MS

export function address(
  { app }: Pick<AppSession, 'app'>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(`${app.apiUrl.replace(/\/+$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

type Query = Readonly<Record<string, string>>

/** Returns an answer, or null if Polar has no data. Throws ProviderError. */
export async function read(session: GrantSession, path: string, query: Query = {}): Promise<unknown> {
  return contentOf(await get(session, path, query, []))
}

/** Returns an answer, or null also if Polar does not know the address: of one record, or of what a device never measured. */
export async function readIfAny(session: GrantSession, path: string, query: Query = {}): Promise<unknown> {
  const answer = await get(session, path, query, [404])
  return answer.status === 404 ? null : contentOf(answer)
}

function get(session: GrantSession, path: string, query: Query, accepted: readonly number[]): Promise<ProviderAnswer> {
  const url = address(session, path, query)
  return session.send({ method: 'GET', url, headers: { accept: 'application/json' }, accepted })
}

function contentOf(answer: ProviderAnswer): unknown {
  return answer.status === 204 || answer.text === '' ? null : answer.json()
}

/** Returns the records of an answer: a bare list, a list under its name, or one record. Throws ProviderError. */
export function recordsIn(answer: unknown, name: string, mark: string): readonly JsonObject[] {
  if (answer === null) return []
  if (Array.isArray(answer)) return objectsIn(answer)
  const list = member(answer, name)
  if (Array.isArray(list)) return objectsIn(list)
  const record = asObject(answer)
  if (record !== undefined && record[mark] !== undefined) return [record]
  if (record !== undefined && Object.keys(record).length === 0) return []
  throw new ProviderError('bad_answer', `Polar answered without a list of ${name}.`)
}

/**
 * Returns the dates of a window, both inclusive, as parameters. A local date begins up to 14 hours before that date in UTC and ends up to
 * 12 hours after it.
 */
export function datesOf({ from, to }: PullWindow): { readonly from: string; readonly to: string } {
  return { from: formatDate(from - 12 * HOUR_MS), to: formatDate(to - 1 + 14 * HOUR_MS) }
}

/** Returns how local times of a window are read. It borrows offsets from nights and exercises. Throws ProviderError. */
export async function localTimes(session: GrantSession, { window, timeZone, now }: PullRequest): Promise<LocalTimes> {
  if (window.to < now - LISTED_MS) return new LocalTimes([], timeZone)
  const nights = recordsIn(await read(session, '/v3/users/sleep'), 'nights', 'date')
  const exercises = recordsIn(await read(session, '/v3/exercises'), 'exercises', 'id')
  const anchors: Anchor[] = []
  for (const text of nights.flatMap(each => [each['sleep_start_time'], each['sleep_end_time']])) {
    const parsed = typeof text === 'string' ? parseDateTime(text) : undefined
    const at = readInstant(text)
    if (parsed && at !== undefined && typeof parsed.offset === 'number') anchors.push({ at, offset: parsed.offset })
  }
  for (const each of exercises) {
    const start = startOf(withUnderscores(each))
    if (start !== undefined) anchors.push(start)
  }
  return new LocalTimes(anchors, timeZone)
}

/** Returns the start of an exercise: its local time minus its offset. */
export function startOf(exercise: JsonObject): Anchor | undefined {
  const parsed = typeof exercise['start_time'] === 'string' ? parseDateTime(exercise['start_time']) : undefined
  const minutes = asNumber(exercise['start_time_utc_offset'])
  if (parsed === undefined || minutes === undefined || !Number.isInteger(minutes)) return undefined
  return { at: parsed.local - minutes * MINUTE_MS, offset: minutes * 60 }
}

/** Returns a copy with underscores in all names: Polar writes some with hyphens, depending on the version of the answer. */
export function withUnderscores(record: JsonObject): JsonObject {
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    const object = asObject(value)
    if (object === undefined) return value
    return Object.fromEntries(Object.entries(object).map(([name, each]) => [name.replaceAll('-', '_'), renamed(each)]))
  }
  // an object stays one
  return renamed(record) as JsonObject
}
