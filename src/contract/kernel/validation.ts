/** Parses a request against an operation's schemas, and converts errors to a 422 body. See docs/interface/errors.md#errors-2. */

import type * as z from 'zod'
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { ErrorCode } from '../../core/error-catalogue.ts'
import { allowedNames, invalid, ServiceError, type ValidationIssue } from '../../core/errors.ts'
import { getOrInsert } from '../../core/maps.ts'
import { present } from '../../core/present.ts'
import { summaryKindNamed } from '../../core/sample.ts'
import { findLoneSurrogate, LONE_SURROGATE_TYPE } from '../../core/whole-text.ts'
import type { ByteSource, HandlerInput, Operation, RequestSchema } from './operation.ts'

/** A request before parsing: text in params and query, anything in the body. */
export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Headers by lower-case name. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined
}

/** Maximum number of issues reported: a body of 1 MiB may have half a million errors, which no client needs. */
const MOST_ISSUES = 100
/** Maximum number of unknown names that are reported for one object. */
const MOST_STRANGE_NAMES = 20

/** Path parameters whose values are never sensitive, so messages may repeat them. */
const PUBLIC_NAMES: Readonly<Record<string, ErrorCode>> = { resource: 'unknown_resource', provider: 'unknown_provider' }

/** Body fields with provider slugs. Messages repeat a value only if it looks like a slug. */
const SLUG_FIELDS: ReadonlySet<string> = new Set(['provider', 'filter_on_providers'])
const SLUG = /^[a-z0-9_]{1,63}$/

/**
 * Parses the input of an operation. Throws ServiceError (422) that lists every invalid field. Never repeats a value, except public names.
 */
export function parseInput<O extends Operation>(
  operation: O,
  raw: RawInput,
  providers: ProviderRegistry,
): HandlerInput<O> {
  const issues: ValidationIssue[] = []
  const params = parsePart(built(operation.params, providers), raw.params, 'path', issues)
  const query = operation.bodyFromQuery
    ? {}
    : parsePart(querySchema(operation, raw.params, providers), raw.query, 'query', issues)
  const headers = operation.headers
    ? parsePart(built(operation.headers, providers), raw.headers ?? {}, 'header', issues)
    : undefined
  let body: unknown
  if (operation.body && operation.bodyIsBytes) body = raw.body as ByteSource
  else if (operation.body) {
    const sent = operation.bodyIsOptional ? (raw.body ?? {}) : raw.body
    const given = operation.bodyFromQuery && isEmpty(raw.body) ? raw.query : sent
    if (given === undefined || given === null) issues.push({ loc: ['body'], msg: 'Field required', type: 'missing' })
    else body = parsePart(built(operation.body, providers) as z.ZodType, given, 'body', issues)
  }
  if (issues.length > 0) throw refusal(issues)
  return { params, query, body, headers } as HandlerInput<O>
}

/** Returns the query schema. An expanded path may have a different schema for each value of its parameter. */
function querySchema(
  { expand, query }: Operation,
  params: RawInput['params'],
  providers: ProviderRegistry,
): z.ZodObject {
  const value = expand && params[expand.param]
  return expand?.query && typeof value === 'string' && expand.values.includes(value)
    ? expand.query(value)
    : built(query, providers)
}

/**
 * Built schemas by registry, because some schemas list the registry's slugs. Global, because a schema is a constant that is built when
 * first needed.
 */
const schemas = new WeakMap<ProviderRegistry, Map<RequestSchema<unknown>, unknown>>()

/**
 * Returns the built schema. Building and compiling a schema takes longer than serving a page of samples, so each one is cached when first
 * used.
 */
function built<T>(schema: RequestSchema<T>, providers: ProviderRegistry): T {
  const kept = getOrInsert(schemas, providers, () => new Map())
  // each schema is cached under the function that built it
  return getOrInsert(kept, schema, () => schema(providers)) as T
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)
}

