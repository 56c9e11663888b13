/** The part of the SQLite adapter that keeps continuous queries. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { BeginOutcome, ContinuousQuery, ContinuousQueryStore, RunResult } from '../../continuous-query.ts'
import { Part } from '../part.ts'
import { dueUsersOf, findQuery, insertQuery, queriesOf, removeQuery } from './queries.ts'
import { beginRun, finishRun, removeRows, resultRows } from './runs.ts'
import { tasksOf } from './state.ts'

export class SqliteContinuousQueries extends Part implements ContinuousQueryStore {
  create(query: ContinuousQuery) {
    return this.db.write(() => insertQuery(this.db, query))
  }

  ofTeam(teamId: TeamId) {
    return this.db.read(() => queriesOf(this.db, teamId))
  }

  find(teamId: TeamId, idOrSlug: string) {
    return this.db.read(() => findQuery(this.db, teamId, idOrSlug))
  }

  remove(teamId: TeamId, queryId: string, at: number) {
    return this.db.write(() => removeQuery(this.db, teamId, queryId, at))
  }

  dueUsers(queryId: string, now: number, limit: number) {
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
