/** Parses saved headers: `name: value` lines, as curl -i and -v print them, or JSON. */
import { ServiceError } from '../../core/errors.ts'
import { tryParseJson } from '../runtime/json-text.ts'

export type HeaderValues = Readonly<Record<string, readonly string[]>>

/** Returns the headers by lower-case name, in their original order. Throws a ServiceError `usage` that contains nothing from the file. */
export function parseHeaders(text: string): HeaderValues {
  const pairs = /^\s*[{[]/.test(text) ? jsonPairs(text) : linePairs(text)
  const headers: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    headers[key] ??= []
    headers[key].push(value)
  }
  if (Object.keys(headers).length === 0)
    throw new ServiceError('usage', `The headers file contains no headers. ${ALLOWED}`)
  return headers
}

const ALLOWED = 'It must contain lines of the form "name: value", or JSON: {"name": "value"} or a list of pairs.'
/** Matches the first line of an HTTP message, before its headers. */
const FIRST_LINE = /^(?:[A-Z]+ \S+ HTTP\/[\d.]+|HTTP\/[\d.]+ \d{3}.*)$/

function* linePairs(text: string): Generator<readonly [string, string]> {
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    // Remove the marks that curl -v puts before sent and received lines.
    const line = raw.replace(/^[<>] ?/, '')
    if (line.trim() === '' || FIRST_LINE.test(line) || raw.startsWith('*')) continue
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined)
      throw new ServiceError('usage', `Line ${at + 1} of the headers file is not a header. ${ALLOWED}`)
    yield [name, value as string]
  }
}

function* jsonPairs(text: string): Generator<readonly [string, string]> {
  const value = tryParseJson(text)
  if (value === undefined)
    throw new ServiceError('usage', `The headers file looks like JSON but is not valid JSON. ${ALLOWED}`)
  for (const [name, values] of listEntries(value)) {
    for (const each of Array.isArray(values) ? values : [values]) {
      if (typeof name !== 'string' || (typeof each !== 'string' && typeof each !== 'number')) {
        throw new ServiceError(
          'usage',
          `The headers file contains a header whose name or value is not text. ${ALLOWED}`,
        )
      }
      yield [name, String(each)]
    }
  }
}

/** Accepts an object, a list of pairs, or alternating names and values like Node's `rawHeaders`. */
function listEntries(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(value as object)
  if (value.every(each => typeof each === 'string')) {
    return value.flatMap((name, at) => (at % 2 === 0 ? [[name, value[at + 1]] as const] : []))
  }
  return value.map(each => (Array.isArray(each) ? ([each[0], each[1]] as const) : ([undefined, undefined] as const)))
}
