/** Implements the part of the port that stores continuous queries. */
import { onDatabase, part, read, write, writeAbout } from '../part.ts'
import { findQuery, insertQuery, listDueUsers, listTeamQueries, removeQuery, renameQuery } from './queries.ts'
import { beginRun, finishRun, resultRows } from './runs.ts'
import { listRuns } from './state.ts'

export class ContinuousQueryStore extends part({
  create: write(insertQuery),
  ofTeam: read(listTeamQueries),
  find: read(findQuery),
  rename: write(renameQuery),
  remove: write(removeQuery),
  dueUsers: read(listDueUsers),
  beginRun: onDatabase(beginRun),
  finishRun: writeAbout(finishRun),
  resultRows: read(resultRows),
  tasks: read(listRuns),
}) {}
