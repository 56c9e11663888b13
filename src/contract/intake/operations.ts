/** Operations: imports, sample pushes, sample deletion, and exports. */

import { operation } from '../kernel/operation.ts'
import * as timeseries from '../readings/timeseries.ts'
import * as userExport from '../users/user-export.ts'
import * as imports from './imports.ts'
import * as remap from './remap.ts'
import * as samples from './samples.ts'

export const dataOperations = {
  'import.create': operation({
    route: 'POST /svc/v1/users/{user_id}/imports',
    tag: 'Imports',
    summary: "Import a provider's export file",
    params: imports.importParams,
    query: imports.importQuery,
    body: imports.importFile,
    bodyIsBytes: true,
    reply: imports.importReport,
    errors: [404],
    takesLong: 'changes',
  }),
  'imports.create': operation({
    route: 'POST /svc/v1/imports',
    tag: 'Imports',
    summary: 'Import a table of several users, each under their client user ID',
    query: imports.peopleImportQuery,
    body: imports.importFile,
    bodyIsBytes: true,
    reply: imports.peopleImportReport,
    takesLong: 'changes',
  }),
  'import.list': operation({
    route: 'GET /svc/v1/imports',
    hasNoHealthData: true,
    tag: 'Imports',
    summary: 'List imports, newest first',
    query: imports.importListQuery,
    reply: imports.importList,
    errors: [404],
  }),
  'import.undo': operation({
    route: 'POST /svc/v1/imports/{import_id}/undo',
    tag: 'Imports',
    summary: 'Undo an import and restore what it replaced',
    params: imports.importIdParams,
    reply: imports.undoReport,
    errors: [404, 409],
    takesLong: 'changes',
  }),
  'import.remap': operation({
    route: 'POST /svc/v1/imports/remap',
    tag: 'Imports',
    summary: "Read kept import files again with today's importers",
    query: remap.remapQuery,
    body: remap.importRemapBody,
    reply: remap.remapReport,
    errors: [404, 409],
    takesLong: 'changes',
  }),
  'samples.push': operation({
    route: 'POST /svc/v1/users/{user_id}/samples',
    tag: 'Samples',
    summary: 'Store samples, summaries and workout streams; store all of them or none',
    params: samples.samplesParams,
    body: samples.samplesBody,
    bodyIsBytes: true,
    bodyIsHeld: true,
    bodyMediaTypes: samples.SAMPLES_MEDIA_TYPES,
    reply: samples.samplesReport,
    errors: [404, 413],
    // a stream can be read only once, so the request cannot be repeated
  }),
  'timeseries.delete': operation({
    route: 'DELETE /svc/v1/users/{user_id}/timeseries/{resource}',
    tag: 'Samples',
    summary: 'Delete the samples in a time range',
    params: timeseries.timeseriesParams,
    query: samples.deleteSamplesQuery,
    reply: samples.deletedSamples,
    errors: [404],
    takesLong: 'changes',
    idempotent: true,
  }),
  'user.export': operation({
    route: 'GET /svc/v1/users/{user_id}/export',
    tag: 'Users',
    summary: 'Export everything about a user, one item per line',
    params: userExport.userExportParams,
    reply: userExport.userExportReply,
    repliesBytes: userExport.USER_EXPORT_MEDIA_TYPE,
    errors: [404],
    takesLong: 'reads',
  }),
} as const
