/** Converts between a team and its row. */
import type { MixedKinds } from '../../../catalogue/kinds.ts'
import type { TeamId } from '../../../core/ids.ts'
import { DEFAULT_TEAM_SETTINGS, type TeamRecord } from '../../team.ts'
import { one, query, type Steps } from '../steps.ts'

export interface TeamRow {
  readonly team_id: string
  readonly name: string
  readonly created_on: number
  readonly reject_duplicate_connection: number
  readonly user_limit: number | null
  readonly user_info_beta: number
  readonly aggregate_beta: number
  readonly compatibility_date: string | null
  readonly event_days: number | null
  readonly max_bytes: number | null
  readonly max_requests_per_second: number | null
  readonly max_in_flight: number | null
  readonly merges: number
  readonly mixed_kinds: string | null
  readonly keep_import_days: number | null
}

const NAMES = [
  'team_id',
  'name',
  'created_on',
  'reject_duplicate_connection',
  'user_limit',
  'user_info_beta',
  'aggregate_beta',
  'compatibility_date',
  'event_days',
  'max_bytes',
  'max_requests_per_second',
  'max_in_flight',
  'merges',
  'mixed_kinds',
  'keep_import_days',
]
export const TEAM_COLUMNS = NAMES.join(', ')
/** The same columns, for queries on several tables. */
export const TEAM_COLUMNS_NAMED = NAMES.map(name => `team.${name}`).join(', ')

const FIND_TEAM = query<TeamRow>(`SELECT ${TEAM_COLUMNS} FROM team WHERE team_id=?`)

export function* findTeam(teamId: TeamId): Steps<TeamRecord | null> {
  const row = yield* one(FIND_TEAM, [teamId])
  return row ? fromRow(row) : null
}

export function fromRow(row: TeamRow): TeamRecord {
  return {
    teamId: row.team_id as TeamId,
    name: row.name,
    createdOn: row.created_on,
    rejectDuplicateConnection: row.reject_duplicate_connection === 1,
    userLimit: row.user_limit,
    maxBytes: row.max_bytes,
    maxRequestsPerSecond: row.max_requests_per_second,
    maxInFlight: row.max_in_flight,
    betas: { user_info: row.user_info_beta === 1, aggregate: row.aggregate_beta === 1 },
    compatibilityDate: row.compatibility_date,
    eventDays: row.event_days ?? DEFAULT_TEAM_SETTINGS.eventDays,
    queryDefaults: {
      merges: row.merges === 1,
      mixedKinds: (row.mixed_kinds as MixedKinds | null) ?? DEFAULT_TEAM_SETTINGS.queryDefaults.mixedKinds,
    },
    keepImportDays: row.keep_import_days,
  }
}
