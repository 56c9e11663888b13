/** Records calls. During a recording, each call's changes are stored together with its input. */
import type { ByteSource, Operation, Reply } from '../../contract/kernel/operation.ts'
import type { RawInput } from '../../contract/kernel/validation.ts'
import type { OperationId } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { EpochMs } from '../../core/time.ts'
import { type AuditedCall, replyOutcome } from '../audit/audit.ts'
import type { Caller, EngineContext } from '../context.ts'
import { recordedChange } from './recorded-change.ts'
import { inputLine, keptUpload } from './recorded-input.ts'
import { isRecorded, RECORDED_AS_TEAMS } from './recorded-operations.ts'

/** A call that changes something. */
export interface RecordableCall extends AuditedCall {
  readonly id: OperationId
  readonly operation: Operation
  /** The real time that corresponds to `now`. */
  readonly real: EpochMs
  readonly signal: () => AbortSignal | undefined
}

/** Runs a call. `step` receives the engine and the input to use, both of which are unchanged if there is no recording. */
export async function recordedCall(
  engine: EngineContext,
  call: RecordableCall,
  step: (engine: EngineContext, input: RawInput) => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  const recording = isRecorded(call.id) ? await engine.store.recordings.state(call.real) : null
  if (recording === null) return step(engine, call.input)
  const { id, operation, input, caller, now, real, signal } = call
  const isUpload = operation.bodyIsBytes === true && typeof input.body === 'object' && input.body !== null
  // the body of an operation with `bodyIsBytes` is a ByteSource
  const upload = isUpload ? await keptUpload(input.body as ByteSource, engine.scratchDir, signal()) : null
  const withTeams = RECORDED_AS_TEAMS.has(id)
  const change = recordedChange(engine, recording.recordingId, {
    now,
    real,
    // for a new team, record only its rows, because the call's random bytes are an API key's secret
    line: withTeams ? { chance: undefined } : { operation: id, ...callerLine(caller), ...inputLine(operation, input) },
    upload: upload?.path ?? null,
    withTeams,
  })
  try {
    const reply = await step(change.engine, upload ? { ...input, body: { kind: 'file', path: upload.path } } : input)
    const outcome = replyOutcome(reply)
    if (outcome !== 'ok') await change.ended(outcome)
    return reply
  } catch (error) {
    // the caller's response does not depend on this
    await change.ended(error instanceof ServiceError ? error.code : 'bug').catch(() => {})
    throw error
  } finally {
    await upload?.remove()
  }
}

/** Returns the caller: the team if it was identified by a key, and the link token, which the recording's randomness reproduces. */
function callerLine({ team, linkToken }: Caller): Readonly<Record<string, unknown>> {
  return { team_id: team?.teamId ?? null, ...(linkToken === null ? {} : { link_token: linkToken }) }
}
