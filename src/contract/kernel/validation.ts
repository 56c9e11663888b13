/** Parses what a caller sent against an operation, and turns what is wrong into a 422 body (interface-gaps 7). */
import type { z } from 'zod'
import { didYouMean, type ErrorCode, invalid, ServiceError, type ValidationIssue } from '../../core/errors.ts'
import { HALF_PAIR_TYPE, halfPairIn } from '../../core/whole-text.ts'
import type { ByteSource, HandlerInput, Lazy, Operation } from './operation.ts'

/** A request before it is parsed: text in params and query, anything in the body. */
export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined
}

/** A body of 1 MiB may be wrong in half a million places; a program that reads them needs no more than these. */
const MOST_ISSUES = 100
/** Names that are not taken, of one object. */
const MOST_STRANGE_NAMES = 20

/** Names that appear in paths and may be said back: no value in them is sensitive. */
const PUBLIC_NAMES: Readonly<Record<string, ErrorCode>> = { resource: 'unknown_resource', provider: 'unknown_provider' }

/** Fields of bodies that hold slugs of providers; only what looks like one is repeated. */
const SLUG_FIELDS: ReadonlySet<string> = new Set(['provider', 'filter_on_providers'])
const SLUG = /^[a-z0-9_]{1,63}$/

/** Throws ServiceError (422) naming every field that is wrong; values are never repeated, except public names. */
export function parseInput<O extends Operation>(operation: O, raw: RawInput): HandlerInput<O> {
  const issues: ValidationIssue[] = []
  const params = parsePart(built(operation.params), raw.params, 'path', issues)
  const query = operation.bodyFromQuery ? {} : parsePart(queryOf(operation, raw.params), raw.query, 'query', issues)
  const headers = operation.headers
    ? parsePart(built(operation.headers), raw.headers ?? {}, 'header', issues)
    : undefined
  let body: unknown
  if (operation.body && operation.bodyIsBytes) body = raw.body as ByteSource
  else if (operation.body) {
    const sent = operation.bodyIsOptional ? (raw.body ?? {}) : raw.body
    const given = operation.bodyFromQuery && isEmpty(raw.body) ? raw.query : sent
    if (given === undefined || given === null) issues.push({ loc: ['body'], msg: 'Field required', type: 'missing' })
    else body = parsePart(built(operation.body) as z.ZodType, given, 'body', issues)
  }
  if (issues.length > 0) throw refusal(issues)
  return { params, query, body, headers } as HandlerInput<O>
}

/** The query of the path that is called, where each value of a parameter has its own. */
function queryOf({ expand, query }: Operation, params: RawInput['params']): z.ZodObject {
  const value = expand && params[expand.param]
  return expand?.query && typeof value === 'string' && expand.values.includes(value)
    ? expand.query(value)
    : built(query)
}

const schemas = new WeakMap<Lazy<unknown>, unknown>()

/** Building and compiling a schema takes longer than a page of samples: each one is kept from its first use on. */
function built<T>(schema: Lazy<T>): T {
  let known = schemas.get(schema) as T | undefined
  if (known === undefined) {
    known = schema()
    schemas.set(schema, known)
  }
  return known
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)
}

function parsePart(schema: z.ZodType, value: unknown, place: string, issues: ValidationIssue[]): unknown {
  // before any schema: a text of no schema (a free-form map) is stored as well
  const half = halfPairIn(value)
  if (half !== null) {
    issues.push({ loc: [place, ...half.path], msg: half.msg, type: HALF_PAIR_TYPE })
    return undefined
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues.slice(0, MOST_ISSUES)) issues.push(describe(issue, value, place))
  return undefined
}

/**
 * The issues of the member of a union that the value was meant for: one that knows all its keys. Empty where no member does
 * (the union's own message then says what there is).
 */
function meantMember(members: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const strange = (issue: z.core.$ZodIssue): boolean => issue.code === 'unrecognized_keys' && issue.path.length === 0
  const knowing = members.filter(issues => !issues.some(strange))
  return knowing.toSorted((a, b) => a.length - b.length)[0] ?? []
}

