/** Builds an aggregate query's 422 errors. Each one names the invalid part of the request body. */
import type { ErrorCode } from '../../../core/error-catalogue.ts'
import { allowedNames, didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'

/** A path into the request body, starting with `body`. */
export type Loc = readonly (string | number)[]

/** Returns the 422 error for one part of the request. */
export function refuse(loc: Loc, msg: string, code: ErrorCode = 'invalid_request'): ServiceError {
  return invalid([{ loc, msg, type: 'value_error' }], code)
}

/** Returns the 422 error for an unknown name. It lists the most similar known names, or all of them if there are few. */
export function refuseName(
  loc: Loc,
  what: string,
  name: string,
  known: readonly string[],
  code: ErrorCode,
): ServiceError {
  const all =
    known.length <= 12
      ? `${didYouMean(name, known)} Available: ${known.join(', ')}`
      : allowedNames(name, known, '`svc aggregate columns` lists all')
  return refuse(loc, `unknown ${what} "${name.slice(0, 80)}".${all}.`, code)
}