function parsePart(schema: z.ZodType, value: unknown, location: string, issues: ValidationIssue[]): unknown {
  // check before parsing: text that no schema describes (in a free-form map) is stored too
  const surrogate = findLoneSurrogate(value)
  if (surrogate !== null) {
    issues.push({ loc: [location, ...surrogate.path], msg: surrogate.msg, type: LONE_SURROGATE_TYPE })
    return undefined
  }
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues.slice(0, MOST_ISSUES)) issues.push(describe(issue, value, location))
  return undefined
}

/**
 * Returns the issues of the union member that has all of the value's keys. The list is empty if there is no such member; the union's own
 * message then lists the forms.
 */
function meantMember(members: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  const strange = (issue: z.core.$ZodIssue): boolean => issue.code === 'unrecognized_keys' && issue.path.length === 0
  const knowing = members.filter(issues => !issues.some(strange))
  return knowing.toSorted((a, b) => a.length - b.length)[0] ?? []
}

function describe(issue: z.core.$ZodIssue, value: unknown, location: string): ValidationIssue {
  const loc = [location, ...issue.path.map(part => (typeof part === 'number' ? part : String(part)))]
  const given = valueAt(value, issue.path)
  switch (issue.code) {
    case 'invalid_type': {
      if (given === undefined) return { loc, msg: 'Field required', type: 'missing' }
      return { loc, msg: `must be ${article(issue.expected)}, not ${jsonKind(given)}`, type: `${issue.expected}_type` }
    }
    case 'invalid_value': {
      if (given === undefined) return { loc, msg: 'Field required', type: 'missing' }
      return { loc, msg: oneOf(issue.values.map(String), loc, given), type: 'enum' }
    }
    case 'unrecognized_keys':
      return { loc, msg: `does not accept these fields: ${listed(issue.keys)}`, type: 'extra_forbidden' }
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
        return describe({ ...deepest, path: [...issue.path, ...deepest.path] } as z.core.$ZodIssue, value, location)
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

/** The command that lists all names of a kind. */
const LISTED_BY = {
  provider: '`svc provider list` lists all',
  resource: '`svc timeseries resources` lists all',
} as const

function oneOf(values: readonly string[], loc: readonly (string | number)[], given: unknown): string {
  const name = loc.at(-1)
  const isPublic = typeof name === 'string' && name in PUBLIC_NAMES && loc[0] === 'path' && typeof given === 'string'
  const isSlug = loc[0] === 'body' && SLUG_FIELDS.has(String(loc[1])) && typeof given === 'string' && SLUG.test(given)
  const shown = values.length > 60 ? `${values.slice(0, 60).join(', ')} … (${values.length} in all)` : values.join(', ')
  if (isSlug)
    return `"${given}" is not one of the available providers.${allowedNames(given, values, LISTED_BY.provider)}`
  if (!isPublic) return `must be one of the allowed values. Allowed: ${shown}`
  const how = name === 'resource' ? LISTED_BY.resource : LISTED_BY.provider
  const kind = name === 'resource' && !values.includes('sleep') ? summaryKindNamed(given) : undefined
  if (kind !== undefined) {
    return (
      `"${kind}" is a kind of summary, but these resources are samples. \`svc summary get\` reads summaries ` +
      `(GET /v2/summary/${kind}/{user_id}). ${how}`
    )
  }
  return `"${given}" is not one of the known ${name}s.${allowedNames(given, values, how)}`
}

function bound(words: string, size: number, origin: string): string {
  if (origin === 'string')
    return words === 'at least' && size === 1 ? 'must not be empty' : `must be ${words} ${size} characters long`
  if (origin === 'array') return `must have ${words} ${size} item${size === 1 ? '' : 's'}`
  return `must be ${words} ${size}`
}

/** Returns an issue's type, using Pydantic's names. */
function boundType(ofNumbers: string, ofLengths: string, origin: string): string {
  if (origin === 'string') return `string_too_${ofLengths}`
  return origin === 'array' ? `too_${ofLengths}` : ofNumbers
}

function refusal(issues: readonly ValidationIssue[]): ServiceError {
  const first = present(issues[0], 'an issue')
  // for a malformed UUID in the path, the response contains a sentence instead of a list
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

function jsonKind(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : article(typeof value)
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
