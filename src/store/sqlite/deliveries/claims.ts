/** Leases deliveries to a process: first attempts user by user and in order, those that failed before as they fall due. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryClaim } from '../../delivery.ts'
import type { Connection } from '../connection.ts'

export interface Claimer {
  readonly delivererId: string
  /** Other processes that are alive. */
  readonly others: readonly string[]
  readonly now: EpochMs
}

/** Sorts before every user id. */
const NO_USER = ''
/** Number of users that one turn looks at beyond those requested. The next turn continues after them. */
const MORE_USERS = 100

/** Leases what was requested. An endpoint that is gone or disabled has nothing to lease. */
export function claim(db: Connection, claimer: Claimer, request: ClaimRequest): DeliveryClaim {
  const { endpointId, most } = request
  if (!isEnabled(db, request)) return { endpointId, first: [], again: [], afterUser: NO_USER, isExhausted: true }
  // neither a backlog of failures nor one of new events takes everything
  const half = Math.ceil(most / 2)
  const again = claimAgain(db, claimer, endpointId, half)
  const hasMoreAgain = again.length === half
  const users = waitingUsers(db, claimer, request)
  const { first, isCut } = claimFirst(db, claimer, request, users.found, most - again.length)
  const rest = most - again.length - first.length
  if (hasMoreAgain && rest > 0) again.push(...claimAgain(db, claimer, endpointId, rest))
  return { endpointId, first, again, afterUser: users.last, isExhausted: users.isAll && !isCut && !hasMoreAgain }
}

function isEnabled(db: Connection, { teamId, endpointId }: ClaimRequest): boolean {
  const sql = 'SELECT 1 FROM endpoint WHERE team_id=? AND endpoint_id=? AND disabled_at IS NULL'
  return db.get(sql, teamId, endpointId) !== undefined
}

interface LeasedRow {
  readonly user_id: string
  readonly sequence: number
  readonly due_at: number
  readonly attempts: number
  readonly round: number
}

const LEASE = 'UPDATE delivery SET leased_by=? WHERE (user_id, sequence, endpoint_id) IN'
const LEASED = 'RETURNING user_id, sequence, due_at, attempts, round'

function claimAgain(db: Connection, claimer: Claimer, endpointId: string, most: number): ClaimedDelivery[] {
  return db
    .all<LeasedRow>(
      `${LEASE} (SELECT user_id, sequence, endpoint_id FROM delivery INDEXED BY delivery_again
         WHERE endpoint_id=? AND state='waiting' AND attempts>0 AND due_at<=? AND leased_by IS NULL
         ORDER BY due_at LIMIT ?) ${LEASED}`,
      claimer.delivererId,
      endpointId,
      claimer.now,
      most,
    )
    .sort((a, b) => a.due_at - b.due_at || a.sequence - b.sequence)
    .map(row => claimed(row, endpointId))
}

/** First attempts of a user that nobody has leased, starting with the earliest. */
interface WaitingRun {
  readonly userId: UserId
  readonly sequences: readonly number[]
  /** Whether there may be more after them. */
  readonly isOpen: boolean
}

interface WaitingUsers {
  readonly found: readonly WaitingRun[]
  /** The user after which the next look continues. */
  readonly last: string
  /** Whether all users were looked at. */
  readonly isAll: boolean
}

interface FirstRow {
  readonly user_id: string
  readonly sequence: number
}

/** The index holds all that is needed, and no leased deliveries: a walk touches no row of the table. */
const FIRST = `SELECT user_id, sequence FROM delivery INDEXED BY delivery_first
  WHERE endpoint_id=? AND state='waiting' AND attempts=0 AND leased_by IS NULL`
/** Minimum number of rows that one statement reads: several users if each has few. */
const LEAST_LOOKED_AT = 16

