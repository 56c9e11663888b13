/** The text of bug reports: error kinds and code positions, but no messages, which may contain stored values. */
import { ServiceError } from './errors.ts'

const MOST_FRAMES = 8

/** Returns an error's kind, code and stack frames. The message is omitted because it may contain a value. */
export function stackLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [`  a ${typeof error} was thrown`]
  const { code } = error as { code?: unknown }
  const frames = (error.stack ?? '').split('\n').filter(line => line.startsWith('    at '))
  const own = [`  ${error.name}${typeof code === 'string' ? ` ${code}` : ''}`, ...frames.slice(0, MOST_FRAMES)]
  return error.cause === undefined ? own : [...own, '  caused by', ...stackLines(error.cause)]
}

/** Describes a failure without revealing values: a ServiceError by its code and message, and a bug by its stack. */
export function errorText(error: unknown): string {
  return error instanceof ServiceError ? `${error.code}: ${error.message}` : ['a bug', ...stackLines(error)].join('\n')
}
