/** Whether a row that was found in a damaged file can be trusted, and how it is named if not. */

import { resourceNamed } from '../../../catalogue/resources.ts'
import { SUMMARY_KINDS } from '../../../core/sample.ts'
import { formatDate, parseDate } from '../../../core/time.ts'
import { parseUrl } from '../../../core/web-host.ts'
import { TASK_STATUSES } from '../../continuous-query.ts'
import { decodedBlob, faultsOfChunk } from '../../logic/check/chunk.ts'
import { countIn, isDocument, isStream } from '../../logic/check/documents.ts'
import type { SqlValue } from '../../logic/steps.ts'
import { hasChecksum, isAsWritten } from './checksums.ts'
import type { FoundRow } from './record.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const HASH = /^[\da-f]{64}$/
const JOB = /^[a-z_]+(:[\w.-]+)?$/

/** Returns why the row is left out, or null if it is sound. */
export function faultOf(
  table: string,
  row: FoundRow,
  { isDoubtful, needsChecksum }: { readonly isDoubtful: boolean; readonly needsChecksum: boolean },
): string | null {
  const isSealed = isAsWritten(table, row)
  if (needsChecksum && isSealed === null && hasChecksum(table)) return 'its checksum is missing'
  if (isSealed === false) return 'it differs from what was written'
  if (isDoubtful && isSealed === null) return 'part of it is zeros'
  if (!hasIds(table, row)) return 'its user or team id is invalid'
  const rule = RULES[table]
  return rule === undefined || isSound(rule, row) ? null : 'its content is invalid'
}

/** Applies a rule to a row. A rule that throws has found that the row is damaged. */
function isSound(rule: (row: FoundRow) => boolean, row: FoundRow): boolean {
  try {
    return rule(row)
  } catch {
    return false
  }
}

function hasIds(table: string, { user_id: userId, team_id: teamId }: FoundRow): boolean {
  // jobs of the store itself have no user, and an answer to a team may be about no user
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
const isHash = (value: SqlValue | undefined): boolean => HASH.test(text(value))
const hasDocument = ({ document }: FoundRow): boolean => isDocument(text(document))

/** What must hold for the rows of a table by themselves. */
const RULES: Readonly<Record<string, (row: FoundRow) => boolean>> = {
  setting: row => /^[a-z_]+$/.test(text(row['name'])),
  api_key: row => isUuid(row['key_id']) && isHash(row['hash']),
  directory: row => text(row['client_user_id']) !== '',
  user: row => text(row['client_user_id']) !== '' && count(row['event_sequence']) >= count(row['event_floor'] ?? 0),
  link_token: row => isHash(row['hash']) && isDocument(text(row['options'])),
  series: row => resourceNamed(text(row['resource'])) !== undefined,
  // the row fits the table, so it has the table's columns
  chunk: row => faultsOfChunk(row as unknown as Parameters<typeof faultsOfChunk>[0]).length === 0,
  summary: row =>
    SUMMARY_KINDS.some(kind => kind === row['kind']) && parseDate(text(row['date'])) !== undefined && hasDocument(row),
  stream: row => isStream(blob(row['data']) ?? new Uint8Array(), count(row['n'])),
  outbox: row =>
    row['series_id'] === null ? hasDocument(row) : decodedBlob(blob(row['data']), count(row['n'])) !== undefined,
  import: row => isDocument(text(row['report'])),
  import_before: row => {
    const data = blob(row['data'])
    if (row['document'] !== null && !hasDocument(row)) return false
    if (row['kind'] === 'samples') return decodedBlob(data, countIn(data)) !== undefined
    return row['kind'] !== 'stream' || data === null || isStream(data, countIn(data))
  },
  job: row => JOB.test(text(row['kind'])),
  tombstone: row => isHash(row['client_user_hash']),
  continuous_query: hasDocumentIn('definition'),
  continuous_row: row => Array.isArray(JSON.parse(text(row['key']))) && Array.isArray(JSON.parse(text(row['cells']))),
  continuous_task: row => TASK_STATUSES.some(status => status === row['status']),
  user_info: hasDocument,
  insurance: hasDocument,
  user_rate: hasDocumentIn('times'),
  lab_order: row => {
    const { events } = JSON.parse(text(row['document'])) as { events: { status: string }[] }
    return events.at(-1)?.status === row['status'] && (row['result'] === null || isDocument(text(row['result'])))
  },
  team_lab_test: hasDocument,
  audit: row => isDocument(text(row['object'])),
  endpoint: row => parseUrl(text(row['url'])) !== null && Array.isArray(JSON.parse(text(row['event_types']))),
  provider_setup: hasDocument,
  provider_budget: hasDocumentIn('taken'),
  person_budget: hasDocumentIn('taken'),
  provider_grant: row => ['active', 'revoking', 'moved'].includes(text(row['state'])),
  live_connection: row => ['progress', 'announced', 'subscriptions'].every(name => isDocument(text(row[name]))),
  live_record: hasDocumentIn('brought'),
  delivery: row => ['waiting', 'delivered', 'dead', 'cancelled'].includes(text(row['state'])),
}

function hasDocumentIn(column: string): (row: FoundRow) => boolean {
  return row => isDocument(text(row[column]))
}

/** Names a row, or what is left of its key, without using a value. `resourceOf` knows the series. */
export function placeOf(
  table: string,
  row: FoundRow,
  resourceOf: (userId: string, seriesId: number) => string | undefined,
): string {
  const series = (): string =>
    resourceOf(text(row['user_id']), count(row['series_id'])) ?? `series ${idOf(row['series_id'])}`
  switch (table) {
    case 'chunk':
      return `samples of ${series()} on ${dateOf(row['chunk_start'])}`
    case 'summary':
      return `${idOf(row['kind'])} summary ${idOf(row['id'])}${row['date'] === undefined ? '' : ` of ${dayOf(row['date'])}`}`
    case 'stream':
      return `the stream of workout ${idOf(row['workout_id'])}`
    case 'outbox':
      return `event ${idOf(row['sequence'])}`
    case 'lab_order':
      return `order ${idOf(row['order_id'])}`
    case 'import':
    case 'import_before':
      return `${table === 'import' ? '' : 'what was there before '}import ${idOf(row['import_id'])}`
    default:
      return `a row of ${table}`
  }
}

/** Returns the user of a row, if it names one. */
export function userOf(row: FoundRow): string | null {
  return isUuid(row['user_id']) ? text(row['user_id']) : null
}

/** Returns an id for display: in a damaged row it may be anything. */
function idOf(value: SqlValue | undefined): string {
  if (typeof value === 'number') return `${value}`
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : '(unreadable)'
}

function dayOf(value: SqlValue): string {
  return typeof value === 'string' && parseDate(value) !== undefined ? value : '(unreadable)'
}

function dateOf(value: SqlValue | undefined): string {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? formatDate(value) : '(unreadable)'
}
