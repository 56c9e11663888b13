/** Stores teams' source priorities as rows. */
import { PRIORITY_DATA_TYPES, type PriorityDataType } from '../../../catalogue/priority-data-types.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { SourcePriority } from '../../priority.ts'
import { listTeamQueries, touchEverybody } from '../continuous/queries.ts'
import { part, read, write } from '../part.ts'
import { command, many, query, run, type Steps } from '../steps.ts'

interface PriorityRow {
  readonly data_type: PriorityDataType
  readonly provider: string
  readonly source_type: string
  readonly priority: number
}

const PRIORITIES = query<PriorityRow>(
  `SELECT data_type, provider, source_type, priority FROM source_priority
   WHERE team_id=? ORDER BY priority DESC, provider, source_type`,
)
const DROP_PRIORITIES = command('DELETE FROM source_priority WHERE team_id=? AND data_type=?')
const ADD_PRIORITY = command(
  'INSERT INTO source_priority (team_id, data_type, provider, source_type, priority) VALUES (?,?,?,?,?)',
)

export class PriorityStore extends part({
  ofTeam: read(listPriorities),
  replace: write(replacePriorities),
}) {}

/**
 * Returns all of the team's rows, sorted by data type in catalogue order, then by number, largest first, then by provider and source type.
 */
function* listPriorities(teamId: TeamId): Steps<SourcePriority[]> {
  return (yield* many(PRIORITIES, [teamId]))
    .map(row => ({
      dataType: row.data_type,
      provider: row.provider,
      sourceType: row.source_type === '' ? null : row.source_type,
      priority: row.priority,
    }))
    .sort((a, b) => PRIORITY_DATA_TYPES.indexOf(a.dataType) - PRIORITY_DATA_TYPES.indexOf(b.dataType))
}

/**
 * Replaces all rows for the given data types. If this changes anything, every continuous query that depends on one of the data types
 * becomes due for all users.
 */
function* replacePriorities(
  teamId: TeamId,
  dataTypes: readonly PriorityDataType[],
  rows: readonly SourcePriority[],
  at: EpochMs,
): Steps<void> {
  const before = yield* listPriorities(teamId)
  for (const dataType of dataTypes) {
    yield* run(DROP_PRIORITIES, [teamId, dataType])
  }
  for (const row of rows) {
    yield* run(ADD_PRIORITY, [teamId, row.dataType, row.provider, row.sourceType ?? '', row.priority])
  }
  const after = yield* listPriorities(teamId)
  const of = (all: readonly SourcePriority[], dataType: string): string =>
    JSON.stringify(all.filter(each => each.dataType === dataType))
  const changed = dataTypes.filter(each => of(before, each) !== of(after, each)).map(each => `priority/${each}`)
  const followers = (yield* listTeamQueries(teamId)).filter(query => query.reads.some(read => changed.includes(read)))
  yield* touchEverybody(teamId, followers, at)
}
