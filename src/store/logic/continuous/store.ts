/** The part of the store that keeps continuous queries. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { BeginOutcome, ContinuousQuery, ContinuousQueryStore, RunResult } from '../../continuous-query.ts'
import { Part } from '../part.ts'
import { dueUsersOf, findQuery, insertQuery, queriesOf, removeQuery } from './queries.ts'
import { beginRun, finishRun, removeRows, resultRows } from './runs.ts'
import { tasksOf } from './state.ts'

export class StoredContinuousQueries extends Part implements ContinuousQueryStore {
  create(query: ContinuousQuery) {
    return this.db.write(() => insertQuery(query))
  }

  ofTeam(teamId: TeamId) {
    return this.db.read(() => queriesOf(teamId))
  }

  find(teamId: TeamId, idOrSlug: string) {
    return this.db.read(() => findQuery(teamId, idOrSlug))
  }

  remove(teamId: TeamId, queryId: string, at: number) {
    return this.db.write(() => removeQuery(teamId, queryId, at))
  }

  dueUsers(queryId: string, now: number, limit: number) {
    return this.db.read(() => dueUsersOf(queryId, now, limit))
  }

  async beginRun(userId: UserId, queryId: string, now: number): Promise<BeginOutcome> {
    const outcome = await this.writeAbout(userId, () => beginRun(userId, queryId, now))
    if (outcome.kind !== 'gone') return outcome
    await removeRows(this.db, userId, queryId)
    return { kind: 'none' }
  }

  finishRun(userId: UserId, queryId: string, result: RunResult) {
    return this.writeAbout(userId, () => finishRun(userId, queryId, result))
  }

  resultRows(userId: UserId, queryId: string, from: number, to: number) {
    return this.db.read(() => resultRows(userId, queryId, from, to))
  }

  tasks(userId: UserId, queryId: string, before: number, limit: number) {
    return this.db.read(() => tasksOf(userId, queryId, before, limit))
  }
}
