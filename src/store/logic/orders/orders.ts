/** Stores lab orders as rows, one for each order, with its document and report. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { CreationOutcome, OrderCreation, OrderNotice, OrderRecord, TeamLabTest } from '../../order.ts'
import { shownName } from '../../tables/table.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { part, read, writeAbout } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { ORDERS } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { findOwners, ownerRange } from '../users/owners.ts'
import { isActive } from '../users/users.ts'
import { pageOfOrders } from './list.ts'
import { toOrder, toOrderRow } from './row.ts'

interface LabTestRow {
  readonly lab_test_id: string
  readonly created_at: number
  readonly document: string
}

const FIND_ORDER = ORDERS.query('WHERE user_id=? AND order_id=?')
const USERS_BETWEEN = query<{ readonly user_id: UserId }>('SELECT user_id FROM user WHERE user_id>=? AND user_id<?')
const LAB_TEST = 'SELECT lab_test_id, created_at, document FROM team_lab_test WHERE team_id=?'
const FIND_LAB_TEST = query<LabTestRow>(`${LAB_TEST} AND lab_test_id=?`)
const LAB_TESTS_OF_TEAM = query<LabTestRow>(`${LAB_TEST} ORDER BY created_at, lab_test_id`)
const ADD_LAB_TEST = command(
  `INSERT INTO team_lab_test (team_id, lab_test_id, created_at, document) VALUES (?,?,?,?)
   ON CONFLICT (team_id, lab_test_id) DO NOTHING`,
)

export class OrderStore extends part({
  /**
   * Stores a new order with its events, or returns the reason why it was refused. Throws ServiceError `quota_exceeded` if the team would
   * exceed its storage limit.
   */
  create: writeAbout(
    (creation: OrderCreation) => withinQuota(creation.order.userId, () => insertOrder(creation)),
    ({ order }) => order.userId,
  ),
  find: read(findOrder),
  /** Finds an order for the signed URL of a document, which contains no team ID. */
  findAnywhere: read((orderId: string) => findOrder(null, orderId)),
  list: read(pageOfOrders),
  ofUser: read(orderOfUser),
  replace: writeAbout(replaceOrder, ({ userId }: OrderRecord) => userId),
  labTests: read(listLabTests),
  labTest: read(findLabTest),
}) {}

function* insertOrder(creation: OrderCreation): Steps<CreationOutcome> {
  const { order, notices, labTest } = creation
  if (!(yield* isActive(order.teamId, order.userId))) return 'no_user'
  yield* ORDERS.insert(toOrderRow(order))
  if (labTest) yield* insertLabTest(labTest)
  yield* follow(order, notices, order.createdAt)
  return 'created'
}

/**
 * Replaces the order's last revision (`order.rev - 1`), writes the events, and schedules or removes the job for its plan. Returns false and
 * changes nothing if the order was changed in the meantime, or if there are events but the user was deleted.
 */
function* replaceOrder(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): Steps<boolean> {
  // a deleted user's order does not change, except that its plan ends
  if (notices.length > 0 && !(yield* isActive(order.teamId, order.userId))) return false
  const known = yield* one(FIND_ORDER, [order.userId, order.orderId])
  if (known?.rev !== order.rev - 1) return false
  yield* ORDERS.update({ ...toOrderRow(order), team_id: known.team_id, created_at: known.created_at })
  yield* follow(order, notices, at)
  return true
}

/** Handles the side effects of every change: writes the events, and schedules the job for the next step. */
function* follow(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): Steps<void> {
  const { userId, orderId, teamId } = order
  const outbox = yield* OutboxWriter.open(userId, teamId, at)
  for (const { type, document } of notices) yield* outbox.document(type, document)
  yield* outbox.finish()
  const { plan } = order.document
  if (plan) yield* scheduleJob(userId, { kind: 'order', subject: orderId, dueAt: plan.nextAt })
  else yield* dropJob(userId, 'order', orderId)
}

/** Returns an order of an active user in the team, or in any team (null). Returns null if there is no such order. */
function* findOrder(teamId: TeamId | null, orderId: string): Steps<OrderRecord | null> {
  for (const userId of teamId === null ? yield* ownersAnywhere(orderId) : yield* findOwners(teamId, orderId)) {
    const row = yield* one(FIND_ORDER, [userId, orderId])
    if (row && (teamId === null || row.team_id === teamId) && (yield* isActive(row.team_id, userId)))
      return toOrder(row)
  }
  return null
}

/** Finds the users in any team to whom an order ID may belong, because an operator can use an order ID without naming its team. */
function* ownersAnywhere(orderId: string): Steps<UserId[]> {
  return (yield* many(USERS_BETWEEN, ownerRange(orderId))).map(row => row.user_id)
}

/**
 * Returns a user's order, and whether the user is active, because the user may have been deleted. Returns null if there is no such order.
 */
function* orderOfUser(
  userId: UserId,
  orderId: string,
): Steps<{ readonly order: OrderRecord; readonly isActive: boolean } | null> {
  const row = yield* one(FIND_ORDER, [userId, orderId])
  return row ? { order: toOrder(row), isActive: yield* isActive(row.team_id, userId) } : null
}

function* insertLabTest({ teamId, labTestId, createdAt, ...rest }: TeamLabTest): Steps<void> {
  yield* run(ADD_LAB_TEST, [teamId, labTestId, createdAt, JSON.stringify(rest)])
}

/** Returns the lab tests created by the team's orders, oldest first. */
function* listLabTests(teamId: TeamId): Steps<TeamLabTest[]> {
  return (yield* many(LAB_TESTS_OF_TEAM, [teamId])).map(row => toLabTest(teamId, row))
}

/** Returns one of these lab tests by its ID, or null. */
function* findLabTest(teamId: TeamId, labTestId: string): Steps<TeamLabTest | null> {
  const row = yield* one(FIND_LAB_TEST, [teamId, labTestId])
  return row ? toLabTest(teamId, row) : null
}

function toLabTest(teamId: TeamId, row: LabTestRow): TeamLabTest {
  return {
    teamId,
    labTestId: row.lab_test_id,
    createdAt: row.created_at,
    ...storedJson<Omit<TeamLabTest, 'teamId' | 'labTestId' | 'createdAt'>>(row.document, () => ({
      what: `lab test ${shownName(row.lab_test_id)}`,
      userId: null,
    })),
  }
}
