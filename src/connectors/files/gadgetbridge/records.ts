/** What all records of a Gadgetbridge database have in common. */
import type { EpochMs } from '../../../core/time.ts'
import type { RecordImport } from '../records/import.ts'
import type { HeartDays } from '../sqlite/heart-days.ts'
import type { DatabaseReader } from '../sqlite/reader.ts'
import type { RecordedBy } from '../sqlite/recorded-by.ts'

/** What a part of the database is read with. */
export interface Reading {
  readonly reader: DatabaseReader
  readonly importing: RecordImport
  readonly heart: HeartDays
  /** Returns the source of a device's data. */
  source(device: number, sourceType: string): RecordedBy
}

/** Earlier times have another unit than the table's, or come from a clock that was never set: the app did not exist. */
const EARLIEST_MS = Date.UTC(2010)

/** Returns the problem with the times of a record, as a text that follows its name. */
export function timesProblem(importing: RecordImport, start: EpochMs, end: EpochMs): string | undefined {
  return importing.timesProblem(start, end) ?? (start < EARLIEST_MS ? 'has a time before 2010' : undefined)
}
