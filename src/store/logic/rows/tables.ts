/**
 * Lists the rows that have a checksum: all data about a user that is ever shown as a value. docs/storage.md lists the rows without a
 * checksum.
 */
import { TABLES } from '../../tables/catalogue.ts'
import * as data from '../../tables/data.ts'
import * as events from '../../tables/events.ts'
import * as live from '../../tables/live.ts'
import type { RowWith } from '../../tables/table.ts'
import * as users from '../../tables/users.ts'
import { type CheckedRows, checkedColumns, checkedRows, type RowOf } from './checked-rows.ts'

export const USERS = checkedRows(users.USER)
export type UserRow = RowOf<typeof USERS>

/** The counters change with each write, so they have a separate checksum. */
export type CountersRow = Pick<RowWith<typeof users.USER.columns>, 'user_id' | 'event_sequence' | 'event_floor'>
export const COUNTERS: CheckedRows<CountersRow> = checkedColumns(users.USER, 'counters_checksum')

export const CONNECTIONS = checkedRows(users.CONNECTION)
export type ConnectionRow = RowOf<typeof CONNECTIONS>

export const USER_INFO = checkedRows(users.USER_INFO)

export const INSURANCES = checkedRows(users.INSURANCE)
export type InsuranceRow = RowOf<typeof INSURANCES>

export const DEVICES = checkedRows(users.DEVICE)
export type DeviceTableRow = RowOf<typeof DEVICES>

export const PULLS = checkedRows(users.PULL)
export type PullRow = RowOf<typeof PULLS>

export const PEOPLE = checkedRows(users.PERSON)

export const ORDERS = checkedRows(users.LAB_ORDER)
export type OrderRow = RowOf<typeof ORDERS>

export const USER_SOURCE_ORDERS = checkedRows(users.USER_SOURCE_ORDER)

export const SESSION_MATCHES = checkedRows(data.SESSION_MATCH)
export type SessionMatchRow = RowOf<typeof SESSION_MATCHES>

export const SERIES = checkedRows(data.SERIES)
export type SeriesRow = RowOf<typeof SERIES>

/** Figures of a chunk's blob. The blob has a separate checksum (chunk-data.ts). */
export const CHUNK_HEADS = checkedRows(data.CHUNK)
export type ChunkHeadRow = RowOf<typeof CHUNK_HEADS>

export const SUMMARIES = checkedRows(data.SUMMARY)
export type SummaryTableRow = RowOf<typeof SUMMARIES>

export const STREAMS = checkedRows(data.STREAM)
export type StreamTableRow = RowOf<typeof STREAMS>

export const IMPORTS = checkedRows(data.IMPORT)
export type ImportTableRow = RowOf<typeof IMPORTS>

export const IMPORTS_BEFORE = checkedRows(data.IMPORT_BEFORE)
export type ImportBeforeRow = RowOf<typeof IMPORTS_BEFORE>

export const CONTINUOUS_ROWS = checkedRows(data.CONTINUOUS_ROW)

export const CONTINUOUS_STATES = checkedRows(data.CONTINUOUS_STATE)
export type ContinuousStateRow = RowOf<typeof CONTINUOUS_STATES>

export const CONTINUOUS_TASKS = checkedRows(data.CONTINUOUS_TASK)
export type ContinuousTaskRow = RowOf<typeof CONTINUOUS_TASKS>

export const OUTBOX = checkedRows(events.OUTBOX)
export type OutboxRow = RowOf<typeof OUTBOX>

export const TOKEN_SETS = checkedRows(live.PROVIDER_GRANT)
export type TokenSetRow = RowOf<typeof TOKEN_SETS>

/** All columns except the lease columns. */
export const LIVE_CONNECTIONS = checkedRows(live.LIVE_CONNECTION)
export type LiveConnectionRow = RowOf<typeof LIVE_CONNECTIONS>

export const LIVE_RECORDS = checkedRows(live.LIVE_RECORD)
export type LiveRecordRow = RowOf<typeof LIVE_RECORDS>

/** All rows with a checksum, except the blobs of chunks. */
export const CHECKED_ROWS: readonly CheckedRows<object>[] = TABLES.flatMap(table =>
  (table.checksums ?? []).map(({ column = 'checksum' }) =>
    checkedColumns<object, never, never>(table as never, column),
  ),
)
