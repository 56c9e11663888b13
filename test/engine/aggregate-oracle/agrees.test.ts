/** The engine compared with a slow, plain evaluator: random data, random queries, the same results. */
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { times } from '../../kit/effort.ts'
import { seed } from '../../kit/seed.ts'
import { expectAgreement } from './agreement.ts'
import { type Case, correctedCase, crowdedCase, sampleCase, summaryCase } from './arbitraries/data-arbitrary.ts'
import {
  asked,
  nestedQuery,
  plainQuery,
  summaryTable,
  timeseries,
  type Vocabulary,
} from './arbitraries/query-arbitrary.ts'
import { DAY, printDate } from './calendar.ts'
import type { Asked, PlainQuery } from './oracle.ts'
import { MERGED_KINDS } from './several-sources/sessions.ts'
import { buildSource } from './source.ts'

const SUMMARY_TABLES = [
  ...['sleep', 'sleep', 'activity', 'workout', 'body', 'meal', 'menstrual_cycle', 'menstrual_cycle', 'profile'],
  ...['derived_readiness', 'derived_readiness'],
]

let cases = 0
/** Counts the queries whose result is not all nulls. */
let telling = 0
let filtered = 0

interface Ask {
  readonly each: Case
  readonly calls: readonly { readonly asked: Asked; readonly queries: readonly PlainQuery[] }[]
  readonly cut: number
}

/** Data with several calls of several queries. */
function asks(
  cases: fc.Arbitrary<Case>,
  words: (each: Case) => readonly Vocabulary[],
  perCall: number,
  queries: (words: Vocabulary, base: number) => fc.Arbitrary<PlainQuery> = plainQuery,
): fc.Arbitrary<Ask> {
  return cases.chain(each => {
    const query = fc.oneof(...words(each).map(table => queries(table, each.base)))
    const call = fc.record({
      asked: asked(each.base),
      queries: fc.array(query, { minLength: perCall, maxLength: perCall }),
    })
    return fc.record({
      each: fc.constant(each),
      calls: fc.array(call, { minLength: 2, maxLength: 2 }),
      cut: fc.integer({ min: 1, max: 8 }),
    })
  })
}

async function agree({ each: { data }, calls, cut }: Ask): Promise<void> {
  for (const { asked, queries } of calls) {
    telling += await expectAgreement(data, each => buildSource(each, cut), queries, asked)
    cases += queries.length
    filtered += queries.filter(({ where }) => where != null).length
  }
}

/** Checks a property of data sets. The message of a failure shows the reduced disagreement, not the whole data set. */
async function check(asks: fc.Arbitrary<Ask>, numRuns: number): Promise<void> {
  const details = await fc.check(fc.asyncProperty(asks, agree), { seed, numRuns: times(numRuns), endOnFailure: true })
  const { failed, errorInstance } = details
  if (failed) throw new Error(`seed ${seed}, path ${details.counterexamplePath}: ${(errorInstance as Error).message}`)
}

const sampleWords = ({ base, data }: Case) => [timeseries([...new Set(data.samples.map(each => each.resource))], base)]
const summaryWords = ({ base }: Case) => SUMMARY_TABLES.map(table => summaryTable(table, base))

test('agrees about samples', { timeout: 600_000 }, async () => {
  await check(asks(sampleCase, sampleWords, 7), 75)
})

const mergedQuery: typeof plainQuery = words => plainQuery(words).map(query => ({ ...query, merge: true }))

test('agrees about merged samples', { timeout: 600_000 }, async () => {
  await check(asks(sampleCase, sampleWords, 7, mergedQuery), 60)
})

const mergedWords = ({ base }: Case) =>
  ['sleep', 'workout'].map(table => {
    const words = summaryTable(table, base)
    const columns = Object.keys(MERGED_KINDS[table] ?? {}).map(name => ({ [table]: name }))
    return { ...words, items: [...words.items, ...columns, ...columns] }
  })

/** Lets the first call cover the few days of the data, and ask for every column too. */
function covering({ each, calls, cut }: Ask): Ask {
  const around = { anchor: printDate(each.base + 3 * DAY), past: { unit: 'day', value: 7 } } as const
  const whole = mergedWords(each).flatMap(({ items }): PlainQuery[] => {
    const columns = [...new Map(items.map(item => [JSON.stringify(item), item])).values()]
    return [columns.slice(0, 20), columns.slice(20)].map(select => ({ select, merge: true }))
  })
  const [first, ...others] = calls.map(call => ({ ...call }))
  return {
    each,
    calls: [
      ...(first ? [{ asked: { ...first.asked, ...around }, queries: [...first.queries, ...whole] }] : []),
      ...others,
    ],
    cut,
  }
}

test('agrees about merged nights and workouts', { timeout: 600_000 }, async () => {
  const all = asks(crowdedCase, mergedWords, 10, mergedQuery)
  await check(all.map(covering), 60)
})

test('agrees about merged nights and workouts with corrections', { timeout: 600_000 }, async () => {
  const all = asks(correctedCase, mergedWords, 10, mergedQuery)
  await check(all.map(covering), 60)
})

test('agrees about summaries', { timeout: 600_000 }, async () => {
  await check(asks(summaryCase, summaryWords, 8), 80)
})

test('agrees about the results of other queries', { timeout: 600_000 }, async () => {
  await check(asks(sampleCase, sampleWords, 5, nestedQuery), 50)
  await check(asks(summaryCase, summaryWords, 5, nestedQuery), 50)
})

afterAll(() => {
  console.log(`${cases} cases, ${telling} of them with something to tell`)
  expect(cases).toBeGreaterThanOrEqual(times(2000))
  expect(telling).toBeGreaterThanOrEqual(cases / 3)
  expect(filtered).toBeGreaterThanOrEqual(cases / 3)
})
