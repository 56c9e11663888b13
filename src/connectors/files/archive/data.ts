/** What an archive's format collects from its parts. Each format extends this with the records that it reads. */
import { ArchiveClock } from './clock.ts'
import { Copies } from './copies.ts'
import { DayBook } from './days.ts'
import type { ArchiveRun } from './run.ts'

export class ArchiveData {
  readonly run: ArchiveRun
  readonly clock: ArchiveClock
  readonly days: DayBook
  readonly copies: Copies

  /** `daySource` is the source type of totals of days; by default, that of the format. */
  constructor(run: ArchiveRun, daySource?: string) {
    this.run = run
    this.clock = new ArchiveClock(run)
    this.days = new DayBook(run, date => this.clock.offsetOn(date), daySource)
    this.copies = new Copies(run)
  }

  /** Adds the items that are complete only after all parts have been read, or all before a damage. */
  finish(): void {
    this.days.finish()
  }
}
