/** Runs the cases against a handler, one after the other. */
import { ServiceError } from '../../core/errors.ts'
import type { PostOutcome, WebhookPoster } from '../webhooks/webhook-post.ts'
import { EXPECTED, findShortfall, type TestCase } from './case.ts'
import type { DeliveryMaker } from './delivery-maker.ts'

/** A handler's responses to a case. The lists have one item for each post. */
export interface CaseResult {
  readonly case: string
  readonly sends: string
  readonly expected: readonly string[]
  /** The responses; empty if the case was not run. */
  readonly answered: readonly Pick<PostOutcome, 'status' | 'error' | 'failure' | 'ms'>[]
  readonly passed: boolean
  /** The problem and advice; null if the case passed. A case that was not run has a problem without advice. */
  readonly problem: string | null
  readonly advice: string | null
}

interface RunOptions {
  readonly poster: Pick<WebhookPoster, 'post'>
  readonly make: DeliveryMaker
  readonly signal: AbortSignal
  readonly onCase: (done: number, next: TestCase) => void
}

/**
 * Runs the cases. Stops early if the handler has stopped, because further cases would prove nothing. Throws ServiceError `network` when the
 * very first post cannot connect.
 */
export async function runCases(cases: readonly TestCase[], options: RunOptions): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = []
  for (const [i, each] of cases.entries()) {
    options.onCase(i, each)
    const result = await runCase(each, options, i === 0)
    // the handler is gone: it stopped during the last case that it received a post from
    if (result.answered[0]?.failure === 'unreachable') return [...results, ...notRun(cases.slice(i), results.at(-1))]
    results.push(result)
    if (result.answered.some(({ failure }) => failure === 'unreachable')) {
      return [...results, ...notRun(cases.slice(i + 1), result)]
    }
  }
  return results
}

function notRun(cases: readonly TestCase[], last: CaseResult | undefined): CaseResult[] {
  return cases.map(({ name, sends }) => ({
    case: name,
    sends,
    expected: [],
    answered: [],
    passed: false,
    problem: `not run: the handler ended in ${last?.case}`,
    advice: null,
  }))
}

async function runCase(test: TestCase, { poster, make, signal }: RunOptions, isFirst: boolean): Promise<CaseResult> {
  const expected: string[] = []
  const answered: PostOutcome[] = []
  let problem: string | null = null
  for (const { post, expects } of test.posts(make)) {
    const outcome = await poster.post({ ...post, signal })
    if (isFirst && answered.length === 0 && outcome.failure === 'unreachable') {
      throw new ServiceError('network', `The handler cannot be reached: ${outcome.error}.`, {
        suggestions: ['Start the handler, and check the host and port of the URL.'],
      })
    }
    answered.push(outcome)
    expected.push(EXPECTED[expects])
    problem ??= findShortfall(expects, outcome)
  }
  return {
    case: test.name,
    sends: test.sends,
    expected,
    answered: answered.map(({ status, error, failure, ms }) => ({ status, error, failure, ms })),
    passed: problem === null,
    problem,
    advice: problem === null ? null : test.advice,
  }
}
