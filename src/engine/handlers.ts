/** Maps every operation to its handler. The type makes sure that none is missing. */
import type { OperationId } from '../contract/operations.ts'
import { listQueryColumns } from './aggregate/columns.ts'
import { aggregateDownload, aggregateExplain, aggregateQuery } from './aggregate.ts'
import { listAudit } from './audit/list.ts'
import { disconnectProvider, failConnection, userProviders } from './connections/connections.ts'
import { listProviders } from './connections/providers.ts'
import { refreshUser } from './connections/refresh.ts'
import { createSignInAddress } from './console/sign-in-token.ts'
import type { Handler } from './context.ts'
import {
  createContinuousQuery,
  deleteContinuousQuery,
  getContinuousQuery,
  listContinuousQueries,
} from './continuous/queries.ts'
import { resultTable, taskHistory } from './continuous/reads.ts'
import { listAttempts } from './deliveries/attempts.ts'
import { resendEvent, resendEvents } from './deliveries/resend.ts'
import { listDeprecations } from './deprecations.ts'
import { getEvent, listEvents } from './events/listing.ts'
import { getEventType, listEventTypes } from './events/types.ts'
import { createImport, listImports, undoImport } from './intake/imports.ts'
import { pushSamples } from './intake/pushes.ts'
import { listLabAccounts } from './labs/accounts.ts'
import { getMarkerByCode, listLabs, listLabTestMarkers, listMarkers, listOrderSetMarkers } from './labs/markers.ts'
import { getLabTest, listLabTests, listLabTestsLegacy } from './labs/tests.ts'
import { linkDemo } from './links/demo.ts'
import { completeMfa, completeMfaForUser, linkEmail, linkPassword } from './links/links.ts'
import { linkOAuth, oauthConsent } from './links/oauth.ts'
import { linkProviders } from './links/providers.ts'
import { createLinkToken } from './links/tokens.ts'
import { oauthCallback } from './live/linking/callback.ts'
import { rawAnswers } from './live/pulling/raw-answers.ts'
import { listSetups, setupProvider } from './live/setups/setups.ts'
import { teardownProvider } from './live/setups/teardown.ts'
import { liveStatus } from './live/status.ts'
import { cancelOrder } from './orders/cancel.ts'
import { createOrder } from './orders/create.ts'
import { downloadRequisition, downloadRequisitionForm, downloadResult } from './orders/documents.ts'
import { getOrder, listOrders } from './orders/read.ts'
import { getOrderResult, getResultMetadata } from './orders/results.ts'
import { listNextStates, simulateOrder } from './orders/simulate.ts'
import { listPriorities, replacePriorities } from './priorities.ts'
import { downloadTimeseries } from './readings/download.ts'
import { sleepStream, workoutStream } from './readings/streams.ts'
import { getSummary } from './readings/summaries.ts'
import { groupedTimeseries } from './readings/timeseries.ts'
import { deleteTimeseries } from './readings/timeseries-delete.ts'
import { listResources } from './readings/timeseries-resources.ts'
import { getRecording, readRecording, startRecording, stopRecording } from './recordings/recording.ts'
import { replayRecording } from './recordings/replay.ts'
import { seedEngine } from './seeding/seed.ts'
import { createKey, listKeys, revokeKey } from './teams/api-keys.ts'
import { createTeam, listTeams, updateTeam, whoami } from './teams/teams.ts'
import { triggerEvent } from './triggers/trigger.ts'
import { getClock, setClock } from './upkeep/clock.ts'
import { addFault, clearFaults, listFaults } from './upkeep/faults.ts'
import { listJobs } from './upkeep/job-list.ts'
import { runDue } from './upkeep/jobs.ts'
import { resetEngine } from './upkeep/reset.ts'
import { deleteSnapshot, listSnapshots, makeSnapshot, restoreSnapshot, saveSnapshot } from './upkeep/snapshot.ts'
import { checkEngine, engineStatus } from './upkeep/status.ts'
import { getDevice, listDevices } from './users/devices.ts'
import { exportUser } from './users/export.ts'
import { getUserInfo, setUserInfo } from './users/info.ts'
import { addInsurance, latestInsurance } from './users/insurance.ts'
import { introspectHistoricalPulls, introspectResources } from './users/introspection.ts'
import { patchUser } from './users/patch.ts'
import { searchUsers, teamMetrics, userNames } from './users/search.ts'
import { createSignInToken } from './users/sign-in-token.ts'
import { createUser, deleteUser, getUser, listUsers, resolveUser, undoDeleteUser } from './users/users.ts'
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from './webhooks/endpoints.ts'
import { testEndpoint } from './webhooks/test.ts'

