/** Renders a failure: one message on stderr, as text or as a JSON document, and the exit code. See docs/errors.md. */
import { ERROR_CATALOGUE, EXIT_CODES } from '../../core/error-catalogue.ts'
import { ServiceError, type ValidationIssue } from '../../core/errors.ts'
import { listText } from '../../core/text.ts'
import { type MessageScreen, messageText } from '../../output/screen.ts'
import { type CommandWords, fieldName, malformedId, withFieldName } from '../arguments/field-names.ts'
import { splitMessage } from './remedy.ts'

/** The document that --json prints on stderr instead of the message, and that `svc mcp` returns. */
export interface FailureDocument {
  readonly error: {
    readonly code: string
    readonly category: string
    /** The reason. The advice is in `suggestions`, which is never empty. */
    readonly message: string
    /** The `detail` of the service's response; null if it only repeats the message. */
    readonly detail: unknown
    readonly suggestions: readonly string[]
    readonly status: number | null
  }
}

interface Failure {
  readonly exitCode: number
  /** Text for stderr, with a final line feed. */
  readonly text: string
}

/** The flags and arguments of the command. Messages for people use their names instead of the request fields. */
interface FailureOptions extends CommandWords {
  /** The description of each argument in the command's help. */
  readonly argumentHelp?: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  /** Whether to print a stack trace. */
  readonly debug: boolean
  /** The terminal that shows the message. */
  readonly screen: MessageScreen
}

/** Renders any thrown value. */
export function describeFailure(thrown: unknown, options: FailureOptions): Failure {
  const document = failureDocument(thrown)
  const { error } = document
  const trace = options.debug ? stackTrace(thrown) : ''
  const exitCode = EXIT_CODES[error.category as keyof typeof EXIT_CODES]
  if (options.json) return { exitCode, text: `${JSON.stringify(document)}\n${trace}` }
  const [message, advice] =
    thrown instanceof ServiceError
      ? [plainMessage(thrown, options), adviceFor(thrown, options)]
      : [error.message, error.suggestions]
  const lines = [`Error: ${message}`, ...advice.map(each => `  ${each}`)]
  return { exitCode, text: `${messageText(lines.join('\n'), options.screen)}\n${trace}` }
}

/** Returns the failure document for any thrown value. */
export function failureDocument(thrown: unknown): FailureDocument {
  if (thrown instanceof ServiceError) {
    const { reason, remedies } = splitMessage(thrown)
    const suggestions = [...remedies.filter(each => !repeats(each, thrown.suggestions)), ...thrown.suggestions]
    return {
      error: {
        code: thrown.code,
        category: thrown.category,
        message: reason,
        detail: errorDetail(thrown),
        suggestions: suggestions.length > 0 ? suggestions : [findRemedy(thrown)],
        status: thrown.status,
      },
    }
  }
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  const message = thrown instanceof Error ? thrown.message : 'a value that is not an error was thrown'
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

/** Returns whether a sentence only refers to a command that is also in a suggestion. */
function repeats(remedy: string, suggestions: readonly string[]): boolean {
  const [command] = /^`svc [^`]+`/.exec(remedy) ?? []
  return command !== undefined && suggestions.some(each => each.includes(command))
}

/** Returns the lines below the message, except lines that only refer to the message. */
function adviceFor(error: ServiceError, options: FailureOptions): readonly string[] {
  if (error.suggestions.length > 0) return error.suggestions
  const sources = valueSources(error, options)
  if (sources.length > 0) return sources
  const remedy = findRemedy(error)
  return /\bthe message\b/.test(remedy) ? [] : [remedy]
}

/** Returns the help of each refused argument that says which command lists its values. */
function valueSources(error: ServiceError, options: FailureOptions): readonly string[] {
  const { detail } = error.body
  const id = malformedId(error.message)
  const locations = Array.isArray(detail) ? detail.filter(isIssue).map(({ loc }) => loc) : id ? [id] : []
  const refused = new Set(locations.map(loc => fieldName(loc, options)))
  return Object.entries(options.argumentHelp ?? {}).flatMap(([name, help]) => {
    const shown = name.toUpperCase()
    return refused.has(shown) && help?.includes(' from `svc ') ? [`${shown}: ${help}.`] : []
  })
}

/** Returns the remedy from the catalogue, or the wait time from the Retry-After header, because a command-line user cannot see headers. */
function findRemedy({ code, headers }: ServiceError): string {
  const seconds = Number(headers['retry-after'])
  if (code !== 'rate_limited' || !(seconds > 0)) return ERROR_CATALOGUE[code].remedy
  return `Try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`
}

/** Returns the message in terms of the command line: flags instead of fields, and without the prefix that the service adds. */
function plainMessage(error: ServiceError, words: CommandWords): string {
  const { detail } = error.body
  if (!Array.isArray(detail) || !detail.every(isIssue)) return withFieldName(error.message, words)
  const missing = detail.filter(({ type, msg }) => type === 'missing' && msg === 'Field required')
  // one sentence for all missing fields; a single missing field is reported like any other issue
  const together = missing.length > 1 ? missing : []
  const others = detail.filter(issue => !together.includes(issue))
  const messages = others.map(({ loc, msg }) => {
    const name = fieldName(loc, words)
    const text = msg.replace(/^Value error, /, '')
    return name.startsWith('--') && text.includes(`add ${name} `) ? text : `${name}: ${text}`
  })
  const names = [...new Set(together.map(({ loc }) => fieldName(loc, words)))]
  if (names.length > 0) messages.unshift(`${listText(names)} ${names.length === 1 ? 'is' : 'are'} missing`)
  return messages.join('; ')
}

function isIssue(item: unknown): item is ValidationIssue {
  if (typeof item !== 'object' || item === null) return false
  return 'loc' in item && Array.isArray(item.loc) && 'msg' in item && typeof item.msg === 'string'
}

function errorDetail(error: ServiceError): unknown {
  const { detail } = error.body
  return detail === undefined || detail === error.message ? null : detail
}

function stackTrace(thrown: unknown): string {
  const lines: string[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) lines.push(error.stack ?? String(error))
  return lines.length === 0 ? '' : `${lines.join('\ncaused by ')}\n`
}
