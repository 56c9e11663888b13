/** Combines `--map`, `--where`, `--resource`, `--unit` and `--time-zone` into the single document that the service accepts. */
import { ServiceError } from '../../core/errors.ts'

export interface MappingFlags {
  readonly map?: readonly string[] | undefined
  readonly where?: readonly string[] | undefined
  readonly resource?: string | undefined
  readonly unit?: string | undefined
  readonly 'time-zone'?: string | undefined
}

/** Returns undefined if no flag was given. Throws ServiceError `usage` for a malformed pair or a repeated target. */
export function mappingText(flags: MappingFlags): string | undefined {
  const { map = [], where = [], resource, unit, 'time-zone': timeZone } = flags
  if ([resource, unit, timeZone].every(each => each === undefined) && map.length + where.length === 0) return undefined
  const columns = parsePairs(map, '--map', 'TARGET=COLUMN, such as start=Time or value=Value')
  const conditions = where.length === 0 ? undefined : parsePairs(where, '--where', 'COLUMN=VALUE, such as Id=123')
  return JSON.stringify({ columns, resource, unit, time_zone: timeZone, where: conditions })
}

function parsePairs(pairs: readonly string[], flag: string, form: string): Readonly<Record<string, string>> {
  const known = new Map<string, string>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    if (at < 1 || at === pair.length - 1) throw new ServiceError('usage', `${flag} must be ${form}.`)
    if (known.has(name)) throw new ServiceError('usage', `${flag} contains ${name} twice.`)
    known.set(name, pair.slice(at + 1))
  }
  return Object.fromEntries(known)
}
