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
import { named } from '../checksums/checked-rows.ts'
import { storedJson } from '../checksums/damage.ts'
import { ORDERS } from '../checksums/more-tables.ts'
import type { Connection } from '../connection.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { Part } from '../part.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { isActive } from '../users/users.ts'
import { pageOfOrders } from './list.ts'
import { orderOf, rowOf } from './row.ts'

/** The part of the SQLite adapter that keeps lab orders. */
export class SqliteOrders extends Part implements OrderStore {
  create(creation: OrderCreation) {
    return this.db.write(() => withinQuota(this.db, creation.order.userId, () => insertOrder(this.db, creation)))
  }

  find(teamId: TeamId, orderId: string) {
    return this.db.read(() => findOrder(this.db, orderId, teamId))
  }

  findAnywhere(orderId: string) {
    return this.db.read(() => findOrder(this.db, orderId, null))
  }

  list(teamId: TeamId, filter: OrderFilter) {
    return this.db.read(() => pageOfOrders(this.db, teamId, filter))
  }

  ofUser(userId: UserId, orderId: string) {
    return this.db.read(() => {
      const row = ORDERS.get(this.db, 'WHERE user_id=? AND order_id=?', userId, orderId)
      return row ? { order: orderOf(row), isActive: isActive(this.db, row.team_id, userId) } : null
    })
  }

  replace(order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs) {
    return this.db.write(() => replaceOrder(this.db, order, notices, at))
  }

  labTests(teamId: TeamId) {
    return this.db.read(() => labTestsOf(this.db, teamId))
  }

  labTest(teamId: TeamId, labTestId: string) {
    return this.db.read(() => findLabTest(this.db, teamId, labTestId))
  }
}

function insertOrder(db: Connection, creation: OrderCreation): CreationOutcome {
  const { order, notices, labTest } = creation
  if (!isActive(db, order.teamId, order.userId)) return 'no_user'
  ORDERS.insert(db, rowOf(order))
  if (labTest) insertLabTest(db, labTest)
  follow(db, order, notices, order.createdAt)
  return 'created'
}

function replaceOrder(db: Connection, order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): boolean {
  // nothing happens to an order of a deleted user, except that its plan ends
  if (notices.length > 0 && !isActive(db, order.teamId, order.userId)) return false
  const known = ORDERS.get(db, 'WHERE user_id=? AND order_id=?', order.userId, order.orderId)
  if (known?.rev !== order.rev - 1) return false
  ORDERS.update(db, { ...rowOf(order), team_id: known.team_id, created_at: known.created_at })
  follow(db, order, notices, at)
  return true
}

/** Does what goes with every change: writes its events, and schedules the job for what is still to come. */
function follow(db: Connection, order: OrderRecord, notices: readonly OrderNotice[], at: EpochMs): void {
  const { userId, orderId, teamId } = order
  const outbox = new OutboxWriter(db, userId, teamId, at)
  for (const { type, document } of notices) outbox.document(type, document)
  outbox.finish()
  const { plan } = order.document
  if (plan) scheduleJob(db, userId, { kind: 'order', subject: orderId, dueAt: plan.nextAt })
  else dropJob(db, userId, 'order', orderId)
}

/** The six bytes of a user id that begin an order id are twelve digits and the first dash of both. */
const OWNER_CHARACTERS = 13

function findOrder(db: Connection, orderId: string, teamId: TeamId | null): OrderRecord | null {
  const owner = orderId.slice(0, OWNER_CHARACTERS)
  const owners = db.all<{ user_id: string }>(
    'SELECT user_id FROM user WHERE user_id>=? AND user_id<?',
    owner,
    `${owner}~`,
  )
  for (const { user_id: userId } of owners) {
    const row = ORDERS.get(db, 'WHERE user_id=? AND order_id=?', userId, orderId)
    if (row && (teamId === null || row.team_id === teamId) && isActive(db, row.team_id, userId)) return orderOf(row)
  }
  return null
}

function insertLabTest(db: Connection, { teamId, labTestId, createdAt, ...rest }: TeamLabTest): void {
  db.run(
    `INSERT INTO team_lab_test (team_id, lab_test_id, created_at, document) VALUES (?,?,?,?)
     ON CONFLICT (team_id, lab_test_id) DO NOTHING`,
    teamId,
    labTestId,
    createdAt,
    JSON.stringify(rest),
  )
}

interface LabTestRow {
  readonly lab_test_id: string
  readonly created_at: number
  readonly document: string
}

function labTestsOf(db: Connection, teamId: TeamId): TeamLabTest[] {
  return db
    .all<LabTestRow>(
      'SELECT lab_test_id, created_at, document FROM team_lab_test WHERE team_id=? ORDER BY created_at, lab_test_id',
      teamId,
    )
    .map(row => labTestOf(teamId, row))
}

function findLabTest(db: Connection, teamId: TeamId, labTestId: string): TeamLabTest | null {
  const sql = 'SELECT lab_test_id, created_at, document FROM team_lab_test WHERE team_id=? AND lab_test_id=?'
  const row = db.get<LabTestRow>(sql, teamId, labTestId)
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
