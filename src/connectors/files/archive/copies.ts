/** Decides which of several forms of the same data counts on a day, so that copies in other parts are not stored a second time. */
import { getOrInsert } from '../../../core/maps.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { ArchiveRun } from './run.ts'

/**
 * The form that is read first counts on every UTC day on which it has a record. The other forms fill the other days, because no form covers
 * all years of an account.
 */
export class Copies {
  private readonly run: ArchiveRun
  /** The form that counts, by quantity and number of the day. */
  private readonly forms = new Map<string, Map<number, string>>()

  constructor(run: ArchiveRun) {
    this.run = run
  }

  /** Returns whether the current record counts, which is of the form with this name. If not, skips it as a copy. */
  counts(quantity: string, at: EpochMs, form: string): boolean {
    const days = getOrInsert(this.forms, quantity, () => new Map())
    const counting = getOrInsert(days, Math.floor(at / DAY_MS), () => form)
    if (counting === form) return true
    this.run.skip(`copies of ${quantity}, for days that "${counting}" files cover`)
    return false
  }
}
