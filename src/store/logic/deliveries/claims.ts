/** Leases deliveries to a process: first attempts in order for each user, and retries as they become due. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryClaim } from '../../delivery.ts'
import { command, exists, many, type Query, query, type Steps, send } from '../steps.ts'
import { IN_SLICES, rangesFrom, toUserRanges, type UserRange } from './slices.ts'

export interface Claimer {
  readonly delivererId: string
  /** The slices whose users' deliveries the process can lease. */
  readonly slices: readonly string[]
  readonly now: EpochMs
}

/** Comes before every user ID in the sort order. */
const NO_USER = ''

/** Leases the requested deliveries. Leases nothing for a removed or disabled endpoint. */
export function* claim(claimer: Claimer, request: ClaimRequest): Steps<DeliveryClaim> {
  const { endpointId, most } = request
  if (claimer.slices.length === 0 || !(yield* isEnabled(request)))
    return { endpointId, first: [], again: [], afterUser: NO_USER, isExhausted: true }
  // retries and first attempts each get at least half of the available leases, so that neither can starve the other
  const half = Math.ceil(most / 2)
  const again = yield* claimAgain(claimer, endpointId, half)
  const hasMoreAgain = again.length === half
  const users = yield* waitingUsers(claimer, request)
  const { first, isCut } = yield* claimFirst(claimer, request, users.found, most - again.length)
  const rest = most - again.length - first.length
  if (hasMoreAgain && rest > 0) again.push(...(yield* claimAgain(claimer, endpointId, rest)))
  return { endpointId, first, again, afterUser: users.last, isExhausted: users.isAll && !isCut && !hasMoreAgain }
}

const ENABLED_ENDPOINT = query('SELECT 1 FROM endpoint WHERE team_id=? AND endpoint_id=? AND disabled_at IS NULL')

function* isEnabled({ teamId, endpointId }: ClaimRequest): Steps<boolean> {
  return yield* exists(ENABLED_ENDPOINT, [teamId, endpointId])
}

interface LeasedRow {
  readonly user_id: string
  readonly sequence: number
  readonly due_at: number
  readonly attempts: number
  readonly round: number
}

const LEASE_AGAIN = query<LeasedRow>(
  dialect => `UPDATE delivery SET leased_by=? WHERE (user_id, sequence, endpoint_id) IN
      (SELECT user_id, sequence, endpoint_id FROM delivery ${dialect.index('delivery_again')}
        WHERE endpoint_id=? AND state='waiting' AND attempts>0 AND due_at<=? AND leased_by IS NULL AND ${IN_SLICES}
        ORDER BY due_at LIMIT ?)
    RETURNING user_id, sequence, due_at, attempts, round`,
)

function* claimAgain(claimer: Claimer, endpointId: string, most: number): Steps<ClaimedDelivery[]> {
  const { delivererId, slices, now } = claimer
  const rows = yield* many(LEASE_AGAIN, [delivererId, endpointId, now, delivererId, slices.at(-1) ?? '', most])
  return rows.sort((a, b) => a.due_at - b.due_at || a.sequence - b.sequence).map(row => claimed(row, endpointId))
}

/** A user's first attempts that are not leased, starting with the earliest. */
interface WaitingRun {
  readonly userId: UserId
  readonly sequences: readonly number[]
  /** Whether there may be more attempts after these. */
  readonly isOpen: boolean
}

interface WaitingUsers {
  readonly found: readonly WaitingRun[]
  /** The user after whom the next scan continues. */
  readonly last: string
  /** Whether all users were scanned. */
  readonly isAll: boolean
}

interface FirstRow {
  readonly user_id: string
  readonly sequence: number
}

/**
 * Builds a query for first attempts. The index contains all required columns and no leased deliveries, so a scan does not read the table.
 */
const firstAttempts = (tail: string): Query<FirstRow> =>
  query(
    dialect => `SELECT user_id, sequence FROM delivery ${dialect.index('delivery_first')}
      WHERE endpoint_id=? AND state='waiting' AND attempts=0 AND leased_by IS NULL AND ${tail}`,
  )
const FIRST_IN_RANGE = firstAttempts('user_id>? AND user_id<=? ORDER BY user_id, sequence LIMIT ?')
const FIRST_OF_USER = firstAttempts('user_id=? ORDER BY sequence LIMIT ?')
/** Minimum number of rows that one statement reads. The rows belong to several users if each has only a few. */
const LEAST_LOOKED_AT = 16

