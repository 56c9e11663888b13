/** Handles waiting deliveries: pending work, counts, and the effects of deletions and clock changes. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import {
  type Backlog,
  type DeliveryFigures,
  type DeliveryLook,
  type EndpointBacklog,
  SLICE_COUNT,
} from '../../delivery.ts'
import { command, exists, one, type Query, query, run, type Steps } from '../steps.ts'
import { WAITING_KINDS } from '../webhooks/disabling.ts'
import { enabledEndpoints } from '../webhooks/endpoint-row.ts'
import { deliverers } from './leases.ts'
import { countSlices, IN_SLICES, listSlices, toUserRanges } from './slices.ts'

interface Count {
  readonly n: number
}

const countQuery = (condition: string): Query<Count> => query(`SELECT count(*) AS n FROM delivery WHERE ${condition}`)
const COUNT_WAITING = WAITING_KINDS.map(kind => countQuery(`state='waiting' AND ${kind}`))
const COUNT_LEASED = countQuery('leased_by IS NOT NULL')
const COUNT_ELSEWHERE = countQuery('leased_by IS NOT NULL AND leased_by<>?')
const COUNT_DEAD = countQuery("state='dead'")
const firstQuery = (users: string): Query<unknown> =>
  query(
    dialect => `SELECT 1 FROM delivery ${dialect.index('delivery_first')}
      WHERE endpoint_id=? AND state='waiting' AND attempts=0 AND leased_by IS NULL${users} LIMIT 1`,
  )
const FIRST_OF_ENDPOINT = firstQuery('')
const FIRST_IN_RANGE = firstQuery(' AND user_id>? AND user_id<=?')
const nextAgain = (users: string): Query<{ readonly due_at: EpochMs }> =>
  query(
    dialect => `SELECT due_at FROM delivery ${dialect.index('delivery_again')}
      WHERE endpoint_id=? AND state='waiting' AND attempts>0 AND leased_by IS NULL${users} ORDER BY due_at LIMIT 1`,
  )
const NEXT_AGAIN = nextAgain('')
const NEXT_AGAIN_IN_SLICES = nextAgain(` AND ${IN_SLICES}`)
const NOTHING: Backlog = { hasFirst: false, againAt: null }
const CANCEL_DELIVERIES = command(
  `UPDATE delivery SET state='cancelled', leased_by=NULL WHERE user_id=? AND state='waiting'`,
)
const HASTEN_DELIVERIES = command(
  `UPDATE delivery SET due_at=? WHERE state='waiting' AND attempts>0 AND due_at>? AND last_at>?`,
)

/** Returns the pending work for a process that delivers. */
export function* lookAt(delivererId: string): Steps<DeliveryLook> {
  const endpoints: EndpointBacklog[] = []
  const { own, taken } = yield* countSlices(delivererId)
  const slices = own === SLICE_COUNT ? null : yield* listSlices(delivererId)
  for (const endpoint of yield* enabledEndpoints()) {
    const hasFirst = yield* exists(FIRST_OF_ENDPOINT, [endpoint.endpointId])
    const againAt = (yield* one(NEXT_AGAIN, [endpoint.endpointId]))?.due_at ?? null
    const all = { hasFirst, againAt }
    const ours = slices === null ? all : yield* backlogIn(slices, { delivererId, endpointId: endpoint.endpointId, all })
    endpoints.push({ endpoint, ...all, ours })
  }
  const leasedElsewhere = yield* count(COUNT_ELSEWHERE, [delivererId])
  const known = yield* deliverers()
  const others = known.filter(each => each.deliverer_id !== delivererId)
  return {
    endpoints,
    leasedElsewhere,
    othersUntil: others.map(each => each.alive_until),
    isKnown: others.length < known.length,
    slices: { own, free: SLICE_COUNT - taken },
  }
}

interface EndpointView {
  readonly delivererId: string
  readonly endpointId: string
  readonly all: Backlog
}

/** Returns the part of a backlog for users in the process's slices. */
function* backlogIn(slices: readonly string[], { delivererId, endpointId, all }: EndpointView): Steps<Backlog> {
  const last = slices.at(-1)
  if (last === undefined) return NOTHING
  let hasFirst = false
  if (all.hasFirst) {
    for (const { after, upTo } of toUserRanges(slices)) {
      hasFirst = yield* exists(FIRST_IN_RANGE, [endpointId, after, upTo])
      if (hasFirst) break
    }
  }
  const next = all.againAt === null ? undefined : yield* one(NEXT_AGAIN_IN_SLICES, [endpointId, delivererId, last])
  return { hasFirst, againAt: next?.due_at ?? null }
}

export function* deliveryFigures(): Steps<DeliveryFigures> {
  let waiting = 0
  for (const statement of COUNT_WAITING) waiting += yield* count(statement)
  return { waiting, leased: yield* count(COUNT_LEASED), dead: yield* count(COUNT_DEAD) }
}

function* count(statement: Query<Count>, values: readonly string[] = []): Steps<number> {
  return (yield* one(statement, values))?.n ?? 0
}

/** Cancels a deleted user's waiting deliveries, because nothing is sent after a deletion. */
export function* cancelDeliveries(userId: UserId): Steps<void> {
  yield* run(CANCEL_DELIVERIES, [userId])
}

/** Makes deliveries due now that failed at a time in the future, because the clock was set back. */
export function* hastenDeliveries(now: EpochMs): Steps<void> {
  yield* run(HASTEN_DELIVERIES, [now, now, now])
}
