/** What is told of a bug of ours: kinds and places, no messages, which may quote what is stored. */
import { ServiceError } from './errors.ts'

const MOST_FRAMES = 8

/** The kind, the code and the stack frames of an error. Its message may hold a value, so it stays out. */
export function stackLines(error: unknown): string[] {
  if (!(error instanceof Error)) return [`  a ${typeof error} was thrown`]
  const { code } = error as { code?: unknown }
  const frames = (error.stack ?? '').split('\n').filter(line => line.startsWith('    at '))
  const own = [`  ${error.name}${typeof code === 'string' ? ` ${code}` : ''}`, ...frames.slice(0, MOST_FRAMES)]
  return error.cause === undefined ? own : [...own, '  caused by', ...stackLines(error.cause)]
}

/** What failed, without a value: a refusal in its own words, a bug by its report. */
export function errorText(error: unknown): string {
  return error instanceof ServiceError ? `${error.code}: ${error.message}` : ['a bug', ...stackLines(error)].join('\n')
}
