/** What day it is for a user, by the clock of the service. */
import { ServiceError } from '../core/errors.ts'
import { type EpochMs, formatDate } from '../core/time.ts'
import { toLocal } from '../core/zones.ts'

/**
 * `YYYY-MM-DD` in a time zone. A server without a clock operation goes by real time. Throws what the call throws otherwise.
 */
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
