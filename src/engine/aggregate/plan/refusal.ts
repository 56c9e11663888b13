/** Builds the 422s of an aggregate query. Each points at the part of the request body that it is about. */
import type { ErrorCode } from '../../../core/error-catalogue.ts'
import { didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'

/** A path into the request body, starting with `body`. */
export type Loc = readonly (string | number)[]

/** Returns the 422 for one part of the request. */
export function refuse(loc: Loc, msg: string, code: ErrorCode = 'invalid_request'): ServiceError {
  return invalid([{ loc, msg, type: 'value_error' }], code)
}

/** Returns the 422 for an unknown name. It lists the nearest known names, or all of them if there are few. */
export function refuseName(
  loc: Loc,
  what: string,
  name: string,
  known: readonly string[],
  code: ErrorCode,
): ServiceError {
  const hint = didYouMean(name, known)
  const all = hint === '' || known.length <= 12 ? ` Available: ${known.join(', ')}.` : ''
  return refuse(loc, `unknown ${what} "${name.slice(0, 80)}".${hint}${all}`, code)
}
