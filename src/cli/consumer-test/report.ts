/** The report of `svc event test-consumer`: the answer, its table, and the error when a case fails. */
import { ServiceError } from '../../core/errors.ts'
import { type View, view } from '../../output/view.ts'
import { duration } from '../listen/event-line.ts'
import type { PostFailure } from '../webhooks/webhook-post.ts'
import type { CaseResult } from './run.ts'

/** Shown when there is no status. */
const NOTHING: Readonly<Record<PostFailure, string>> = {
  unreachable: 'unreachable',
  closed: 'closed',
  timeout: 'no answer',
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
    '': each => (each.passed ? '✓' : '✗'),
    case: each => each.case,
    sent: each => each.sends,
    expected: each => alike(each.expected),
    answered: each => alike(each.answered.map(({ status, failure }) => String(status ?? NOTHING[failure ?? 'other']))),
    took: each => duration(Math.max(...each.answered.map(({ ms }) => ms))),
  })
}

/** Returns the error for failed cases (exit code 5) with advice. Cases that fail in the same way are listed together. */
export function shortfallError({ cases }: ConsumerReport): ServiceError {
  const failed = cases.filter(each => !each.passed)
  const alike = new Map<string, string[]>()
  for (const { case: name, problem, advice } of failed) {
    const what = `${problem}. ${advice}`
    alike.set(what, [...(alike.get(what) ?? []), name])
  }
  return new ServiceError('consumer_failed', `The handler failed ${failed.length} of ${cases.length} cases.`, {
    suggestions: [...alike].map(([what, names]) => `${names.join(', ')}: ${what}`),
  })
}

/** Returns `200` for two equal texts, `200, 409` for two different ones. */
function alike(texts: readonly string[]): string {
  const different = new Set(texts)
  return (different.size === 1 ? [...different] : texts).join(', ')
}
