/** Errors of two kinds: a `ServiceError` is an error that the user can act on; anything else that is thrown is a bug in svc. */
import { categoryOfStatus, ERROR_CATALOGUE, type ErrorCategory, type ErrorCode, EXIT_CODES } from './error-catalogue.ts'

/** An entry of `detail` in a 422 body. It never contains the value that was sent. See docs/interface/errors.md#errors-2. */
export interface ValidationIssue {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
  /** The values that the caller can choose from, such as a table's columns. */
  readonly ctx?: { readonly columns: readonly string[] }
}

export interface ServiceErrorOptions {
  /** The allowed values or the next step; printed below the message. */
  readonly suggestions?: readonly string[]
  /** The response body, if it has more than `{detail: message}`. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Overrides the status from the catalogue, for a remote server's response. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error that the user can act on: its message names the problem and the allowed values, and never contains a sensitive value. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly category: ErrorCategory
  /** HTTP status; null if the error is not an HTTP response. */
  readonly status: number | null
  /** The service's response body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly suggestions: readonly string[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    const known = ERROR_CATALOGUE[code]
    // if the status matches the catalogue, the code determines the category; otherwise the status does
    const isKnown = options.status === undefined || options.status === known.status
    this.category = isKnown ? known.category : categoryOfStatus(options.status)
    this.status = options.status ?? known.status
    this.body = options.body ?? { detail: message }
    this.suggestions = options.suggestions ?? []
    this.headers = options.headers ?? {}
  }

  get exitCode(): number {
    return EXIT_CODES[this.category]
  }
}

/** Returns a 422 error that points to the request's invalid parts. */
export function invalid(
  issues: readonly ValidationIssue[],
  code: ErrorCode = 'invalid_request',
  suggestions?: readonly string[],
): ServiceError {
  const message = issues.map(issue => `${describeLoc(issue.loc)}: ${issue.msg}`).join('; ')
  return new ServiceError(code, message, { body: { detail: issues }, suggestions })
}

/** Returns a validation issue's position, such as `queries.0.where`, without the first part (`body`, `query` …), which users do not see. */
export function describeLoc(loc: ValidationIssue['loc']): string {
  return (loc.length > 1 ? loc.slice(1) : loc).join('.')
}

/**
 * Returns up to `most` known words that are similar to a mistyped one: within an edit distance of a third of its length (at least 2), or
 * where one word begins with the other. Case, `_`, `-` and spaces are ignored, because people remember the words in a name but not how they
 * are joined.
 */
export function nearest(word: string, known: Iterable<string>, most = 3): string[] {
  const limit = Math.max(2, Math.ceil(joined(word).length / 3))
  return scored(word, known)
    .filter(({ score }) => score <= limit)
    .slice(0, most)
    .map(({ name }) => name)
}

/** Returns the known words with their distances from a mistyped one, nearest first. */
function scored(word: string, known: Iterable<string>): { readonly name: string; readonly score: number }[] {
  const wanted = joined(word)
  const found = [...known].map(name => ({ name, score: similarity(wanted, joined(name)) }))
  return found.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
}

/** Maximum number of names in a complete list in a message. */
const MOST_LISTED_NAMES = 12
/** Number of names to show from a longer list. */
const NEAREST_NAMES = 5

/**
 * Returns the last part of a message about an unknown name: ` Did you mean "oura"? Allowed: …`, or for a long list, the five nearest names
 * and `how`, which explains how to list all names.
 */
export function allowedNames(word: string, known: readonly string[], how: string): string {
  const hint = didYouMean(word, known)
  if (known.length <= MOST_LISTED_NAMES) return `${hint} Allowed: ${known.join(', ')}`
  const near = scored(word, known).slice(0, NEAREST_NAMES)
  return `${hint} Nearest of ${known.length}: ${near.map(({ name }) => name).join(', ')}. ${how}`
}

/** Returns a name in lower case, without the separators between its words. */
function joined(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, '')
}

/** Returns 0 for equal names, 1 if one name begins with the other, and otherwise their edit distance. */
function similarity(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0
  return candidate.startsWith(wanted) || wanted.startsWith(candidate) ? 1 : distance(wanted, candidate)
}

/** Returns ` Did you mean "steps"?` or an empty string, to append to a message about an unknown name. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const names = nearest(word, known).map(name => `"${name}"`)
  if (names.length === 0) return ''
  return ` Did you mean ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)}?`
}

function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 12) return 99
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    let left = i
    let corner = i - 1
    const row = [left]
    for (const [j, up] of above.slice(1).entries()) {
      left = Math.min(left + 1, up + 1, corner + (a[i - 1] === b[j] ? 0 : 1))
      corner = up
      row.push(left)
    }
    above = row
  }
  return above.at(-1) ?? 0
}
