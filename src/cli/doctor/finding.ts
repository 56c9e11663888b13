/** One line of the `svc doctor` report. */
import { ERROR_CATALOGUE } from '../../core/error-catalogue.ts'
import { ServiceError } from '../../core/errors.ts'

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** Advice; null if there is nothing to do. */
  readonly remedy: string | null
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, remedy: null }
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: 'warning', message, remedy }
}

export function problem(check: string, message: string, remedy: string): Finding {
  return { check, status: 'problem', message, remedy }
}

/**
 * Converts an error to a problem. Messages of errors that the user can act on contain no secrets. Other errors are bugs and are rethrown.
 */
export function toProblem(check: string, error: unknown): Finding {
  if (!(error instanceof ServiceError)) throw error
  const remedy = error.suggestions.length > 0 ? error.suggestions.join(' ') : ERROR_CATALOGUE[error.code].remedy
  return problem(check, error.message, remedy)
}
