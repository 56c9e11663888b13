/** Reads the values to set in a triggered event, given by their paths in the event body, such as `data.source.provider`. */
import type * as z from 'zod'
import { didYouMean, invalid, type ServiceError } from '../../core/errors.ts'
import { schemaIssue } from '../intake/pushed-document.ts'

type Fields = Record<string, unknown>

const NAME = /^[a-z0-9_]{1,64}$/i
const NEVER = ['__proto__', 'constructor', 'prototype']
/** Matches paths within a batch. The index is optional, because the batch contains only one sample here. */
const IN_BATCH = /^data\.data(?:\[\d+\]|\.\d+)?\./

/** A value to set. */
export interface GivenValue {
  /** The path as written by the caller. */
  readonly path: string
  /** The path's segments, without the leading `data`. */
  readonly parts: readonly string[]
  readonly value: unknown
}

/** Returns the values to set. Throws 422 for a path that does not start with `data.`. */
export function givenValues(set: Readonly<Record<string, unknown>> | null | undefined): readonly GivenValue[] {
  return Object.entries(set ?? {}).map(([path, value]) => {
    const parts = path
      .replace(IN_BATCH, 'data.')
      .replaceAll(/\[(\d+)\]/g, '.$1')
      .split('.')
    const isRight = parts.length > 1 && parts[0] === 'data' && parts.every(each => NAME.test(each))
    if (!isRight || parts.some(each => NEVER.includes(each))) {
      throw badPath(path, 'must be a path in the body of the event that begins with data., such as data.value')
    }
    return { path, parts: parts.slice(1), value }
  })
}

/** Returns the 422 error for a path. */
export function badPath(path: string, msg: string, type = 'value_error'): ServiceError {
  return invalid([{ loc: ['body', 'set', shown(path)], msg, type }])
}

/** Returns the 422 error for values that do not match the schema. `loc` is the position of the checked value in the body. */
export function misfits(issues: readonly z.core.$ZodIssue[], loc: readonly string[]): ServiceError {
  return invalid(
    issues.slice(0, 20).map(issue => {
      const { path, ...rest } = schemaIssue(issue)
      return { loc: [...loc, ...path], ...rest }
    }),
  )
}

/** Returns the 422 error for an unknown path, with the most similar paths and the allowed ones. */
export function unknownPath(path: string, allowed: readonly string[]): ServiceError {
  const list = allowed.length === 0 ? 'Nothing can be set for this type.' : `Allowed: ${allowed.join(', ')}`
  return badPath(path, `is not a known path.${didYouMean(path, allowed)} ${list}`, 'extra_forbidden')
}

/** Throws 422 for a value whose path is not allowed. */
export function refuseGiven(given: readonly GivenValue[], allowed: readonly string[]): void {
  const [strange] = given.filter(each => !allowed.includes(`data.${each.parts.join('.')}`))
  if (strange) throw unknownPath(strange.path, allowed)
}

/** Returns the value as text. Throws 422 if the value is not text. */
export function givenText(given: readonly GivenValue[], ...parts: readonly string[]): string | undefined {
  const found = given.find(each => each.parts.join('.') === parts.join('.'))
  if (found === undefined) return undefined
  if (typeof found.value === 'string') return found.value
  throw badPath(found.path, 'must be text', 'string_type')
}

/** Returns a copy with the value at a path. Missing objects along the path are created. A list index must exist or be the next free one. */
export function withValue(whole: unknown, parts: readonly string[], value: unknown, path: string): unknown {
  const [name, ...rest] = parts
  if (name === undefined) return value
  if (Array.isArray(whole)) {
    const index = Number(name)
    if (!/^\d+$/.test(name) || index > whole.length) {
      throw badPath(path, `has index ${shown(name)} in a list of ${whole.length} items. Indexes count from 0.`)
    }
    return whole.toSpliced(index, 1, withValue(whole[index], rest, value, path))
  }
  const fields: Fields = typeof whole === 'object' && whole !== null ? { ...(whole as Fields) } : {}
  fields[name] = withValue(fields[name], rest, value, path)
  return fields
}

/** Returns a path for a message, shortened if necessary, because user input can be long or contain a value. */
function shown(path: string): string {
  return /^[\w.[\]]{1,80}$/.test(path) ? path : 'a path'
}