/** Returns users with first attempts that are not leased, starting after `afterUser` and wrapping around. */
function* waitingUsers({ slices }: Claimer, request: ClaimRequest): Steps<WaitingUsers> {
  const found: WaitingRun[] = []
  const { endpointId, afterUser, users, most } = request
  const size = Math.max(LEAST_LOOKED_AT, Math.ceil(most / users) + 1)
  let last = afterUser
  for (const { after, upTo } of rangesFrom(toUserRanges(slices), afterUser)) {
    let from = after
    for (;;) {
      const runs = yield* runsIn(endpointId, { after: from, upTo }, size)
      for (const run of runs.some) {
        if (found.length >= users) return { found, last, isAll: false }
        last = run.userId
        from = last
        found.push(run)
      }
      if (runs.isEnd) break
    }
  }
  return { found, last: afterUser, isAll: true }
}

interface NextRuns {
  readonly some: readonly WaitingRun[]
  /** Whether these are the last users. */
  readonly isEnd: boolean
}

/** Returns the next users and their deliveries in at most `size` rows, but always at least one user if there is one. */
function* runsIn(endpointId: string, { after, upTo }: UserRange, size: number): Steps<NextRuns> {
  const rows = yield* many(FIRST_IN_RANGE, [endpointId, after, upTo, size])
  const isEnd = rows.length < size
  const byUser = new Map<string, number[]>()
  for (const { user_id: userId, sequence } of rows) {
    const sequences = byUser.get(userId)
    if (sequences) sequences.push(sequence)
    else byUser.set(userId, [sequence])
  }
  const some = Array.from(byUser, ([userId, sequences]) => ({ userId: userId as UserId, sequences, isOpen: false }))
  if (isEnd) return { some, isEnd }
  // the rows end within the last of several users, so scan that user again
  if (some.length > 1) return { some: some.slice(0, -1), isEnd }
  return { some: some.map(run => ({ ...run, isOpen: true })), isEnd }
}

interface FirstClaims {
  readonly first: readonly ClaimedDelivery[]
  /** Whether some user may have more deliveries than these. */
  readonly isCut: boolean
}

const LEASE_FIRST = command(
  dialect => `UPDATE delivery ${dialect.index('delivery_first')} SET leased_by=?
    WHERE endpoint_id=? AND user_id=? AND sequence BETWEEN ? AND ? AND state='waiting' AND attempts=0 AND leased_by IS NULL`,
)

/** Leases first attempts, with an equal part for every user. */
function* claimFirst(
  { delivererId }: Claimer,
  { endpointId, mostOfUser, inHand }: ClaimRequest,
  runs: readonly WaitingRun[],
  most: number,
): Steps<FirstClaims> {
  const first: ClaimedDelivery[] = []
  let isCut = false
  for (const [i, { userId, sequences: known, isOpen }] of runs.entries()) {
    const share = Math.ceil((most - first.length) / (runs.length - i))
    const limit = Math.max(0, Math.min(share, mostOfUser - (inHand.get(userId) ?? 0)))
    const isShort = isOpen && known.length < limit
    const all = isShort ? yield* listSequences(endpointId, userId, limit) : known
    const sequences = all.slice(0, limit)
    isCut ||= sequences.length === limit
    const [firstOne, lastOne] = [sequences[0], sequences.at(-1)]
    if (firstOne === undefined || lastOne === undefined) continue
    yield* send(LEASE_FIRST, [delivererId, endpointId, userId, firstOne, lastOne])
    // a delivery that was resent before its first attempt starts at the beginning of the schedule, like any other
    for (const sequence of sequences) first.push({ userId, sequence, endpointId, attempts: 0, round: 0 })
  }
  return { first, isCut }
}

function* listSequences(endpointId: string, userId: UserId, limit: number): Steps<number[]> {
  return (yield* many(FIRST_OF_USER, [endpointId, userId, limit])).map(({ sequence }) => sequence)
}

function claimed(row: LeasedRow, endpointId: string): ClaimedDelivery {
  const { sequence, attempts, round } = row
  return { userId: row.user_id as UserId, sequence, endpointId, attempts, round }
}
