/** Moves lab orders through their states, either immediately or when their planned steps are due. See docs/interface/orders.md#orders-7. */
import { lowStatus, REPORTED_STATUSES } from '../../catalogue/labs/order-statuses.ts'
import type { UserId } from '../../core/ids.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import type { OrderNotice, OrderRecord } from '../../store/order.ts'
import type { EngineContext } from '../context.ts'
import { testMarkers } from '../labs/views.ts'
import { type ReportFlags, reportOn } from './report.ts'
import { movedTo, type Ordered, orderedBy } from './state.ts'
import { orderSampleId, orderView } from './view.ts'

export const ORDER_CREATED = 'labtest.order.created'
const ORDER_UPDATED = 'labtest.order.updated'
const RESULT_CRITICAL = 'labtest.result.critical'
/** Number of due orders that are read at a time. */
const JOBS_AT_ONCE = 100

export interface Moved {
  readonly record: OrderRecord
  readonly notices: readonly OrderNotice[]
}

/** Moves an order to its next state. Adds the lab's report in that state and the events for it. */
export function move(
  engine: EngineContext,
  record: OrderRecord,
  ordered: Ordered,
  {
    status,
    at,
    flags,
    now,
  }: { readonly status: string; readonly at: EpochMs; readonly flags: ReportFlags; readonly now: EpochMs },
): Moved {
  const low = lowStatus(status)
  const moved = movedTo(record, status, at)
  if (!REPORTED_STATUSES.includes(low)) return { record: moved, notices: [updated(engine, moved, ordered, now)] }
  const markers = testMarkers(ordered.labTest, ordered.markers)
  const report = reportOn(moved, markers, { seed: engine.seed, flags, low, at })
  const reported: OrderRecord = {
    ...moved,
    result: { ...report },
    document: {
      ...moved.document,
      interpretation: report.interpretation,
      hasMissingResults: report.missing.length > 0,
    },
  }
  const critical = report.interpretation === 'critical' ? [criticalNotice(reported)] : []
  return { record: reported, notices: [updated(engine, reported, ordered, now), ...critical] }
}

/** Moves an order through several states, one after another, each at its own time. */
export function moveAlong(
  engine: EngineContext,
  record: OrderRecord,
  ordered: Ordered,
  {
    steps,
    flags,
    now,
  }: {
    readonly steps: readonly { readonly status: string; readonly at: EpochMs }[]
    readonly flags: ReportFlags
    readonly now: EpochMs
  },
): Moved {
  let moved: Moved = { record, notices: [] }
  for (const { status, at } of steps) {
    const next = move(engine, moved.record, ordered, { status, at, flags, now })
    moved = { record: next.record, notices: [...moved.notices, ...next.notices] }
  }
  return moved
}

/**
 * Runs the due steps of an order's plan. Returns whether there were any. If several processes try, only one of them runs the steps. The
 * plan ends if the user was deleted.
 */
export async function advanceOrder(
  engine: EngineContext,
  userId: UserId,
  orderId: string,
  now: EpochMs,
): Promise<boolean> {
  for (;;) {
    const found = await engine.store.orders.ofUser(userId, orderId)
    const plan = found?.order.document.plan
    if (!found || !plan || plan.nextAt > now) return false
    const { order, isActive } = found
    const due = isActive ? dueSteps(plan, now) : []
    const statuses = isActive ? plan.statuses.slice(due.length) : []
    const { record, notices } = moveAlong(engine, order, await orderedBy(engine, order), {
      steps: due,
      flags: plan.flags,
      now,
    })
    const rest = statuses.length === 0 ? null : { ...plan, statuses, nextAt: plan.nextAt + due.length * plan.delayMs }
    const next = { ...record, rev: order.rev + 1, document: { ...record.document, plan: rest } }
    if (await engine.store.orders.replace(next, notices, now)) return true
  }
}

/** Returns the due states, each with its time. */
function dueSteps(
  plan: NonNullable<OrderRecord['document']['plan']>,
  now: EpochMs,
): { readonly status: string; readonly at: EpochMs }[] {
  return plan.statuses
    .map((status, i) => ({ status, at: plan.nextAt + i * plan.delayMs }))
    .filter(step => step.at <= now)
}

/** Runs the due steps of all users' orders, so that lists never show an outdated state. */
export async function advanceDueOrders(engine: EngineContext, now: EpochMs): Promise<void> {
  const tried = new Set<string>()
  for (;;) {
    const jobs = await engine.store.jobs.due(now, null, JOBS_AT_ONCE + tried.size, 'order')
    const fresh = jobs.filter(({ subject = '' }) => !tried.has(subject))
    if (fresh.length === 0) return
    for (const { userId, subject = '' } of fresh) {
      tried.add(subject)
      if (userId !== null) await advanceOrder(engine, userId, subject, now)
    }
  }
}

function updated(engine: EngineContext, record: OrderRecord, ordered: Ordered, now: EpochMs): OrderNotice {
  return { type: ORDER_UPDATED, document: { ...orderView(engine, record, ordered, now) } }
}

/** Builds a notice without the value, because the recipient must read the result. See docs/interface/orders.md#orders-8. */
function criticalNotice(record: OrderRecord): OrderNotice {
  return {
    type: RESULT_CRITICAL,
    document: {
      order_id: record.orderId,
      sample_id: orderSampleId(record),
      status: record.status,
      interpretation: 'critical',
      team_id: record.teamId,
      user_id: record.userId,
      created_at: formatInstant(record.createdAt),
      updated_at: formatInstant(record.updatedAt),
    },
  }
}