function describe(issue: z.core.$ZodIssue, value: unknown, place: string): ValidationIssue {
  const loc = [place, ...issue.path.map(part => (typeof part === 'number' ? part : String(part)))]
  const given = valueAt(value, issue.path)
  switch (issue.code) {
    case 'invalid_type': {
      if (given === undefined) return { loc, msg: 'Field required', type: 'missing' }
      return { loc, msg: `must be ${article(issue.expected)}, not ${kindOf(given)}`, type: `${issue.expected}_type` }
    }
    case 'invalid_value': {
      if (given === undefined) return { loc, msg: 'Field required', type: 'missing' }
      return { loc, msg: oneOf(issue.values.map(String), loc, given), type: 'enum' }
    }
    case 'unrecognized_keys':
      return { loc, msg: `does not take ${listed(issue.keys)}`, type: 'extra_forbidden' }
    case 'too_small':
      return {
        loc,
        msg: bound('at least', Number(issue.minimum), issue.origin),
        type: boundType('greater_than_equal', 'short', issue.origin),
      }
    case 'too_big':
      return {
        loc,
        msg: bound('at most', Number(issue.maximum), issue.origin),
        type: boundType('less_than_equal', 'long', issue.origin),
      }
    case 'custom': {
      const type = issue.params?.['type']
      return { loc, msg: issue.message, type: typeof type === 'string' ? type : 'value_error' }
    }
    case 'invalid_union': {
      const inner = meantMember(issue.errors)
      const deepest = inner.toSorted((a, b) => b.path.length - a.path.length)[0]
      if (deepest && deepest.path.length > 0) {
        return describe({ ...deepest, path: [...issue.path, ...deepest.path] } as z.core.$ZodIssue, value, place)
      }
      return {
        loc,
        msg: given === undefined ? 'Field required' : issue.message,
        type: given === undefined ? 'missing' : 'value_error',
      }
    }
    default:
      return { loc, msg: issue.message, type: 'value_error' }
  }
}

function listed(names: readonly string[]): string {
  const some = names.slice(0, MOST_STRANGE_NAMES).join(', ')
  return names.length > MOST_STRANGE_NAMES ? `${some} … (${names.length} in all)` : some
}

function oneOf(values: readonly string[], loc: readonly (string | number)[], given: unknown): string {
  const name = loc.at(-1)
  const isPublic = typeof name === 'string' && name in PUBLIC_NAMES && loc[0] === 'path' && typeof given === 'string'
  const isSlug = loc[0] === 'body' && SLUG_FIELDS.has(String(loc[1])) && typeof given === 'string' && SLUG.test(given)
  const hint = isPublic || isSlug ? didYouMean(given, values) : ''
  const shown = values.length > 60 ? `${values.slice(0, 60).join(', ')} … (${values.length} in all)` : values.join(', ')
  if (isSlug) return `"${given}" is not one of the providers to choose from.${hint} Allowed: ${shown}`
  return `${isPublic ? `"${given}" is not one of the known ${name}s.` : 'must be one of the allowed values.'}${hint} Allowed: ${shown}`
}

function bound(words: string, size: number, origin: string): string {
  if (origin === 'string')
    return words === 'at least' && size === 1 ? 'must not be empty' : `must be ${words} ${size} characters long`
  if (origin === 'array') return `must hold ${words} ${size} item${size === 1 ? '' : 's'}`
  return `must be ${words} ${size}`
}

/** Pydantic's names (interface-gaps 7). */
function boundType(ofNumbers: string, ofLengths: string, origin: string): string {
  if (origin === 'string') return `string_too_${ofLengths}`
  return origin === 'array' ? `too_${ofLengths}` : ofNumbers
}

function refusal(issues: readonly ValidationIssue[]): ServiceError {
  const first = issues[0] as ValidationIssue
  // a malformed uuid in the path is answered with a text (interface-gaps 2.3 and 4.3)
  if (first.loc[0] === 'path' && first.type === 'uuid_parsing') {
    return new ServiceError('invalid_request', `Invalid format for parameter ${first.loc[1]}: ${first.msg}`)
  }
  const name = String(first.loc[1])
  const code = first.loc[0] === 'path' && first.type === 'enum' ? PUBLIC_NAMES[name] : undefined
  return invalid(issues, code ?? 'invalid_request')
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<PropertyKey, unknown>)[key]
  }
  return at
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : article(typeof value)
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
