/** The part of the SQLite adapter that keeps source priorities and continuous queries. */
import type { PriorityDataType } from '../../../catalogue/priority-data-types.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { BeginOutcome, ContinuousQuery, ContinuousQueryStore, RunResult } from '../../continuous-query.ts'
import type { PriorityStore, SourcePriority } from '../../priority.ts'
import type { Connection } from '../connection.ts'
import { prioritiesOf, replacePriorities } from '../priorities.ts'
import { dueUsersOf, findQuery, insertQuery, queriesOf, removeQuery } from './queries.ts'
import { beginRun, finishRun, removeRows, resultRows } from './runs.ts'
import { tasksOf } from './state.ts'

export class ContinuousStore implements PriorityStore, ContinuousQueryStore {
  protected readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }

  sourcePriorities(teamId: TeamId) {
    return this.db.read(() => prioritiesOf(this.db, teamId))
  }

  replaceSourcePriorities(
    teamId: TeamId,
    dataTypes: readonly PriorityDataType[],
    rows: readonly SourcePriority[],
    at: number,
  ) {
    return this.db.write(() => replacePriorities(this.db, teamId, dataTypes, rows, at))
  }

  createContinuousQuery(query: ContinuousQuery) {
    return this.db.write(() => insertQuery(this.db, query))
  }

  continuousQueries(teamId: TeamId) {
    return this.db.read(() => queriesOf(this.db, teamId))
  }

  continuousQuery(teamId: TeamId, idOrSlug: string) {
    return this.db.read(() => findQuery(this.db, teamId, idOrSlug))
  }

  deleteContinuousQuery(teamId: TeamId, queryId: string, at: number) {
    return this.db.write(() => removeQuery(this.db, teamId, queryId, at))
  }

  dueUsersOf(queryId: string, now: number, limit: number) {
    return this.db.read(() => dueUsersOf(this.db, queryId, now, limit))
  }

  async beginRun(userId: UserId, queryId: string, now: number): Promise<BeginOutcome> {
    const outcome = await this.db.write(() => beginRun(this.db, userId, queryId, now))
    if (outcome.kind !== 'gone') return outcome
    await removeRows(this.db, userId, queryId)
    return { kind: 'none' }
  }

  finishRun(userId: UserId, queryId: string, result: RunResult) {
    return this.db.write(() => finishRun(this.db, userId, queryId, result))
  }

  resultRows(userId: UserId, queryId: string, from: number, to: number) {
    return this.db.read(() => resultRows(this.db, userId, queryId, from, to))
  }

  tasks(userId: UserId, queryId: string, before: number, limit: number) {
    return this.db.read(() => tasksOf(this.db, userId, queryId, before, limit))
  }
}
