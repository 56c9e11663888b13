/** Operations on recordings of everything that comes into the engine, and their replay. */
import * as imports from '../intake/imports.ts'
import { operation } from '../kernel/operation.ts'
import * as recording from './recording.ts'

const common = { reach: 'service', tag: 'Engine' } as const

export const recordingOperations = {
  'recording.get': operation({
    route: 'GET /svc/v1/recording',
    ...common,
    summary: 'Show whether a recording is running',
    reply: recording.recordingState,
  }),
  'recording.start': operation({
    route: 'POST /svc/v1/recording',
    managesAccess: true,
    ...common,
    needs: 'recordings',
    summary: 'Start a recording and return its first lines with the current state',
    reply: recording.recordingLines,
    repliesBytes: recording.RECORDING_MEDIA_TYPE,
    errors: [409],
    takesLong: 'changes',
  }),
  'recording.read': operation({
    route: 'POST /svc/v1/recording/{recording_id}/read',
    ...common,
    needs: 'recordings',
    summary: 'Read new entries of a recording, which ends if nobody reads it for a minute',
    params: recording.recordingParams,
    body: recording.readRequest,
    reply: recording.recordingLines,
    repliesBytes: recording.RECORDING_MEDIA_TYPE,
    errors: [404],
    // clients poll this operation, whose only effect is to extend the recording's lifetime
    readsOnly: true,
    takesLong: 'reads',
    idempotent: true,
  }),
  'recording.stop': operation({
    route: 'POST /svc/v1/recording/{recording_id}/stop',
    ...common,
    needs: 'recordings',
    summary: 'Stop a recording; it is removed once it has been read completely',
    params: recording.recordingParams,
    body: recording.stopRequest,
    reply: recording.recordingStopped,
    errors: [404],
    idempotent: true,
  }),
  'recording.replay': operation({
    route: 'POST /svc/v1/recording/replay',
    managesAccess: true,
    ...common,
    replacesStore: true,
    needs: 'recordings',
    summary: 'Replay a recording into an empty store with the same ids and bytes',
    body: imports.importFile,
    bodyIsBytes: true,
    bodyMediaTypes: [recording.RECORDING_MEDIA_TYPE],
    reply: recording.replayReport,
    errors: [409],
    takesLong: 'changes',
  }),
} as const
