/** Lab orders as rows: one for each order, with its document and its report. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type {
  CreationOutcome,
  OrderCreation,
  OrderFilter,
  OrderNotice,
  OrderRecord,
  OrderStore,
  TeamLabTest,
} from '../../order.ts'
import { named } from '../../tables/table.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { ORDERS } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { ownerRange, ownersOf } from '../users/owners.ts'
import { isActive } from '../users/users.ts'
import { pageOfOrders } from './list.ts'
import { orderOf, rowOf } from './row.ts'

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

/** The part of the store that keeps lab orders. */
export class StoredOrders extends Part implements OrderStore {
  create(creation: OrderCreation) {
    const { userId } = creation.order
    return this.writeAbout(userId, () => withinQuota(userId, () => insertOrder(creation)))
  }

  find(teamId: TeamId, orderId: string) {
    return this.db.read(() => findOrder(orderId, teamId))
  }

  findAnywhere(orderId: string) {
    return this.db.read(() => findOrder(orderId, null))
  }

  list(teamId: TeamId, filter: OrderFilter) {
    return this.db.read(() => pageOfOrders(teamId, filter))
  }

  ofUser(userId: UserId, orderId: string) {
    return this.db.read(() => orderOfUser(userId, orderId))
  }

  replace(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs) {
    return this.writeAbout(order.userId, () => replaceOrder(order, notices, at))
  }

  labTests(teamId: TeamId) {
    return this.db.read(() => labTestsOf(teamId))
  }

  labTest(teamId: TeamId, labTestId: string) {
    return this.db.read(() => findLabTest(teamId, labTestId))
  }
}

function* insertOrder(creation: OrderCreation): Steps<CreationOutcome> {
  const { order, notices, labTest } = creation
  if (!(yield* isActive(order.teamId, order.userId))) return 'no_user'
  yield* ORDERS.insert(rowOf(order))
  if (labTest) yield* insertLabTest(labTest)
  yield* follow(order, notices, order.createdAt)
  return 'created'
}

function* replaceOrder(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): Steps<boolean> {
  // nothing happens to an order of a deleted user, except that its plan ends
  if (notices.length > 0 && !(yield* isActive(order.teamId, order.userId))) return false
  const known = yield* one(FIND_ORDER, [order.userId, order.orderId])
  if (known?.rev !== order.rev - 1) return false
  yield* ORDERS.update({ ...rowOf(order), team_id: known.team_id, created_at: known.created_at })
  yield* follow(order, notices, at)
  return true
}

/** Does what goes with every change: writes its events, and schedules the job for what is still to come. */
function* follow(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): Steps<void> {
  const { userId, orderId, teamId } = order
  const outbox = yield* OutboxWriter.open(userId, teamId, at)
  for (const { type, document } of notices) yield* outbox.document(type, document)
  yield* outbox.finish()
  const { plan } = order.document
  if (plan) yield* scheduleJob(userId, { kind: 'order', subject: orderId, dueAt: plan.nextAt })
  else yield* dropJob(userId, 'order', orderId)
}

function* findOrder(orderId: string, teamId: TeamId | null): Steps<OrderRecord | null> {
  for (const userId of teamId === null ? yield* ownersAnywhere(orderId) : yield* ownersOf(teamId, orderId)) {
    const row = yield* one(FIND_ORDER, [userId, orderId])
    if (row && (teamId === null || row.team_id === teamId) && (yield* isActive(row.team_id, userId)))
      return orderOf(row)
  }
  return null
}

/** An operator may name an order without its team. */
function* ownersAnywhere(orderId: string): Steps<UserId[]> {
  return (yield* many(USERS_BETWEEN, ownerRange(orderId))).map(row => row.user_id)
}

function* orderOfUser(
  userId: UserId,
  orderId: string,
): Steps<{ readonly order: OrderRecord; readonly isActive: boolean } | null> {
  const row = yield* one(FIND_ORDER, [userId, orderId])
  return row ? { order: orderOf(row), isActive: yield* isActive(row.team_id, userId) } : null
}

function* insertLabTest({ teamId, labTestId, createdAt, ...rest }: TeamLabTest): Steps<void> {
  yield* run(ADD_LAB_TEST, [teamId, labTestId, createdAt, JSON.stringify(rest)])
}

function* labTestsOf(teamId: TeamId): Steps<TeamLabTest[]> {
  return (yield* many(LAB_TESTS_OF_TEAM, [teamId])).map(row => labTestOf(teamId, row))
}

function* findLabTest(teamId: TeamId, labTestId: string): Steps<TeamLabTest | null> {
  const row = yield* one(FIND_LAB_TEST, [teamId, labTestId])
  return row ? labTestOf(teamId, row) : null
}

function labTestOf(teamId: TeamId, row: LabTestRow): TeamLabTest {
  return {
    teamId,
    labTestId: row.lab_test_id,
    createdAt: row.created_at,
    ...storedJson<Omit<TeamLabTest, 'teamId' | 'labTestId' | 'createdAt'>>(row.document, () => ({
      what: `lab test ${named(row.lab_test_id)}`,
      userId: null,
    })),
  }
}
