/** Operations: recordings of everything that comes into the engine, and their replay. */
import * as imports from '../intake/imports.ts'
import { operation } from '../kernel/operation.ts'
import { none } from '../kernel/primitives.ts'
import * as recording from './recording.ts'

const common = {
  auth: 'api_key',
  audience: 'operator',
  reach: 'service',
  tag: 'Engine',
  source: '',
  query: none,
} as const

export const recordingOperations = {
  'recording.get': operation({
    ...common,
    method: 'GET',
    path: '/svc/v1/recording',
    summary: 'Show whether a recording is running',
    params: none,
    reply: recording.recordingState,
    errors: [403],
    idempotent: true,
  }),
  'recording.start': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording',
    summary: 'Start a recording and return its first lines with the current state',
    params: none,
    reply: recording.recordingLines,
    repliesBytes: recording.RECORDING_MEDIA_TYPE,
    errors: [403, 409],
    takesLong: 'changes',
    idempotent: false,
  }),
  'recording.read': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording/{recording_id}/read',
    summary: 'Read new entries of a recording; it ends if nobody reads it for a minute',
    params: recording.recordingParams,
    body: recording.readRequest,
    reply: recording.recordingLines,
    repliesBytes: recording.RECORDING_MEDIA_TYPE,
    errors: [403, 404],
    // clients poll it, and it changes nothing except how long the recording lives
    readsOnly: true,
    takesLong: 'reads',
    idempotent: true,
  }),
  'recording.stop': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording/{recording_id}/stop',
    summary: 'Stop a recording; it is removed once it has been read completely',
    params: recording.recordingParams,
    body: recording.stopRequest,
    reply: recording.recordingStopped,
    errors: [403, 404],
    idempotent: true,
  }),
  'recording.replay': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording/replay',
    replacesStore: true,
    summary: 'Replay a recording into an empty store with the same ids and bytes',
    params: none,
    body: imports.importFile,
    bodyIsBytes: true,
    bodyMediaTypes: [recording.RECORDING_MEDIA_TYPE],
    reply: recording.replayReport,
    errors: [403, 409],
    takesLong: 'changes',
    idempotent: false,
  }),
} as const
