/** `--set path=value`, repeated: values by their paths, read as JSON where they are JSON and as text otherwise. */
import { ServiceError } from '../../core/errors.ts'

/** Throws ServiceError `usage` for what has no `=`, and for a path that stands there twice; never says a value back. */
export function setValues(given: readonly string[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>()
  for (const [i, each] of given.entries()) {
    const at = each.indexOf('=')
    const path = each.slice(0, at).trim()
    if (at < 1 || path === '') {
      throw new ServiceError('usage', `--set number ${i + 1} must be PATH=VALUE, such as --set data.value=72.`)
    }
    if (values.has(path)) throw new ServiceError('usage', `--set number ${i + 1} names a path a second time.`)
    values.set(path, read(each.slice(at + 1)))
  }
  return Object.fromEntries(values)
}

function read(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
