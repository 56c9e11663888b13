/** The handler of every operation: complete, because the type asks for it. */
import type { OperationId } from '../contract/operations.ts'
import { aggregateExplain, aggregateQuery } from './aggregate.ts'
import { getClock, setClock } from './clock.ts'
import type { Handler } from './context.ts'
import {
  createContinuousQuery,
  deleteContinuousQuery,
  getContinuousQuery,
  listContinuousQueries,
} from './continuous/queries.ts'
import { resultTable, taskHistory } from './continuous/reads.ts'
import { createImport, listImports, undoImport } from './imports.ts'
import { runDue } from './jobs.ts'
import { listLabs, listMarkers } from './labs.ts'
import { createLinkToken } from './link-tokens.ts'
import { completeMfa, completeMfaForUser, linkPassword } from './links.ts'
import { listPriorities, replacePriorities } from './priorities.ts'
import { listProviders, userProviders } from './providers.ts'
import { pushSamples } from './samples.ts'
import { checkEngine, engineStatus } from './status.ts'
import { sleepStream, workoutStream } from './streams.ts'
import { getSummary } from './summaries.ts'
import { whoami } from './teams.ts'
import { groupedTimeseries } from './timeseries.ts'
import { deleteTimeseries } from './timeseries-delete.ts'
import { exportUser } from './user-export.ts'
import { createUser, deleteUser, getUser, listUsers, resolveUser, undoDeleteUser } from './users.ts'

export const handlers: { readonly [K in OperationId]: Handler<K> } = {
  'user.create': createUser,
  'user.list': listUsers,
  'user.get': getUser,
  'user.resolve': resolveUser,
  'user.delete': deleteUser,
  'user.undo_delete': undoDeleteUser,
  'user.providers': userProviders,
  'provider.list': listProviders,
  'link.token': createLinkToken,
  'link.password': linkPassword,
  'link.complete_mfa': completeMfa,
  'link.complete_mfa_for_user': completeMfaForUser,
  'timeseries.grouped': groupedTimeseries,
  'timeseries.workout_stream': workoutStream,
  'timeseries.sleep_stream': sleepStream,
  'summary.get': getSummary,
  'aggregate.query': aggregateQuery,
  'aggregate.explain': aggregateExplain,
  'aggregate.result_table': resultTable,
  'aggregate.task_history': taskHistory,
  'continuous_query.create': createContinuousQuery,
  'continuous_query.list': listContinuousQueries,
  'continuous_query.get': getContinuousQuery,
  'continuous_query.delete': deleteContinuousQuery,
  'source_priority.list': listPriorities,
  'source_priority.replace': replacePriorities,
  'labs.list': listLabs,
  'labs.markers': listMarkers,
  'import.create': createImport,
  'import.list': listImports,
  'import.undo': undoImport,
  'samples.push': pushSamples,
  'timeseries.delete': deleteTimeseries,
  'user.export': exportUser,
  'clock.get': getClock,
  'clock.set': setClock,
  'engine.status': engineStatus,
  'engine.check': checkEngine,
  'engine.run_due': runDue,
  'team.whoami': whoami,
}
