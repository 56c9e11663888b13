/** How a failure is said: one message on stderr, as text or as a JSON document, and the exit code (design 7). */
import { describeLoc, ERROR_CATALOGUE, EXIT_CODES, ServiceError, type ValidationIssue } from '../core/errors.ts'
import { isGiven } from './command-line.ts'

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

interface FailureOptions {
  readonly json: boolean
  /** Only with it is there a stack trace. */
  readonly debug: boolean
  /** The flags that the command has of its own: a message for people names them in place of the field they fill. */
  readonly flags?: readonly string[]
  readonly argv?: readonly string[]
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

/** The message in the words of the command line: flags in place of fields, and without the prefix of the wire's messages. */
function plainMessage(error: ServiceError, { flags = [], argv = [] }: FailureOptions): string {
  const { detail } = error.body
  if (!Array.isArray(detail) || !detail.every(isIssue)) return error.message
  const nameOf = (loc: ValidationIssue['loc']) => {
    const flag = String(loc.at(-1)).replaceAll('_', '-')
    // deep inside a document it is the flag only where the document was made of flags
    return flags.includes(flag) && (loc.length <= 2 || isGiven(argv, flag)) ? `--${flag}` : describeLoc(loc)
  }
  return detail.map(({ loc, msg }) => `${nameOf(loc)}: ${msg.replace(/^Value error, /, '')}`).join('; ')
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
