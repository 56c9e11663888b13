/** Lists lab orders. Every filter of `GET /v3/orders` is a condition of one query. */
import type { TeamId } from '../../../core/ids.ts'
import type { OrderFilter, OrderRecord } from '../../order.ts'
import { ORDERS, type OrderRow } from '../checksums/more-tables.ts'
import type { Connection, SqlValue } from '../connection.ts'
import { orderOf } from './row.ts'

/** A condition and the values of its placeholders. */
type Condition = readonly [sql: string, ...values: readonly SqlValue[]]

export function pageOfOrders(
  db: Connection,
  teamId: TeamId,
  filter: OrderFilter,
): { readonly orders: readonly OrderRecord[]; readonly total: number } {
  verifyAll(db, teamId, filter)
  const conditions = conditionsOf(teamId, filter)
  const from = `FROM lab_order AS o WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  const values = conditions.flatMap(([, ...rest]) => rest)
  const total = db.get<{ n: number }>(`SELECT count(*) AS n ${from}`, ...values)?.n ?? 0
  const direction = filter.isDescending ? 'DESC' : 'ASC'
  const rows = db.all<OrderRow>(
    `SELECT ${ORDERS.names.map(name => `o.${name}`).join(', ')} ${from}
     ORDER BY o.${filter.sort} ${direction}, o.order_id LIMIT ? OFFSET ?`,
    ...values,
    filter.limit,
    filter.offset,
  )
  return { orders: rows.map(orderOf), total }
}

/** Number of rows read at once, to limit memory. */
const VERIFIED_AT_ONCE = 200

/** Verifies the rows that the conditions look at, once for each state of the store: a condition would leave a damaged row out. */
function verifyAll(db: Connection, teamId: TeamId, { userId }: OrderFilter): void {
  db.remembered(`orders ${teamId} ${userId ?? ''}`, () => {
    const of =
      userId === null ? 'INDEXED BY lab_order_by_time WHERE team_id=?' : 'INDEXED BY lab_order_key WHERE user_id=?'
    for (let seen = 0; ; seen += VERIFIED_AT_ONCE) {
      const some = ORDERS.all(db, `${of} LIMIT ? OFFSET ?`, userId ?? teamId, VERIFIED_AT_ONCE, seen)
      if (some.length < VERIFIED_AT_ONCE) return true
    }
  })
}

function conditionsOf(teamId: TeamId, filter: OrderFilter): Condition[] {
  // the plus keeps SQLite from walking all orders of the team if the rows are named
  const ofTeam = filter.userId === null && filter.orderIds === null ? 'o.team_id=?' : '+o.team_id=?'
  const conditions: Condition[] = [[ofTeam, teamId], [OWNER_IS_ACTIVE]]
  const add = <T>(value: T | null, condition: (value: T) => Condition): void => {
    if (value !== null) conditions.push(condition(value))
  }
  add(filter.userId, value => ['o.user_id=?', value])
  add(filter.orderIds, values => [IS_ONE_OF_ORDERS, JSON.stringify(values)])
  add(filter.statuses, values => oneOf(LOW_STATUS, values))
  add(filter.methods, values => oneOf(field('method'), values))
  add(filter.isScheduled, value => [
    `(${field('activateBy')} IS NOT NULL AND o.status LIKE 'received.%.ordered')=?`,
    value ? 1 : 0,
  ])
  add(filter.createdFrom, value => ['o.created_at>=?', value])
  add(filter.createdTo, value => ['o.created_at<=?', value])
  add(filter.updatedFrom, value => ['o.updated_at>=?', value])
  add(filter.updatedTo, value => ['o.updated_at<=?', value])
  add(filter.interpretation, value => [`${field('interpretation')}=?`, value])
  add(filter.isCritical, value => [`ifnull(${field('interpretation')}='critical', 0)=?`, value ? 1 : 0])
  add(filter.patientName, value => [`instr(${PATIENT_NAME}, ?)>0`, value.toLowerCase()])
  // SQLite lowercases both, and leaves letters beyond a-z as they are
  add(filter.receiverName, value => [`instr(lower(ifnull(${RECEIVER}, ${PATIENT_NAME})), lower(?))>0`, value])
  add(filter.search, value => [
    `(instr(${PATIENT_NAME}, ?)>0 OR substr(o.order_id, 1, ?)=? OR substr(o.user_id, 1, ?)=?)`,
    value.toLowerCase(),
    value.length,
    value.toLowerCase(),
    value.length,
    value.toLowerCase(),
  ])
  return conditions
}

const OWNER_IS_ACTIVE = `EXISTS (SELECT 1 FROM user INDEXED BY user_by_id
  WHERE user.team_id=o.team_id AND user.user_id=o.user_id AND deleted_at IS NULL)`
const field = (name: string): string => `json_extract(o.document, '$.${name}')`
/** Finds rows by the six bytes of a user id that begin an order id: twelve digits and the first dash of both. */
const IS_ONE_OF_ORDERS = `(o.user_id, o.order_id) IN (
  SELECT owner.user_id, named.value FROM json_each(?) AS named CROSS JOIN user AS owner
  WHERE owner.user_id>=substr(named.value, 1, 13) AND owner.user_id<substr(named.value, 1, 13)||'~')`
const PATIENT_NAME = `lower(${field('patient.first_name')}||' '||${field('patient.last_name')})`
const RECEIVER = field('address.receiver_name')
/** What follows the last dot: neither methods nor low-level statuses contain one. */
const LOW_STATUS = `substr(o.status, instr(o.status, '.')+2+length(${field('method')}))`

/** Passes the values as one, however many there are. */
function oneOf(sql: string, values: readonly string[]): Condition {
  return [`${sql} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)]
}
