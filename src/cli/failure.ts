/** How a failure is said: one message on stderr, as text or as a JSON document, and the exit code (design 7). */
import { ERROR_CATALOGUE, EXIT_CODES, ServiceError } from '../core/errors.ts'

/** The document that --json prints on stderr in place of the message. */
export interface FailureDocument {
  readonly error: {
    readonly code: string
    readonly category: string
    readonly message: string
    /** The `detail` of the service's answer; null when it says no more than the message. */
    readonly detail: unknown
    readonly suggestions: readonly string[]
    readonly status: number | null
  }
}

export interface Failure {
  readonly exitCode: number
  /** What stderr gets, its last line ended. */
  readonly text: string
}

/** Renders whatever was thrown. Only with `debug` is there a stack trace. */
export function describeFailure(
  thrown: unknown,
  options: { readonly json: boolean; readonly debug: boolean },
): Failure {
  const document = failureDocument(thrown)
  const { error } = document
  const trace = options.debug ? traceOf(thrown) : ''
  const exitCode = EXIT_CODES[error.category as keyof typeof EXIT_CODES]
  if (options.json) return { exitCode, text: `${JSON.stringify(document)}\n${trace}` }
  const lines = [`Error: ${error.message}`, ...error.suggestions.map(each => `  ${each}`)]
  return { exitCode, text: `${lines.join('\n')}\n${trace}` }
}

export function failureDocument(thrown: unknown): FailureDocument {
  if (thrown instanceof ServiceError) {
    const remedy = ERROR_CATALOGUE[thrown.code].remedy
    return {
      error: {
        code: thrown.code,
        category: thrown.category,
        message: thrown.message,
        detail: detailOf(thrown),
        suggestions: thrown.suggestions.length > 0 || remedy.startsWith('The message') ? thrown.suggestions : [remedy],
        status: thrown.status,
      },
    }
  }
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  const message = thrown instanceof Error ? thrown.message : 'something that is not an error was thrown'
  return {
    error: {
      code: 'bug',
      category: 'bug',
      message: `svc has a bug: ${name}: ${message}`,
      detail: null,
      suggestions: [ERROR_CATALOGUE.bug.remedy],
      status: null,
    },
  }
}

function detailOf(error: ServiceError): unknown {
  const { detail } = error.body
  return detail === undefined || detail === error.message ? null : detail
}

function traceOf(thrown: unknown): string {
  const lines: string[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) lines.push(error.stack ?? String(error))
  return lines.length === 0 ? '' : `${lines.join('\ncaused by ')}\n`
}
