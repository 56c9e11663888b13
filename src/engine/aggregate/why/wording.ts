/** Says in a sentence what made a number. */
import type { WhySource } from '../../../contract/aggregates/why.ts'
import { formatCount } from '../../../core/text.ts'

const FUNCTIONS: Readonly<Record<string, string>> = {
  sum: 'sum',
  mean: 'mean',
  min: 'lowest value',
  max: 'highest value',
  count: 'number',
  median: 'median',
  stddev: 'standard deviation',
  oldest: 'oldest value',
  newest: 'newest value',
}
const ROWS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  timeseries: ['sample', 'samples'],
  sleep: ['night', 'nights'],
  workout: ['workout', 'workouts'],
  activity: ['day', 'days'],
  derived_readiness: ['day', 'days'],
}

interface Made {
  readonly func: string
  readonly table: string
  /** Number of rows that count. */
  readonly rows: number
  readonly sources: readonly WhySource[]
  readonly merges: boolean
  readonly leavesOut: boolean
  readonly hasWhere: boolean
}

/** Returns the sentence. */
export function summaryOf({ func, table, rows, sources, merges, leavesOut, hasWhere }: Made): string {
  if (rows === 0) {
    const condition = hasWhere ? ' that meets the condition' : ''
    return leavesOut
      ? 'No data counts in this period: all of it was left out.'
      : `There is no data in this period${condition}.`
  }
  const used = sources.filter(each => each.used).length
  const [one, many] = ROWS[table] ?? ['record', 'records']
  const from = used === 1 ? '1 source' : `${formatCount(used)} sources${merges ? ', merged' : ''}`
  return `The ${FUNCTIONS[func] ?? func} of ${formatCount(rows)} ${rows === 1 ? one : many} from ${from}.`
}
