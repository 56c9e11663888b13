/** Recognizes failed transactions that may succeed if they are repeated. */
import { isCommitLost } from './cluster/machine-down.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const UNIQUE_VIOLATION = '23505'
const DIVISION_BY_ZERO = '22012'

/**
 * SQLSTATEs for conflicts with another transaction whose changes are now visible: the same key was used, or a chunk was replaced
 * (`Dialect.unlessStale`).
 */
const IN_THE_WAY: ReadonlySet<string> = new Set([SERIALIZATION_FAILURE, DEADLOCK, UNIQUE_VIOLATION, DIVISION_BY_ZERO])

/**
 * SQLSTATEs for a connection that the server closed, because an administrator stopped it, it crashed, or it is starting or changing its
 * role.
 */
const SERVER_ENDS: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006'])

export function readErrorCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : null
}

/** Returns whether the transaction failed because of another transaction. */
export function wasInTheWay(error: unknown): boolean {
  return IN_THE_WAY.has(readErrorCode(error) ?? '')
}

/** Returns whether the connection was lost, so that the outcome of a commit is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const code = readErrorCode(error)
  if (isCommitLost(error)) return true
  if (code !== null) return SERVER_ENDS.has(code) || code.startsWith('08') || /^E[A-Z]+$/.test(code)
  return error instanceof Error && /connection|terminated|timeout/i.test(error.message)
}
