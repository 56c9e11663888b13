/** Converts dates on the command line to dates for the service, using the service's clock and the user's time zone. */
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { type EpochMs, formatDate, formatInstant, parseDate, parseDuration } from '../../core/time.ts'
import { isTimeZone, toLocal } from '../../core/zones.ts'
import { isExact, isZoneless, parsePeriod, WHEN_FORM } from './when.ts'

/**
 * The first or last moment of a period, or its first or last calendar date for fields that accept only dates. `moment` is the first moment,
 * for fields that accept only date-times.
 */
export type DateRole = 'start' | 'end' | 'moment' | 'first day' | 'last day'

/**
 * Returns the service's date or date-time for the value of `flag`. Throws ServiceError `invalid_request` or `usage`, and any error of the
 * calls.
 */
export interface DateReader {
  (edge: DateRole, flag: string, text: string): Promise<string>
  (edge: DateRole, flag: string, text: string | undefined): Promise<string | undefined>
}

/**
 * Returns a reader for a user or a time zone, or for UTC if neither is given. It requests the clock and the zone only when a text depends
 * on them, and passes on texts that the service interprets in the same way: calendar dates where dates are expected, times with an offset,
 * and everything in UTC.
 */
export function dateReader(client: ServiceClient, user?: string | { readonly zone: string | undefined }): DateReader {
  let [zone, now]: [Promise<string> | undefined, Promise<EpochMs> | undefined] = [undefined, undefined]
  const zoneOfUser = () => {
    // the service refuses an unknown zone itself
    const given = typeof user === 'object' && user.zone !== undefined && isTimeZone(user.zone) ? user.zone : 'UTC'
    zone ??= typeof user === 'string' ? userZone(client, user) : Promise.resolve(given)
    return zone
  }
  const clock = () => {
    now ??= serviceNow(client)
    return now
  }
  async function read(edge: DateRole, flag: string, text: string | undefined) {
    // the service treats an empty end as absent
    if (text === undefined || text === '') return text
    const isDay = edge === 'first day' || edge === 'last day'
    const isUnderstood = isExact(text) && (edge !== 'moment' || parseDate(text) === undefined)
    if (isUnderstood && (isDay || isZoneless(text) || (await zoneOfUser()) === 'UTC')) return text
    const at = isZoneless(text) && !isDay ? 'UTC' : await zoneOfUser()
    const period = parsePeriod(text, isExact(text) ? 0 : await clock(), at)
    if (!period) throw refused(flag, text)
    const moment = edge === 'end' || edge === 'last day' ? period.last : period.first
    return isDay ? formatDate(toLocal(at, moment)) : formatInstant(moment)
  }
  // the overloads only say that a string returns a string
  return read as DateReader
}

function refused(flag: string, text: string): ServiceError {
  if (parseDuration(text) !== undefined)
    return new ServiceError('usage', `${flag}: a duration before now must be greater than zero, such as 10m, 2h or 7d.`)
  return new ServiceError('invalid_request', `${flag} must be ${WHEN_FORM}.`)
}

async function userZone(client: ServiceClient, user_id: string): Promise<string> {
  const reply = await client.call('user.get', { params: { user_id } })
  if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to user.get is not JSON.')
  return reply.body.fallback_time_zone?.id ?? 'UTC'
}

/** Returns the service's time, or real time for a server without a clock operation. Throws any error of the call. */
export async function serviceNow(client: ServiceClient): Promise<EpochMs> {
  try {
    const reply = await client.call('clock.get', {})
    if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to clock.get is not JSON.')
    return Date.parse(reply.body.now)
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unsupported_operation' || error.status === 404))
      return Date.now()
    throw error
  }
}

/**
 * Returns the date flags to repeat with a cursor: relative dates as the dates that they stood for, because they would mean a different time
 * later.
 */
export function repeatableFlags(
  flags: Readonly<Record<string, readonly [given: string | undefined, read: string | undefined]>>,
) {
  return Object.entries(flags)
    .filter(([, [given, read]]) => given !== read && given !== undefined && !isExact(given))
    .map(([flag, [, read]]) => `${flag} ${read} `)
    .join('')
}
