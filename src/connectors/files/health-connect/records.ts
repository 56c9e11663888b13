/** Reads what all records of a Health Connect export have in common: their times, offset and source. */

import { uuidText } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { RecordImport } from '../records/import.ts'
import type { DatabaseReader } from '../sqlite/reader.ts'
import { noticeWithoutOffset, offsetInZone, type RecordedBy } from '../sqlite/recorded-by.ts'
import { type Rows, readRows } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'
import type { Sources } from './sources.ts'
import { SOURCE_COLUMNS, type Times } from './tables.ts'

/** What a part of the export is read with. */
export interface Reading {
  readonly reader: DatabaseReader
  readonly importing: RecordImport
  readonly sources: Sources
  /** The known tables that exist. */
  readonly tables: ReadonlyMap<string, Table>
}

/** Maximum offset from UTC, in seconds. */
const MOST_OFFSET_SECONDS = 18 * 3600
/** What Health Connect writes for an amount that the app did not state: the smallest positive number, or -1 for integers. */
const UNSET_AMOUNT = Number.MIN_VALUE

/** Returns an amount; undefined if it was not stated. */
export function stated(amount: number | undefined): number | undefined {
  return amount === undefined || Number.isNaN(amount) || amount === UNSET_AMOUNT ? undefined : amount
}

/**
 * Returns the offset of a record in seconds east of UTC. A record without one gets that of the time zone, or null. Returns undefined for an
 * impossible offset.
 */
export function offsetAt(importing: RecordImport, seconds: number, at: EpochMs): number | null | undefined {
  if (Number.isNaN(seconds)) return offsetInZone(importing, at)
  return Number.isInteger(seconds) && Math.abs(seconds) <= MOST_OFFSET_SECONDS ? seconds : undefined
}
export const NO_OFFSET_POSSIBLE = 'has an offset of more than 18 hours from UTC'

/** One record of a table that has few. */
export interface SessionRecord {
  readonly row: number
  readonly id: string
  readonly start: EpochMs
  readonly end: EpochMs
  readonly offset: number | null
  readonly endOffset: number | null
  readonly source: RecordedBy
  readonly rows: Rows
  /** Index in `rows`. */
  readonly i: number
  readonly place: string
}

const UUID_BYTES = 16
/** Maximum number of records of one table that are kept until the end of the file. */
const MOST_SESSIONS = 200_000

/** Yields the records of a table with sessions, which have an ID, and counts those that cannot be used. */
export async function* sessionRecords(
  { reader, importing, sources }: Reading,
  table: Table,
  columns: readonly string[],
  times: Times & { readonly endOffset: string },
): AsyncGenerator<SessionRecord> {
  const common = [...new Set([times.start, times.end, times.offset, times.endOffset])]
  const what = `a row of ${table.name}`
  let count = 0
  for await (const rows of readRows(reader, table, ['uuid', ...common, ...SOURCE_COLUMNS, ...columns])) {
    const [starts, ends] = [rows.numbers(times.start), rows.numbers(times.end)]
    const [offsets, endOffsets] = [rows.numbers(times.offset), rows.numbers(times.endOffset)]
    const [apps, devices, methods] = SOURCE_COLUMNS.map(name => rows.numbers(name)) as [Numbers, Numbers, Numbers]
    const numbers = rows.numbers('rowid')
    importing.records += rows.n
    noticeWithoutOffset(importing, offsets.filter(Number.isNaN).length)
    for (let i = 0; i < rows.n; i++) {
      const [start, end] = [starts[i] as number, ends[i] as number]
      const place = rows.place(i)
      const offset = offsetAt(importing, offsets[i] as number, start)
      const endOffset = offsetAt(importing, endOffsets[i] as number, end)
      const uuid = rows.bytes('uuid', i)
      const problem =
        importing.timesProblem(start, end) ??
        (offset === undefined || endOffset === undefined ? NO_OFFSET_POSSIBLE : undefined) ??
        (uuid?.length === UUID_BYTES ? undefined : 'has no ID') ??
        (++count > MOST_SESSIONS ? `exceeds the limit of ${MOST_SESSIONS} rows` : undefined)
      if (problem !== undefined || offset === undefined || endOffset === undefined) {
        importing.skip(`${what} ${problem}`, place)
        continue
      }
      const source = sources.of(apps[i] as number, devices[i] as number, methods[i] as number)
      const id = uuidText(Buffer.from(uuid as Uint8Array))
      yield { row: numbers[i] as number, id, start, end, offset, endOffset, source, rows, i, place }
    }
  }
}

type Numbers = Float64Array
