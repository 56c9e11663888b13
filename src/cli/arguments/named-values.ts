/** Parses `--setting NAME=VALUE`, repeated. */
import { ServiceError } from '../../core/errors.ts'

/** Throws ServiceError `usage` for a text without `=` and for a repeated name; the message never contains the value. */
export function namedValues(flag: string, given: readonly string[]): Readonly<Record<string, string>> {
  const values = new Map<string, string>()
  for (const [i, each] of given.entries()) {
    const at = each.indexOf('=')
    if (at < 1) throw new ServiceError('usage', `${flag} number ${i + 1} must be NAME=VALUE.`)
    const name = each.slice(0, at)
    if (values.has(name)) throw new ServiceError('usage', `${flag} number ${i + 1} repeats a name. Set each name once.`)
    values.set(name, each.slice(at + 1))
  }
  return Object.fromEntries(values)
}
