/** Headers as people save them: lines `name: value`, as curl -i and -v print them, or JSON. */
import { ServiceError } from '../../core/errors.ts'

export type HeaderValues = Readonly<Record<string, readonly string[]>>

/** By lower-case name, in the order in which they came. Throws ServiceError `usage`, which repeats nothing of the file. */
export function parseHeaders(text: string): HeaderValues {
  const pairs = /^\s*[{[]/.test(text) ? pairsOfJson(text) : pairsOfLines(text)
  const headers: Record<string, string[]> = Object.create(null)
  for (const [name, value] of pairs) {
    const key = name.toLowerCase()
    headers[key] ??= []
    headers[key].push(value)
  }
  if (Object.keys(headers).length === 0) throw new ServiceError('usage', `The file of headers holds none. ${ALLOWED}`)
  return headers
}

const ALLOWED = 'Allowed are lines of the form "name: value", and JSON: {"name": "value"} or a list of pairs.'
/** What stands before the headers of a message. */
const FIRST_LINE = /^(?:[A-Z]+ \S+ HTTP\/[\d.]+|HTTP\/[\d.]+ \d{3}.*)$/

function* pairsOfLines(text: string): Generator<readonly [string, string]> {
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    // curl -v marks what it sends and what it gets
    const line = raw.replace(/^[<>] ?/, '')
    if (line.trim() === '' || FIRST_LINE.test(line) || raw.startsWith('*')) continue
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined) throw new ServiceError('usage', `Line ${at + 1} of the headers is none. ${ALLOWED}`)
    yield [name, value as string]
  }
}

function* pairsOfJson(text: string): Generator<readonly [string, string]> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ServiceError('usage', `The file of headers begins like JSON and is none. ${ALLOWED}`)
  }
  for (const [name, values] of entriesOf(value)) {
    for (const each of Array.isArray(values) ? values : [values]) {
      if (typeof name !== 'string' || (typeof each !== 'string' && typeof each !== 'number')) {
        throw new ServiceError('usage', `A header in the JSON is no text. ${ALLOWED}`)
      }
      yield [name, String(each)]
    }
  }
}

/** An object, a list of pairs, or names and values in turn, as Node's `rawHeaders` has them. */
function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (!Array.isArray(value)) return Object.entries(value as object)
  if (value.every(each => typeof each === 'string')) {
    return value.flatMap((name, at) => (at % 2 === 0 ? [[name, value[at + 1]] as const] : []))
  }
  return value.map(each => (Array.isArray(each) ? ([each[0], each[1]] as const) : ([undefined, undefined] as const)))
}
