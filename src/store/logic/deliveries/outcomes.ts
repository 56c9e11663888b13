/** Stores the results of attempts as rows: the delivery, its failures, the endpoint's health, and the event that announces the end. */
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { AttemptOutcome, TickResult } from '../../delivery.ts'
import type { DisabledReason } from '../../webhook.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { command, one, query, run, type Steps, send } from '../steps.ts'
import { EPOCH } from '../teams/settings.ts'
import { disableEndpoint } from '../webhooks/disabling.ts'
import { findEndpoint } from '../webhooks/endpoint-row.ts'
import { putExchange } from './exchanges.ts'
import { userSlice } from './slices.ts'

/** How long all attempts must have failed, by the engine's clock, before an endpoint is disabled. */
const FAILING_MS = 5 * DAY_MS

const KEEP_SUCCESS =
  command(`UPDATE delivery SET state='delivered', attempts=attempts+1, round=round+1, leased_by=NULL, last_at=?, last_status=?,
    last_error=NULL, last_ms=? WHERE user_id=? AND sequence=? AND endpoint_id=? AND state<>'delivered'`)
const FIND_DELIVERY = query<LeasedDelivery>(
  'SELECT state, leased_by, attempts, due_at FROM delivery WHERE user_id=? AND sequence=? AND endpoint_id=?',
)
const KEEP_FAILURE =
  command(`UPDATE delivery SET state=?, attempts=?, round=round+?, leased_by=?, due_at=?, last_at=?, last_status=?, last_error=?,
    last_ms=? WHERE user_id=? AND sequence=? AND endpoint_id=?`)
const PUT_FAILED_ATTEMPT =
  command(`INSERT INTO failed_attempt (user_id, sequence, endpoint_id, number, at, status, error, ms) VALUES (?,?,?,?,?,?,?,?)
    ON CONFLICT (user_id, sequence, endpoint_id, number)
    DO UPDATE SET at=excluded.at, status=excluded.status, error=excluded.error, ms=excluded.ms`)
const IS_WELL = command(
  'UPDATE endpoint SET failing_since=NULL WHERE team_id=? AND endpoint_id=? AND failing_since IS NOT NULL',
)
const IS_FAILING = command('UPDATE endpoint SET failing_since=? WHERE team_id=? AND endpoint_id=?')

const HOLDER = query<{ readonly deliverer_id: string; readonly epoch: string | number | null }>(
  `SELECT deliverer_id, (SELECT value FROM setting WHERE name='${EPOCH}') AS epoch FROM delivery_slice WHERE slice=?`,
)

/**
 * Stores one user's outcomes from one process, in the given order. Returns false and stores nothing if the process has lost the slice. An
 * outcome with a void lease is counted as an attempt, but has no other effect unless it is a success.
 */
export function* keepOutcomes(
  epoch: number,
  first: AttemptOutcome,
  outcomes: readonly AttemptOutcome[],
): Steps<boolean> {
  const holder = yield* one(HOLDER, [userSlice(first.userId)])
  if (holder?.deliverer_id !== first.delivererId || Number(holder.epoch) !== epoch) return false
  for (const outcome of outcomes) {
    if (outcome.after.kind === 'delivered') yield* keepSuccess(outcome)
    else yield* keepFailure(outcome)
  }
  return true
}

/** Tracks the health of endpoints based on outcomes, and disables endpoints that have failed for too long or are gone. */
export function* judgeEndpoints(outcomes: readonly AttemptOutcome[]): Steps<TickResult['disabled']> {
  const disabled: TickResult['disabled'][number][] = []
  for (const some of grouped(outcomes, each => each.endpointId)) disabled.push(...(yield* judge(some)))
  return disabled
}

/** Returns the outcomes in groups, each in the original order. */
export function grouped(
  outcomes: readonly AttemptOutcome[],
  nameOf: (outcome: AttemptOutcome) => string,
): AttemptOutcome[][] {
  const groups = new Map<string, AttemptOutcome[]>()
  for (const outcome of outcomes) {
    const name = nameOf(outcome)
    const group = groups.get(name)
    if (group) group.push(outcome)
    else groups.set(name, [outcome])
  }
  return [...groups.values()]
}

function* keepSuccess(outcome: AttemptOutcome): Steps<void> {
  const { userId, sequence, endpointId, attempt } = outcome
  // the endpoint accepted the event, even if the delivery was changed in the meantime
  yield* send(KEEP_SUCCESS, [attempt.at, attempt.status, attempt.ms, userId, sequence, endpointId])
  yield* putExchange(outcome)
}

interface LeasedDelivery {
  readonly state: string
  readonly leased_by: string | null
  readonly attempts: number
  readonly due_at: number
}

function* keepFailure(outcome: AttemptOutcome): Steps<void> {
  const { userId, sequence, endpointId, teamId, delivererId, attempt, after } = outcome
  const delivery = yield* one(FIND_DELIVERY, [userId, sequence, endpointId])
  // the user or the endpoint no longer exists, or another process has succeeded
  if (delivery === undefined || delivery.state === 'delivered') return
  const isOurs = delivery.state === 'waiting' && delivery.leased_by === delivererId
  const number = delivery.attempts + 1
  const state = isOurs && after.kind !== 'again' ? 'dead' : delivery.state
  const dueAt = isOurs && after.kind === 'again' ? after.dueAt : delivery.due_at
  const leasedBy = isOurs ? null : delivery.leased_by
  const { at, status, error, ms } = attempt
  const key = [userId, sequence, endpointId]
  yield* run(KEEP_FAILURE, [state, number, isOurs ? 1 : 0, leasedBy, dueAt, at, status, error, ms, ...key])
  yield* run(PUT_FAILED_ATTEMPT, [...key, number, at, status, error ?? '', ms])
  yield* putExchange(outcome)
  if (!isOurs || after.kind !== 'exhausted' || after.event === null) return
  const outbox = yield* OutboxWriter.open(userId, teamId, at)
  yield* outbox.document('message.attempt.exhausted', after.event, { except: endpointId })
  yield* outbox.finish()
}

function* judge(outcomes: readonly AttemptOutcome[]): Steps<TickResult['disabled']> {
  const [first] = outcomes
  if (!first) return []
  const { teamId, endpointId } = first
  const hasFailed = outcomes.some(({ after }) => after.kind !== 'delivered')
  if (!hasFailed) {
    yield* run(IS_WELL, [teamId, endpointId])
    return []
  }
  const endpoint = yield* findEndpoint(teamId, endpointId)
  if (endpoint === null || endpoint.disabledAt !== null) return []
  let since = endpoint.failingSince
  let reason: DisabledReason | null = null
  let last: EpochMs = 0
  for (const { attempt, after } of outcomes) {
    last = attempt.at
    if (after.kind === 'delivered') since = null
    // a time in the future was recorded before the clock was set back
    else if (since === null || since > attempt.at) since = attempt.at
    else if (attempt.at - since >= FAILING_MS) reason ??= 'failing'
    if (after.kind === 'gone') reason = 'gone'
  }
  if (since === null && reason === 'failing') reason = null
  if (since !== endpoint.failingSince) {
    yield* run(IS_FAILING, [since, teamId, endpointId])
  }
  if (reason === null) return []
  yield* disableEndpoint({ teamId, endpointId }, reason, last)
  return [{ teamId, endpointId, reason }]
}
