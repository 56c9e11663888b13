/** How a failure is said: one message on stderr, as text or as a JSON document, and the exit code (design 7). */
import { ERROR_CATALOGUE, EXIT_CODES, ServiceError, type ValidationIssue } from '../../core/errors.ts'
import { type CommandWords, fieldName, withFieldName } from '../arguments/field-names.ts'

/** The document that --json prints on stderr in place of the message. */
interface FailureDocument {
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

interface Failure {
  readonly exitCode: number
  /** What stderr gets, its last line ended. */
  readonly text: string
}

/** The flags and arguments of the command: a message for people names them in place of the fields they fill. */
interface FailureOptions extends CommandWords {
  readonly json: boolean
  /** Only with it is there a stack trace. */
  readonly debug: boolean
}

/** Renders whatever was thrown. */
export function describeFailure(thrown: unknown, options: FailureOptions): Failure {
  const document = failureDocument(thrown)
  const { error } = document
  const trace = options.debug ? traceOf(thrown) : ''
  const exitCode = EXIT_CODES[error.category as keyof typeof EXIT_CODES]
  if (options.json) return { exitCode, text: `${JSON.stringify(document)}\n${trace}` }
  const message = thrown instanceof ServiceError ? plainMessage(thrown, options) : error.message
  const lines = [`Error: ${message}`, ...error.suggestions.map(each => `  ${each}`)]
  return { exitCode, text: `${lines.join('\n')}\n${trace}` }
}

function failureDocument(thrown: unknown): FailureDocument {
  if (thrown instanceof ServiceError) {
    const remedy = remedyOf(thrown)
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

/** What to do by the catalogue; on a command line nobody sees the header that says how long to wait. */
function remedyOf({ code, headers }: ServiceError): string {
  const seconds = Number(headers['retry-after'])
  if (code !== 'rate_limited' || !(seconds > 0)) return ERROR_CATALOGUE[code].remedy
  return `Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`
}

/** The message in the words of the command line: flags in place of fields, and without the prefix of the wire's messages. */
function plainMessage(error: ServiceError, words: CommandWords): string {
  const { detail } = error.body
  if (!Array.isArray(detail) || !detail.every(isIssue)) return withFieldName(error.message, words)
  return detail.map(({ loc, msg }) => `${fieldName(loc, words)}: ${msg.replace(/^Value error, /, '')}`).join('; ')
}

function isIssue(item: unknown): item is ValidationIssue {
  if (typeof item !== 'object' || item === null) return false
  return 'loc' in item && Array.isArray(item.loc) && 'msg' in item && typeof item.msg === 'string'
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
