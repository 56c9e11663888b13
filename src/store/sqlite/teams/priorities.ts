/** Source priorities of teams as rows. */
import { PRIORITY_DATA_TYPES, type PriorityDataType } from '../../../catalogue/priority-data-types.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { PriorityStore, SourcePriority } from '../../priority.ts'
import type { Connection } from '../connection.ts'
import { queriesOf, touchEverybody } from '../continuous/queries.ts'
import { Part } from '../part.ts'

interface PriorityRow {
  readonly data_type: PriorityDataType
  readonly provider: string
  readonly source_type: string
  readonly priority: number
}

/** The part of the SQLite adapter that keeps source priorities. */
export class SqlitePriorities extends Part implements PriorityStore {
  ofTeam(teamId: TeamId) {
    return this.db.read(() => prioritiesOf(this.db, teamId))
  }

  replace(teamId: TeamId, dataTypes: readonly PriorityDataType[], rows: readonly SourcePriority[], at: EpochMs) {
    return this.db.write(() => replacePriorities(this.db, teamId, dataTypes, rows, at))
  }
}

/** Returns priorities by data type in the catalogue's order, then largest number first, then by provider and source type. */
function prioritiesOf(db: Connection, teamId: TeamId): SourcePriority[] {
  return db
    .all<PriorityRow>(
      `SELECT data_type, provider, source_type, priority FROM source_priority
       WHERE team_id=? ORDER BY priority DESC, provider, source_type`,
      teamId,
    )
    .map(row => ({
      dataType: row.data_type,
      provider: row.provider,
      sourceType: row.source_type === '' ? null : row.source_type,
      priority: row.priority,
    }))
    .sort((a, b) => PRIORITY_DATA_TYPES.indexOf(a.dataType) - PRIORITY_DATA_TYPES.indexOf(b.dataType))
}

function replacePriorities(
  db: Connection,
  teamId: TeamId,
  dataTypes: readonly PriorityDataType[],
  rows: readonly SourcePriority[],
  at: EpochMs,
): void {
  const before = prioritiesOf(db, teamId)
  for (const dataType of dataTypes) {
    db.run('DELETE FROM source_priority WHERE team_id=? AND data_type=?', teamId, dataType)
  }
  for (const row of rows) {
    db.run(
      'INSERT INTO source_priority (team_id, data_type, provider, source_type, priority) VALUES (?,?,?,?,?)',
      teamId,
      row.dataType,
      row.provider,
      row.sourceType ?? '',
      row.priority,
    )
  }
  const after = prioritiesOf(db, teamId)
  const of = (all: readonly SourcePriority[], dataType: string): string =>
    JSON.stringify(all.filter(each => each.dataType === dataType))
  const changed = dataTypes.filter(each => of(before, each) !== of(after, each)).map(each => `priority/${each}`)
  const followers = queriesOf(db, teamId).filter(query => query.reads.some(read => changed.includes(read)))
  touchEverybody(db, teamId, followers, at)
}
