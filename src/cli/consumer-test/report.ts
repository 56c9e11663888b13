/** The report of `svc event test-consumer`: its JSON, its table, and the error for failed cases. */
import { ServiceError } from '../../core/errors.ts'
import type { FailureKind } from '../../delivery/failure.ts'
import { type View, view } from '../../output/view.ts'
import { duration } from '../listen/event-line.ts'
import type { CaseResult } from './run.ts'

/** Text to show when there is no status. */
const NOTHING: Readonly<Record<FailureKind, string>> = {
  unreachable: 'unreachable',
  closed: 'closed',
  timeout: 'no response',
  other: 'failed',
}

export interface ConsumerReport {
  readonly url: string
  readonly passed: boolean
  readonly cases: readonly CaseResult[]
}

export function consumerReport(url: string, cases: readonly CaseResult[]): ConsumerReport {
  return { url, passed: cases.every(each => each.passed), cases }
}

export function reportView({ cases }: ConsumerReport): View<CaseResult> {
  return view(cases, {
    '': each => (each.passed ? '✓' : wasRun(each) ? '✗' : ''),
    case: each => each.case,
    sent: each => each.sends,
    expected: each => alike(each.expected),
    answered: each =>
      wasRun(each)
        ? alike(each.answered.map(({ status, failure }) => String(status ?? NOTHING[failure ?? 'other'])))
        : 'not run',
    took: each => (wasRun(each) ? duration(Math.max(...each.answered.map(({ ms }) => ms))) : ''),
  })
}

/** Returns the error for failed cases (exit code 5) with advice. Cases that fail in the same way are listed together. */
export function shortfallError({ cases }: ConsumerReport): ServiceError {
  const failed = cases.filter(each => !each.passed)
  const alike = new Map<string, string[]>()
  for (const { case: name, problem, advice } of failed) {
    const what = advice === null ? `${problem}.` : `${problem}. ${advice}`
    alike.set(what, [...(alike.get(what) ?? []), name])
  }
  const suggestions = [...alike].map(([what, names]) => `${names.join(', ')}: ${what}`)
  const missing = failed.filter(each => !wasRun(each)).length
  const message = `The handler failed ${failed.length - missing} of ${cases.length} cases.`
  if (missing === 0) return new ServiceError('consumer_failed', message, { suggestions })
  const last = cases[cases.length - missing - 1]?.case
  return new ServiceError(
    'consumer_failed',
    `${message} It ended in ${last}, so ${missing} ${missing === 1 ? 'case was' : 'cases were'} not run.`,
    { suggestions: [...suggestions, `Start the handler again. To run the other cases first, add --skip ${last}.`] },
  )
}

function wasRun({ answered }: CaseResult): boolean {
  return answered.length > 0
}

/** Returns the text once if all texts are equal (`200`), otherwise all of them (`200, 409`). */
function alike(texts: readonly string[]): string {
  const different = new Set(texts)
  return (different.size === 1 ? [...different] : texts).join(', ')
}
