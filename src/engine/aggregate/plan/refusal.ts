/** The 422s of an aggregate query: each points at the part of the request body that it is about. */
import type { ErrorCode } from '../../../core/errors.ts'
import { didYouMean, invalid, type ServiceError } from '../../../core/errors.ts'

/** A path into the request body, beginning with `body`. */
export type Loc = readonly (string | number)[]

/** A refusal of one part of the request. */
export function refuse(loc: Loc, msg: string, code: ErrorCode = 'invalid_request'): ServiceError {
  return invalid([{ loc, msg, type: 'value_error' }], code)
}

/** A refusal of a name nobody knows: says the nearest ones, or all of them where there are few. */
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
