/** Leases deliveries to a process: first attempts a user at a time and in order, those that failed before as they fall due. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ClaimedDelivery, DeliveryGrant, DeliveryWish } from '../../delivery.ts'
import type { Connection } from '../connection.ts'

export interface Claimer {
  readonly delivererId: string
  /** Other processes that live. */
  readonly others: readonly string[]
  readonly now: EpochMs
}

/** Sorts before every id of a user. */
const NO_USER = ''
/** Users that are looked at in one turn beyond those that are wished for: the next turn goes on behind them. */
const MORE_USERS = 100

/** Leases what is wished for; an endpoint that is gone or disabled has nothing. */
export function claim(connection: Connection, claimer: Claimer, wish: DeliveryWish): DeliveryGrant {
  const { endpointId, most } = wish
  if (!isEnabled(connection, wish)) return { endpointId, first: [], again: [], afterUser: NO_USER, isDry: true }
  // neither a backlog of failures nor one of new events takes all
  const half = Math.ceil(most / 2)
  const again = claimAgain(connection, claimer, endpointId, half)
  const hasMoreAgain = again.length === half
  const users = waitingUsers(connection, claimer, wish)
  const { first, isCut } = claimFirst(connection, claimer, wish, users.found, most - again.length)
  const rest = most - again.length - first.length
  if (hasMoreAgain && rest > 0) again.push(...claimAgain(connection, claimer, endpointId, rest))
  return { endpointId, first, again, afterUser: users.last, isDry: users.isAll && !isCut && !hasMoreAgain }
}

function isEnabled(connection: Connection, { teamId, endpointId }: DeliveryWish): boolean {
  const sql = 'SELECT 1 FROM endpoint WHERE team_id=? AND endpoint_id=? AND disabled_at IS NULL'
  return connection.get(sql, teamId, endpointId) !== undefined
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

function claimAgain(connection: Connection, claimer: Claimer, endpointId: string, most: number): ClaimedDelivery[] {
  return connection
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

interface WaitingUsers {
  readonly found: readonly string[]
  /** Where the next look goes on. */
  readonly last: string
  /** Whether every user was looked at. */
  readonly isAll: boolean
}

/** Users with first attempts that nobody has leased, from the one after `afterUser` around to it. */
function waitingUsers(connection: Connection, claimer: Claimer, wish: DeliveryWish): WaitingUsers {
  const found: string[] = []
  const { endpointId, afterUser } = wish
  let last = afterUser
  let isAround = last === NO_USER
  for (let looks = wish.users + MORE_USERS; found.length < wish.users && looks > 0; looks--) {
    const next = connection.get<{ user_id: string }>(
      `SELECT user_id FROM delivery INDEXED BY delivery_first
       WHERE endpoint_id=? AND state='waiting' AND attempts=0 AND user_id>? AND leased_by IS NULL ORDER BY user_id LIMIT 1`,
      endpointId,
      last,
    )?.user_id
    const isEnd = next === undefined || (isAround && afterUser !== NO_USER && next > afterUser)
    if (isEnd && isAround) return { found, last: afterUser, isAll: true }
    if (isEnd) {
      isAround = true
      last = NO_USER
      continue
    }
    last = next as string
    if (!isTaken(connection, claimer, endpointId, last)) found.push(last)
  }
  return { found, last, isAll: false }
}

/** Whether another process has first attempts of the user at the endpoint. */
function isTaken(connection: Connection, { others }: Claimer, endpointId: string, userId: string): boolean {
  const sql = `SELECT 1 FROM delivery INDEXED BY delivery_leased
    WHERE leased_by=? AND endpoint_id=? AND user_id=? AND attempts=0 LIMIT 1`
  return others.some(other => connection.get(sql, other, endpointId, userId) !== undefined)
}

interface FirstClaims {
  readonly first: readonly ClaimedDelivery[]
  /** Whether somebody may have more than there was room for. */
  readonly isCut: boolean
}

/** The same share for every user. */
function claimFirst(
  connection: Connection,
  { delivererId }: Claimer,
  wish: DeliveryWish,
  users: readonly string[],
  most: number,
): FirstClaims {
  const first: ClaimedDelivery[] = []
  let isCut = false
  users.forEach((userId, i) => {
    const share = Math.ceil((most - first.length) / (users.length - i))
    const limit = Math.max(0, Math.min(share, wish.room(userId as UserId)))
    const rows =
      limit === 0
        ? []
        : connection.all<LeasedRow>(
            `${LEASE} (SELECT user_id, sequence, endpoint_id FROM delivery INDEXED BY delivery_first
               WHERE endpoint_id=? AND user_id=? AND state='waiting' AND attempts=0 AND leased_by IS NULL
               ORDER BY sequence LIMIT ?) ${LEASED}`,
            delivererId,
            wish.endpointId,
            userId,
            limit,
          )
    isCut ||= rows.length === limit
    rows.sort((a, b) => a.sequence - b.sequence)
    for (const row of rows) first.push(claimed(row, wish.endpointId))
  })
  return { first, isCut }
}

function claimed(row: LeasedRow, endpointId: string): ClaimedDelivery {
  const { sequence, attempts, round } = row
  return { userId: row.user_id as UserId, sequence, endpointId, attempts, round }
}
