/** Parses the --since of `svc listen`, `svc event list` and `svc event resend`. */
import { ServiceError } from '../../core/errors.ts'
import { formatInstant, parseDuration } from '../../core/time.ts'

/** Turns a duration into a time before the engine's now; a date or time goes to the service unchanged. Throws what the call throws. */
export async function sinceTime(given: string, clock: () => Promise<{ readonly now: string }>): Promise<string> {
  const ms = parseDuration(given)
  if (ms === undefined) return given
  if (ms <= 0)
    throw new ServiceError('usage', '--since must be a time, or a duration before now such as 10m, 2h or 7d.')
  const { now } = await clock()
  return formatInstant(Date.parse(now) - ms)
}
