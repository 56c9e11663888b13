/** The part of the port that keeps continuous queries. */
import { onDatabase, part, read, write, writeAbout } from '../part.ts'
import { dueUsersOf, findQuery, insertQuery, queriesOf, removeQuery } from './queries.ts'
import { beginRun, finishRun, resultRows } from './runs.ts'
import { tasksOf } from './state.ts'

export class ContinuousQueryStore extends part({
  create: write(insertQuery),
  ofTeam: read(queriesOf),
  find: read(findQuery),
  remove: write(removeQuery),
  dueUsers: read(dueUsersOf),
  beginRun: onDatabase(beginRun),
  finishRun: writeAbout(finishRun),
  resultRows: read(resultRows),
  tasks: read(tasksOf),
}) {}
