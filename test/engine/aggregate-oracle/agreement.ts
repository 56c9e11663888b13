/** Runs the same query on the engine and the oracle and reports differences. */
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { queryBatch } from '../../../src/contract/aggregates/aggregate.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { runQueryBatch } from '../../../src/engine/aggregate/run.ts'
import type { QuerySource } from '../../../src/engine/aggregate/scan/source.ts'
import { toColumns } from '../../../src/table/json.ts'
import { USER_ID } from './arbitraries/summary-arbitrary.ts'
import type { PlainData, Value } from './data.ts'
import { type Asked, evaluate, type PlainQuery } from './oracle.ts'
import { type Disagreement, reduced } from './reduce.ts'

const RELATIVE = 1e-12
/** Numbers that differ by less are equal: it is the rounding of numbers that are themselves next to nothing. */
const NOTHING = 1e-300

/** The source from which the engine reads data. */
export type Sources = (data: PlainData) => QuerySource | Promise<QuerySource>

/**
 * Throws a reduced form of the first difference. All queries go to the engine in one call. Returns the number of queries with a meaningful
 * result.
 */
export async function expectAgreement(
  data: PlainData,
  sources: Sources,
  queries: readonly PlainQuery[],
  asked: Asked,
): Promise<number> {
  const together = await differing(data, await sources(data), queries, asked)
  if (!together) return queries.filter(query => saysSomething(data, query, asked)).length
  const judge = async (each: Disagreement) => {
    const found = await differing(each.data, await sources(each.data), [each.query], each.asked)
    // a query that either of the two rejects as meaningless proves nothing
    return found?.problem.startsWith('senseless') ? undefined : found?.problem
  }
  for (const query of together.query ? [together.query] : queries) {
    const first: Disagreement = { data, query, asked }
    const problem = (await differing(data, await sources(data), [query], asked))?.problem
    if (problem === undefined) continue
    if (problem.startsWith('senseless')) throw new Error(`${problem}\n  asked ${JSON.stringify(query)}`)
    const small = await reduced(first, judge)
    throw new Error(`${await judge(small)}\n${JSON.stringify(small, null, 1).replaceAll(/\n\s{4,}/g, ' ')}`)
  }
  throw new Error(`only together: ${together.problem}`)
}

/** Returns whether a result has a cell that is neither null nor a count of zero. */
function saysSomething(data: PlainData, query: PlainQuery, asked: Asked): boolean {
  return evaluate(data, query, asked).some(({ cells }) => cells.some(cell => cell !== null && cell !== 0))
}

interface Found {
  readonly problem: string
  readonly query: PlainQuery | null
}

async function differing(
  data: PlainData,
  source: QuerySource,
  queries: readonly PlainQuery[],
  asked: Asked,
): Promise<Found | undefined> {
  const body = {
    timeframe: { type: 'relative', anchor: asked.anchor, past: asked.past },
    queries,
    config: { provider_priority_overrides: asked.overrides },
  }
  const user = { userId: USER_ID as UserId, fallbackTimeZone: data.zone }
  const call = { now: asked.now, providers: SHIPPED_REGISTRY, priorities: asked.team }
  let tables: Awaited<ReturnType<typeof runQueryBatch>>
  try {
    tables = await runQueryBatch(source, user, queryBatch().parse(body), call)
  } catch (error) {
    const { message, stack } = error as Error
    return { problem: `senseless? ${message}\n${stack}`, query: null }
  }
  for (const [i, query] of queries.entries()) {
    const problem = difference(data, query, asked, toColumns(tables[i] as (typeof tables)[number]))
    if (problem) return { problem, query }
  }
  return undefined
}

/** Returns how a result differs from the oracle's; undefined if they agree. */
export function difference(
  data: PlainData,
  query: PlainQuery,
  asked: Asked,
  result: Record<string, unknown[]>,
): string | undefined {
  const expected = evaluate(data, query, asked)
  const names = expected.map(each => each.name)
  if (JSON.stringify(Object.keys(result)) !== JSON.stringify(names)) {
    return `columns ${Object.keys(result).join(', ')} instead of ${names.join(', ')}`
  }
  for (const { name, cells, exact, slack } of expected) {
    const got = result[name] as readonly Value[]
    const row = cells.findIndex((cell, i) => !isSame(got[i], cell, exact, slack[i] ?? 0))
    if (row >= 0) return `${name}, row ${row}: ${got[row]} instead of ${cells[row]}`
    if (got.length !== cells.length) return `${name} has ${got.length} rows instead of ${cells.length}`
  }
  return undefined
}

function isSame(got: Value | undefined, expected: Value, exact: boolean, slack: number): boolean {
  if (got === expected) return true
  if (exact || typeof got !== 'number' || typeof expected !== 'number') return false
  return Math.abs(got - expected) <= RELATIVE * Math.abs(expected) + slack + NOTHING
}
