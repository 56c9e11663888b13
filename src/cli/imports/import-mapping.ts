/** Combines `--map`, `--resource`, `--unit` and `--time-zone` into the one document that the service takes. */
import { ServiceError } from '../../core/errors.ts'

export interface MappingFlags {
  readonly map?: readonly string[] | undefined
  readonly resource?: string | undefined
  readonly unit?: string | undefined
  readonly 'time-zone'?: string | undefined
}

/** Returns undefined when no flag was given. Throws ServiceError `usage` for a malformed pair, or a target named twice. */
export function mappingText({ map = [], resource, unit, 'time-zone': timeZone }: MappingFlags): string | undefined {
  if (map.length === 0 && resource === undefined && unit === undefined && timeZone === undefined) return undefined
  const columns: Record<string, string> = {}
  for (const pair of map) {
    const at = pair.indexOf('=')
    const target = pair.slice(0, at)
    if (at < 1 || at === pair.length - 1) {
      throw new ServiceError('usage', '--map must be TARGET=COLUMN, such as start=Time or value=Value.')
    }
    if (Object.hasOwn(columns, target)) throw new ServiceError('usage', `--map names ${target} twice.`)
    columns[target] = pair.slice(at + 1)
  }
  return JSON.stringify({ columns, resource, unit, time_zone: timeZone })
}
