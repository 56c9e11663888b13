/** Schemas of recordings: requests, responses, and the lines of a recording file. See docs/testing-your-app.md. */
import * as z from 'zod'
import { component, dateTime, lowerUuid, userId, wholeNumber } from '../kernel/primitives.ts'

/** A recording's media type. The content is lines of JSON, which have their own type because they contain health data. */
export const RECORDING_MEDIA_TYPE = 'application/vnd.svc.recording'
/** Version of the line format; newer versions are refused. */
export const RECORDING_FORM = 1

/** Never returned as one JSON document. */
export const recordingLines = () => z.never()

export const recordingParams = () => z.object({ recording_id: lowerUuid() })

const read = () =>
  wholeNumber(0, Number.MAX_SAFE_INTEGER).meta({ description: 'Number of the last entry read; 0 if none was read' })

export const readRequest = () => z.strictObject({ after: read() }).meta({ id: 'RecordingRead' })
export const stopRequest = () => z.strictObject({ read: read() }).meta({ id: 'RecordingStop' })

export const recordingState = () =>
  component('RecordingState', {
    recording_id: z.string().nullable().meta({ description: 'Id of the running recording; null if none is running' }),
    entries: z.int().meta({ description: 'Number of changes in the recording so far' }),
  })

export const recordingStopped = () =>
  component('RecordingStopped', {
    recording_id: z.string(),
    entries: z.int(),
    at: dateTime().meta({ description: "Time on the engine's clock" }),
    done: z.boolean().meta({
      description: 'Whether everything was read and the recording was removed; if false, read the rest and stop again',
    }),
  })

/** The result of a replay. */
export const replayReport = () =>
  component('ReplayReport', {
    recording_id: z.string(),
    entries: z.int(),
    calls: z.int().meta({ description: 'Number of calls that were replayed' }),
    due_work: z.int().meta({ description: 'Number of jobs that were replayed' }),
    users: z.int().meta({ description: 'Number of active users after the replay' }),
    clock: dateTime().meta({ description: 'Time at which the clock is now frozen, which is the end of the recording' }),
    complete: z.boolean().meta({ description: 'Whether the recording has its last line' }),
  })

const fields = () => z.record(z.string(), z.unknown())
const number = () => z.int().min(1)
const moment = () => ({ number: number(), real: z.number(), chance: z.string().min(1) })

/** The first line: the recorded parts, and the size of the initial state. */
export const headLine = () =>
  z.object({
    svc_recording: z.number(),
    recording_id: z.string(),
    seed: z.string(),
    after: z.int().min(0),
    base_bytes: z.int().min(1),
  })

/** Any line after the first. */
export const recordingLine = () =>
  z.union([
    z.object({ base: z.string() }),
    z.object({
      ...moment(),
      operation: z.string(),
      team_id: z.string().nullable(),
      link_token: z.string().optional(),
      params: fields(),
      query: fields().optional(),
      headers: fields().optional(),
      body: z.unknown().optional(),
      pieces: z.int().min(0).optional(),
    }),
    z.object({
      ...moment(),
      now: z.number(),
      due: z.object({
        kind: z.string(),
        user_id: userId(),
        subject: z.string().optional(),
        due_at: z.number(),
      }),
    }),
    z.object({
      number: number(),
      real: z.number(),
      event: z.object({
        user_id: userId(),
        team_id: z.string(),
        type: z.string(),
        at: z.number(),
        document: fields(),
      }),
    }),
    z.object({ number: number(), teams: z.array(fields()) }),
    z.object({ number: number(), of: number(), outcome: z.string() }),
    z.object({ number: number(), upload: z.string() }),
    z.object({ end: z.object({ at: z.string(), entries: z.int() }) }),
  ])

export type HeadLine = z.output<ReturnType<typeof headLine>>
