/** Sends requests to Withings. All requests are POSTs with a form, and responses have an envelope. */
import { DAY_MS, SECOND_MS } from '../../../core/time.ts'
import { isTimeZone, zoneOffset } from '../../../core/zones.ts'
import type { PullRequest } from '../../connector.ts'
import { type AppSession, ProviderError } from '../../provider-session.ts'
import type { PullWindow } from '../../pull-window.ts'
import { asList, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { ahead, Cursor } from '../ahead.ts'
import type { RecordForm } from '../record-view.ts'
import { apiUrl, type QueryParameters } from '../requests.ts'
import { dateAround } from '../windows.ts'
import { readResponse, statusFailure } from './status.ts'

export const WITHINGS: RecordForm = {
  provider: 'withings',
  ignored: new Set([
    ...['date', 'startdate', 'enddate', 'timezone', 'modified', 'state'],
    ...['brand', 'is_tracker', 'deviceid', 'hash_deviceid', 'model', 'modelid', 'model_id'],
    // the sum of other fields
    'active',
  ]),
  countsNested: false,
}

/** Returns a response's body. Throws ProviderError. */
export async function callApi(session: AppSession, path: string, form: QueryParameters): Promise<unknown> {
  const url = apiUrl(session, path)
  const { status, body } = readResponse(await session.send({ method: 'POST', url, form, isRepeatable: true }))
  const failure = statusFailure(status)
  if (failure) throw failure
  return body
}

/** A Withings list: its path in a response, and the form that requests a window. */
export interface WithingsList {
  readonly path: string
  readonly list: string
  readonly form: (asked: Pick<PullRequest, 'window' | 'now'>) => QueryParameters
}

/** A list's row, with its response. */
export interface WithingsRow {
  /** The row; undefined if it is not an object. */
  readonly row: JsonObject | undefined
  readonly body: unknown
}

/** Returns a function that yields a list's rows, a page at a time, and throws ProviderError. */
export function rowPages(list: WithingsList) {
  return (session: AppSession, asked: PullRequest) => ahead(requestPages(session, asked, list), rows => rows.length)
}

async function* requestPages(
  session: AppSession,
  asked: PullRequest,
  { path, list, form }: WithingsList,
): AsyncGenerator<readonly WithingsRow[]> {
  const cursor = new Cursor()
  let offset: string | null = null
  for (;;) {
    const body = await callApi(session, path, offset === null ? form(asked) : { ...form(asked), offset })
    yield asList(member(body, list)).map(each => ({ row: asObject(each), body }))
    const more = member(body, 'more')
    if (more !== true && more !== 1) return
    // the server returns the next position, which is not always the number of rows
    offset = cursor.next(member(body, 'offset'))
    if (offset === null) throw new ProviderError('bad_answer', 'The response says that there is more, but not where.')
  }
}

/** Returns a function that yields all of a list's rows at once, and throws ProviderError. */
export function allRows(list: WithingsList) {
  return async function* (
    session: AppSession,
    asked: PullRequest,
  ): AsyncGenerator<readonly (readonly WithingsRow[])[]> {
    const all: WithingsRow[] = []
    for await (const rows of rowPages(list)(session, asked)) all.push(...rows)
    yield [all]
  }
}

/** Splits a window into days, in whole seconds, because Withings silently truncates a response for more than 24 hours. */
export function splitIntoDays({ from, to }: PullWindow): readonly PullWindow[] {
  const [first, last] = [Math.floor(from / SECOND_MS) * SECOND_MS, Math.ceil(to / SECOND_MS) * SECOND_MS]
  const days = Math.max(1, Math.ceil((last - first) / DAY_MS))
  return Array.from({ length: days }, (_, i) => ({
    from: first + i * DAY_MS,
    to: Math.min(last, first + (i + 1) * DAY_MS),
  }))
}

export function toSecondsRange({ from, to }: PullWindow) {
  return { startdate: seconds(from, 'down'), enddate: seconds(to, 'up') }
}

/** Returns the dates in a window, with an extra day on both sides, because records have local dates. */
export function toDateRange({ from, to }: PullWindow) {
  return { startdateymd: dateAround(from, -1), enddateymd: dateAround(to, 2) }
}

/** Rounds a time to whole seconds: `down` for the beginning of a range, `up` for its end. */
export function seconds(ms: number, direction: 'down' | 'up'): string {
  return String(direction === 'down' ? Math.floor(ms / SECOND_MS) : Math.ceil(ms / SECOND_MS))
}

/** Returns the time zone of a record or else of its response; null if neither has a valid one. */
export function findZone(...holders: readonly unknown[]): string | null {
  for (const holder of holders) {
    const zone = asText(member(holder, 'timezone'))
    if (zone !== undefined && isTimeZone(zone)) return zone
  }
  return null
}

export function offsetAt(zone: string | null, at: number): number | null {
  return zone === null ? null : zoneOffset(zone, at)
}