export const handlers: { readonly [K in OperationId]: Handler<K> } = {
  'user.create': createUser,
  'user.list': listUsers,
  'user.get': getUser,
  'user.resolve': resolveUser,
  'user.delete': deleteUser,
  'user.undo_delete': undoDeleteUser,
  'user.patch': patchUser,
  'user.search': searchUsers,
  'user.names': userNames,
  'user.metrics': teamMetrics,
  'user.refresh': refreshUser,
  'user.sign_in_token': createSignInToken,
  'user.info': getUserInfo,
  'user.set_info': setUserInfo,
  'user.insurance': latestInsurance,
  'user.add_insurance': addInsurance,
  'user.devices': listDevices,
  'user.device': getDevice,
  'introspect.resources': introspectResources,
  'introspect.historical_pulls': introspectHistoricalPulls,
  'user.providers': userProviders,
  'user.disconnect': disconnectProvider,
  'provider.fail': failConnection,
  'provider.list': listProviders,
  'provider.setup': setupProvider,
  'provider.setups': listSetups,
  'provider.teardown': teardownProvider,
  'provider.raw_answers': rawAnswers,
  'provider.status': liveStatus,
  'link.token': createLinkToken,
  'link.password': linkPassword,
  'link.email': linkEmail,
  'link.oauth': linkOAuth,
  'link.oauth_consent': oauthConsent,
  'link.oauth_callback': oauthCallback,
  'link.providers': linkProviders,
  'link.demo': linkDemo,
  'link.complete_mfa': completeMfa,
  'link.complete_mfa_for_user': completeMfaForUser,
  'timeseries.grouped': groupedTimeseries,
  'timeseries.resources': listResources,
  'timeseries.download': downloadTimeseries,
  'timeseries.workout_stream': workoutStream,
  'timeseries.sleep_stream': sleepStream,
  'summary.get': getSummary,
  'aggregate.query': aggregateQuery,
  'aggregate.download': aggregateDownload,
  'aggregate.explain': aggregateExplain,
  'aggregate.columns': listQueryColumns,
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
  'labs.order_set_markers': listOrderSetMarkers,
  'labs.test_markers': listLabTestMarkers,
  'labs.marker_by_code': getMarkerByCode,
  'labs.tests': listLabTests,
  'labs.tests_legacy': listLabTestsLegacy,
  'labs.test': getLabTest,
  'labs.accounts': listLabAccounts,
  'order.create': createOrder,
  'order.list': listOrders,
  'order.get': getOrder,
  'order.cancel': cancelOrder,
  'order.simulate': simulateOrder,
  'order.next_states': listNextStates,
  'order.result': getOrderResult,
  'order.result_metadata': getResultMetadata,
  'order.result_pdf': downloadResult,
  'order.requisition_pdf': downloadRequisition,
  'order.requisition_form': downloadRequisitionForm,
  'import.create': createImport,
  'import.list': listImports,
  'import.undo': undoImport,
  'samples.push': pushSamples,
  'timeseries.delete': deleteTimeseries,
  'user.export': exportUser,
  'event.list': listEvents,
  'event.get': getEvent,
  'event.attempts': listAttempts,
  'event.types': listEventTypes,
  'event.type': getEventType,
  'clock.get': getClock,
  'clock.set': setClock,
  'engine.seed': seedEngine,
  'event.trigger': triggerEvent,
  'engine.status': engineStatus,
  'engine.check': checkEngine,
  'engine.run_due': runDue,
  'job.list': listJobs,
  'engine.snapshot': makeSnapshot,
  'snapshot.save': saveSnapshot,
  'snapshot.list': listSnapshots,
  'snapshot.restore': restoreSnapshot,
  'snapshot.delete': deleteSnapshot,
  'engine.reset': resetEngine,
  'recording.get': getRecording,
  'recording.start': startRecording,
  'recording.read': readRecording,
  'recording.stop': stopRecording,
  'recording.replay': replayRecording,
  'fault.add': addFault,
  'fault.list': listFaults,
  'fault.clear': clearFaults,
  'team.whoami': whoami,
  'team.create': createTeam,
  'team.list': listTeams,
  'team.update': updateTeam,
  'console.sign_in_token': createSignInAddress,
  'key.create': createKey,
  'key.list': listKeys,
  'key.revoke': revokeKey,
  'audit.list': listAudit,
  'deprecation.list': listDeprecations,
  'event.resend': resendEvent,
  'events.resend': resendEvents,
  'webhook.create': createEndpoint,
  'webhook.list': listEndpoints,
  'webhook.get': getEndpoint,
  'webhook.update': updateEndpoint,
  'webhook.disable': disableEndpoint,
  'webhook.enable': enableEndpoint,
  'webhook.delete': deleteEndpoint,
  'webhook.rotate_secret': rotateSecret,
  'webhook.test': testEndpoint,
}
