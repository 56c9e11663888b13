/** Checks individual items' times, under the same rules as in imports. */
import type { EpochMs } from '../../../core/time.ts'
import { timeProblem } from '../../shared/sample-collector.ts'
import type { Item } from './item.ts'

export interface ItemTimeProblem {
  readonly field: 'start' | 'end' | 'at'
  /** The problem, as a text that follows the item's name, such as `ends before it starts`. */
  readonly problem: string
}

/**
 * Returns the problem with an item's times; undefined if they are valid. A menstrual cycle may be in the future, because it may be a
 * prediction.
 */
export function itemTimeProblem(item: Item, now: EpochMs): ItemTimeProblem | undefined {
  if (item.kind === 'sample') {
    const { start, end = start } = item.sample
    const problem = timeProblem(start, end, now)
    return problem === undefined ? undefined : { field: end < start ? 'end' : 'start', problem }
  }
  if (item.kind === 'summary' && item.summary.kind === 'menstrual_cycle') return undefined
  const at = item.kind === 'summary' ? item.summary.at : item.stream.at
  const problem = timeProblem(at, at, now)
  return problem === undefined ? undefined : { field: 'at', problem }
}
