/** Translates the logic's statements for PostgreSQL, and gives each one a name for its prepared form. */
import type { SqlText, SqlValue } from '../logic/steps.ts'
import { POSTGRES } from './dialect.ts'

export interface PreparedText {
  readonly name: string
  readonly text: string
  /** Number of values. */
  readonly count: number
}

/** Matches quoted text, a placeholder for a value, or the table `user`, which is a PostgreSQL function unless it is quoted. */
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|\?|\buser\b/gi

const known = new Map<SqlText, PreparedText>()

/** Returns a statement in the form in which it is sent. */
export function preparedText(text: SqlText): PreparedText {
  let prepared = known.get(text)
  if (prepared === undefined) {
    prepared = { name: `svc${known.size + 1}`, ...translated(typeof text === 'string' ? text : text(POSTGRES)) }
    known.set(text, prepared)
  }
  return prepared
}

function translated(text: string): Omit<PreparedText, 'name'> {
  let count = 0
  const own = text.replaceAll(TOKENS, token => {
    if (token === '?') return `$${++count}`
    return token.toLowerCase() === 'user' ? '"user"' : token
  })
  return { text: own, count }
}

/** Returns a value as it is stored, following the same rules as in SQLite, because checksums cover the stored values. */
export function sentValue(value: SqlValue): string | Buffer | null {
  switch (typeof value) {
    case 'string':
      // PostgreSQL refuses NUL, and SQLite truncates text at it
      return value.includes('\0') ? (value.split('\0', 1)[0] as string) : value
    case 'number':
      return numberText(value)
    case 'bigint':
      return `${value}`
    default:
      return value === null ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

/** Limits of PostgreSQL's bigint, for open-ended ranges. */
const ENDS = { least: '-9223372036854775808', most: '9223372036854775807' } as const

function numberText(value: number): string | null {
  if (Number.isNaN(value)) return null
  if (!Number.isFinite(value)) return value < 0 ? ENDS.least : ENDS.most
  return Math.abs(value) < Number.EPSILON ? '0' : `${value}`
}
