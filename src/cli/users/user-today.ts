/** Finds out which day it is for a user, by the clock of the service. */
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { type EpochMs, formatDate } from '../../core/time.ts'
import { toLocal } from '../../core/zones.ts'
import { withUser } from '../arguments/user-argument.ts'

/** Returns `YYYY-MM-DD` in the user's time zone as the service knows it, or in UTC without a user. Throws what the calls throw. */
export async function userDay(client: ServiceClient, user: string | undefined): Promise<string> {
  const zone = user === undefined ? 'UTC' : await withUser(client, user, user_id => zoneOf(client, user_id))
  return todayOf(zone, async () => {
    const reply = await client.call('clock.get', {})
    if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The answer to clock.get is not JSON.')
    return reply.body
  })
}

async function zoneOf(client: ServiceClient, user_id: string): Promise<string> {
  const reply = await client.call('user.get', { params: { user_id } })
  if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The answer to user.get is not JSON.')
  return reply.body.fallback_time_zone?.id ?? 'UTC'
}

/** Returns `YYYY-MM-DD` in a time zone. Uses real time for a server without a clock operation; otherwise throws what the call throws. */
export async function todayOf(timeZone: string, clock: () => Promise<{ readonly now: string }>): Promise<string> {
  return formatDate(toLocal(timeZone, await nowOf(clock)))
}

async function nowOf(clock: () => Promise<{ readonly now: string }>): Promise<EpochMs> {
  try {
    const { now } = await clock()
    return new Date(now).getTime()
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unsupported_operation' || error.status === 404))
      return Date.now()
    throw error
  }
}
