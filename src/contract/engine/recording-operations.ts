/** Operations: recording what comes into the engine, and replaying it. */
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
    summary: 'Show whether what comes in is recorded',
    params: none,
    reply: recording.recordingState,
    errors: [403],
    idempotent: true,
  }),
  'recording.start': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording',
    summary:
      'Begin to record what comes in; the answer is the head of the recording, with the state that it begins with',
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
    summary: 'Read what was recorded since; a recording that nobody reads for a minute is over',
    params: recording.recordingParams,
    body: recording.readRequest,
    reply: recording.recordingLines,
    repliesBytes: recording.RECORDING_MEDIA_TYPE,
    errors: [403, 404],
    // it is asked for again and again, and changes nothing but how long the recording lives
    readsOnly: true,
    takesLong: 'reads',
    idempotent: true,
  }),
  'recording.stop': operation({
    ...common,
    method: 'POST',
    path: '/svc/v1/recording/{recording_id}/stop',
    summary: 'End a recording; once all of it was read, it is removed from the store',
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
    summary: 'Put what a recording led to in the place of an empty store: the same ids, the same bytes',
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
