/** Where the --since of `svc listen`, `svc event list` and `svc event resend` begins. */
import { ServiceError } from '../../core/errors.ts'
import { formatInstant, parseDuration } from '../../core/time.ts'

/** A duration counts back from the engine's now; a date or a time goes to the service as it is. Throws what the call throws. */
export async function sinceTime(given: string, clock: () => Promise<{ readonly now: string }>): Promise<string> {
  const ms = parseDuration(given)
  if (ms === undefined) return given
  if (ms <= 0) throw new ServiceError('usage', '--since is a time, or a duration before now such as 10m, 2h or 7d.')
  const { now } = await clock()
  return formatInstant(Date.parse(now) - ms)
}
