/** Checks whether a row found in a damaged file can be trusted, and describes rows that cannot be trusted. */

import { resourceNamed } from '../../../catalogue/resources.ts'
import { formatDate, parseDate } from '../../../core/time.ts'
import { parseUrl } from '../../../core/web-host.ts'
import { decodedBlob, faultsOfChunk } from '../../logic/check/chunk.ts'
import { countIn, isDocument, isJson, isStream } from '../../logic/check/documents.ts'
import type { SqlValue } from '../../logic/steps.ts'
import { TABLES } from '../../tables/catalogue.ts'
import { type ColumnDetails, columnDetails } from '../../tables/table.ts'
import { checksumState, hasChecksum } from './checksums.ts'
import type { FoundRow } from './record.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const HASH = /^[\da-f]{64}$/
const JOB = /^[a-z_]+(:[\w.-]+)?$/

/** Returns the reason for not copying the row, or null if the row is intact. */
export function findRowFault(
  table: string,
  row: FoundRow,
  { isDoubtful, needsChecksum }: { readonly isDoubtful: boolean; readonly needsChecksum: boolean },
): string | null {
  const checksum = checksumState(table, row)
  if (needsChecksum && checksum === 'missing' && hasChecksum(table)) return 'its checksum is missing'
  if (checksum === 'differs') return 'it differs from the data that was written'
  if (isDoubtful && checksum === 'missing') return 'part of it is zeros'
  if (!hasIds(table, row)) return 'its user or team id is invalid'
  const rule = RULES[table] ?? (() => true)
  return isSound(each => fitsColumns(table, each) && rule(each), row) ? null : 'its content is invalid'
}

/** Applies a rule to a row, and returns whether the row is intact. If the rule throws, the row is damaged. */
function isSound(rule: (row: FoundRow) => boolean, row: FoundRow): boolean {
  try {
    return rule(row)
  } catch {
    return false
  }
}

function hasIds(table: string, { user_id: userId, team_id: teamId }: FoundRow): boolean {
  // jobs of the store itself have no user, and a response for a team may not concern any user
  const isNobodys = (table === 'job' && userId === '') || (table === 'team_answer' && userId === null)
  if (userId !== undefined && !isUuid(userId) && !isNobodys) return false
  return teamId === undefined || isUuid(teamId)
}

function isUuid(value: SqlValue | undefined): boolean {
  return typeof value === 'string' && UUID.test(value)
}

const text = (value: SqlValue | undefined): string => (typeof value === 'string' ? value : '')
const count = (value: SqlValue | undefined): number => (typeof value === 'number' ? value : -1)
const blob = (value: SqlValue | undefined): Uint8Array | null => (value instanceof Uint8Array ? value : null)

/** Conditions on a table's rows, in addition to the catalogue's rules for the columns. */
const RULES: Readonly<Record<string, (row: FoundRow) => boolean>> = {
  setting: row => /^[a-z_]+$/.test(text(row['name'])),
  directory: row => text(row['client_user_id']) !== '',
  user: row => text(row['client_user_id']) !== '' && count(row['event_sequence']) >= count(row['event_floor'] ?? 0),
  series: row => resourceNamed(text(row['resource'])) !== undefined,
  // the row matches the table, so it has the table's columns
  chunk: row => faultsOfChunk(row as unknown as Parameters<typeof faultsOfChunk>[0]).length === 0,
  summary: row => parseDate(text(row['date'])) !== undefined,
  stream: row => isStream(blob(row['data']) ?? new Uint8Array(), count(row['n'])),
  outbox: row =>
    row['series_id'] === null
      ? isDocument(text(row['document']))
      : decodedBlob(blob(row['data']), count(row['n'])) !== undefined,
  import_before: row => {
    const data = blob(row['data'])
    if (row['kind'] === 'samples') return decodedBlob(data, countIn(data)) !== undefined
    return row['kind'] !== 'stream' || data === null || isStream(data, countIn(data))
  },
  job: row => JOB.test(text(row['kind'])),
  lab_order: row => {
    const { events } = JSON.parse(text(row['document'])) as { events: { status: string }[] }
    return events.at(-1)?.status === row['status']
  },
  endpoint: row => parseUrl(text(row['url'])) !== null,
}

/** Returns whether a row's texts match the catalogue. A row from an older schema may lack columns. */
function fitsColumns(table: string, row: FoundRow): boolean {
  const found = TABLES.find(({ name }) => name === table)
  return Object.entries(found?.columns ?? {}).every(([name, column]) => {
    const value = row[name]
    return typeof value !== 'string' || fitsColumn(columnDetails(column), value)
  })
}

function fitsColumn({ is, oneOf, json }: ColumnDetails, value: string): boolean {
  if (is !== undefined && !(is === 'uuid' ? UUID : HASH).test(value)) return false
  return (oneOf?.includes(value) ?? true) && (json === undefined || isJson(json, value))
}

/** Describes a row, or the rest of its key, without including any value. `resourceOf` returns a series' resource. */
export function describeFoundRow(
  table: string,
  row: FoundRow,
  resourceOf: (userId: string, seriesId: number) => string | undefined,
): string {
  const series = (): string =>
    resourceOf(text(row['user_id']), count(row['series_id'])) ?? `series ${idText(row['series_id'])}`
  switch (table) {
    case 'chunk':
      return `samples of ${series()} on ${dateText(row['chunk_start'])}`
    case 'summary':
      return `${idText(row['kind'])} summary ${idText(row['id'])}${row['date'] === undefined ? '' : ` of ${dayText(row['date'])}`}`
    case 'stream':
      return `the stream of workout ${idText(row['workout_id'])}`
    case 'outbox':
      return `event ${idText(row['sequence'])}`
    case 'lab_order':
      return `order ${idText(row['order_id'])}`
    case 'import':
    case 'import_before':
      return `${table === 'import' ? '' : 'the data replaced by '}import ${idText(row['import_id'])}`
    default:
      return `a row of ${table}`
  }
}

/** Returns a row's user, if it has one. */
export function readUserId(row: FoundRow): string | null {
  return isUuid(row['user_id']) ? text(row['user_id']) : null
}

/** Returns an ID for display. In a damaged row, it may be any value. */
function idText(value: SqlValue | undefined): string {
  if (typeof value === 'number') return `${value}`
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : '(unreadable)'
}

function dayText(value: SqlValue): string {
  return typeof value === 'string' && parseDate(value) !== undefined ? value : '(unreadable)'
}

function dateText(value: SqlValue | undefined): string {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? formatDate(value) : '(unreadable)'
}
