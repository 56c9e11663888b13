/** Parses `--set path=value`, repeated. A value is read as JSON if it is valid JSON, otherwise as text. */
import { ServiceError } from '../../core/errors.ts'
import { tryParseJson } from '../runtime/json-text.ts'

/** Throws ServiceError `usage` for a text without `=` and for a repeated path; the message never contains the value. */
export function setValues(given: readonly string[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const [i, each] of given.entries()) {
    const at = each.indexOf('=')
    const path = each.slice(0, at).trim()
    if (at < 1 || path === '') {
      throw new ServiceError('usage', `--set number ${i + 1} must be PATH=VALUE, such as --set data.value=72.`)
    }
    if (values.has(path))
      throw new ServiceError('usage', `--set number ${i + 1} repeats a path. Set each path only once.`)
    const text = each.slice(at + 1)
    const value = tryParseJson(text)
    values.set(path, value === undefined ? text : value)
  }
  return Object.fromEntries(values)
}
