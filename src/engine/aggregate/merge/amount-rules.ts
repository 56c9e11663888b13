/** What the merge of an amount depends on, besides its samples. */
import type { EpochMs } from '../../../core/time.ts'
import type { BlockSource } from '../scan/block.ts'

export interface AmountRules {
  /** Floating times at whole multiples of this length divide a sample. At most a day. */
  readonly cutMs: number
  /** A further floating time that divides a sample: the beginning of the window. */
  readonly edge: EpochMs
  /** Whether the total of a day has a value, because no bucket is shorter than a day. */
  readonly hasTotals: boolean
  /** Returns whether the caller or the team ranks the first source before the second one. */
  isPreferred(first: BlockSource, second: BlockSource): boolean
}