/** Returns the users with first attempts that nobody has leased, starting after `afterUser` and wrapping around to it. */
function waitingUsers(db: Connection, claimer: Claimer, request: ClaimRequest): WaitingUsers {
  const found: WaitingRun[] = []
  const { endpointId, afterUser, users, most } = request
  const size = Math.max(LEAST_LOOKED_AT, Math.ceil(most / users) + 1)
  let last = afterUser
  let isAround = last === NO_USER
  let looks = users + MORE_USERS
  for (;;) {
    const runs = runsAfter(db, endpointId, last, size)
    for (const run of runs.some) {
      if (isAround && afterUser !== NO_USER && run.userId > afterUser) return { found, last: afterUser, isAll: true }
      if (found.length >= users || looks-- <= 0) return { found, last, isAll: false }
      last = run.userId
      if (!isTaken(db, claimer, endpointId, last)) found.push(run)
    }
    if (!runs.isEnd) continue
    if (isAround) return { found, last: afterUser, isAll: true }
    isAround = true
    last = NO_USER
  }
}

/** Returns the next users and what they have, in at most `size` rows; at least one user if there is one. */
function runsAfter(db: Connection, endpointId: string, after: string, size: number) {
  const rows = db.all<FirstRow>(`${FIRST} AND user_id>? ORDER BY user_id, sequence LIMIT ?`, endpointId, after, size)
  const isEnd = rows.length < size
  const byUser = new Map<string, number[]>()
  for (const { user_id: userId, sequence } of rows) {
    const sequences = byUser.get(userId)
    if (sequences) sequences.push(sequence)
    else byUser.set(userId, [sequence])
  }
  const some = Array.from(byUser, ([userId, sequences]) => ({ userId: userId as UserId, sequences, isOpen: false }))
  if (isEnd) return { some, isEnd }
  // the rows ended somewhere within the last of several users, who is looked at again
  if (some.length > 1) return { some: some.slice(0, -1), isEnd }
  return { some: some.map(run => ({ ...run, isOpen: true })), isEnd }
}

/** Returns whether another process has leased first attempts of the user at the endpoint. */
function isTaken(db: Connection, { others }: Claimer, endpointId: string, userId: string): boolean {
  const sql = `SELECT 1 FROM delivery INDEXED BY delivery_leased
    WHERE leased_by=? AND endpoint_id=? AND user_id=? AND attempts=0 LIMIT 1`
  return others.some(other => db.get(sql, other, endpointId, userId) !== undefined)
}

interface FirstClaims {
  readonly first: readonly ClaimedDelivery[]
  /** Whether some user may have more than there was room for. */
  readonly isCut: boolean
}

/** Leases first attempts, with the same share for every user. */
function claimFirst(
  db: Connection,
  { delivererId }: Claimer,
  { endpointId, room }: ClaimRequest,
  runs: readonly WaitingRun[],
  most: number,
): FirstClaims {
  const first: ClaimedDelivery[] = []
  let isCut = false
  runs.forEach((run, i) => {
    const share = Math.ceil((most - first.length) / (runs.length - i))
    const limit = Math.max(0, Math.min(share, room(run.userId)))
    const isShort = run.isOpen && run.sequences.length < limit
    const all = isShort ? sequencesOf(db, endpointId, run.userId, limit) : run.sequences
    const sequences = all.slice(0, limit)
    isCut ||= sequences.length === limit
    const [firstOne, lastOne] = [sequences[0], sequences.at(-1)]
    if (firstOne === undefined || lastOne === undefined) return
    db.run(
      `UPDATE delivery INDEXED BY delivery_first SET leased_by=?
       WHERE endpoint_id=? AND user_id=? AND sequence BETWEEN ? AND ? AND state='waiting' AND attempts=0 AND leased_by IS NULL`,
      delivererId,
      endpointId,
      run.userId,
      firstOne,
      lastOne,
    )
    // a delivery that was sent again without ever having been attempted begins at the start of the schedule, like any other
    for (const sequence of sequences) first.push({ userId: run.userId, sequence, endpointId, attempts: 0, round: 0 })
  })
  return { first, isCut }
}

function sequencesOf(db: Connection, endpointId: string, userId: UserId, limit: number): number[] {
  return db
    .all<FirstRow>(`${FIRST} AND user_id=? ORDER BY sequence LIMIT ?`, endpointId, userId, limit)
    .map(({ sequence }) => sequence)
}

function claimed(row: LeasedRow, endpointId: string): ClaimedDelivery {
  const { sequence, attempts, round } = row
  return { userId: row.user_id as UserId, sequence, endpointId, attempts, round }
}
