/** Lists lab orders. Every filter of `GET /v3/orders` is a condition in one query. */
import type { TeamId } from '../../../core/ids.ts'
import type { OrderFilter, OrderRecord } from '../../order.ts'
import type { Dialect } from '../dialect.ts'
import { ORDERS, type OrderRow } from '../rows/tables.ts'
import { many, one, type Query, query, remembered, type SqlValue, type Steps } from '../steps.ts'
import { toOrder } from './row.ts'

const field = (dialect: Dialect, path: string): string => dialect.jsonText('o.document', path)
const patientName = (dialect: Dialect): string =>
  `lower(${field(dialect, 'patient.first_name')}||' '||${field(dialect, 'patient.last_name')})`
/** Returns SQL for the last part of the status, after the last dot, because neither methods nor low-level statuses contain a dot. */
const lowStatus = (dialect: Dialect): string =>
  `substr(o.status, ${dialect.position('o.status', "'.'")}+2+length(${field(dialect, 'method')}))`
const isScheduled = (dialect: Dialect): string =>
  `(${field(dialect, 'activateBy')} IS NOT NULL AND o.status LIKE 'received.%.ordered')`
const interpretation = (dialect: Dialect): string => field(dialect, 'interpretation')

/** SQL for all conditions, by name. */
const CONDITIONS = {
  ofTeam: () => 'o.team_id=?',
  // otherwise, SQLite would scan all of the team's orders
  ofTeamAside: dialect => `${dialect.aside('o.team_id')}=?`,
  ownerIsActive: dialect => `EXISTS (SELECT 1 FROM user ${dialect.index('user_by_id')}
    WHERE user.team_id=o.team_id AND user.user_id=o.user_id AND deleted_at IS NULL)`,
  ofUser: () => 'o.user_id=?',
  // finds rows by the six bytes of a user ID at the start of an order ID: twelve digits and the first dash in both
  isNamed: dialect => `(o.user_id, o.order_id) IN (
    SELECT owner.user_id, named.value FROM (${dialect.listed}) AS named CROSS JOIN directory AS owner
    WHERE owner.team_id=? AND owner.user_id>=substr(named.value, 1, 13) AND owner.user_id<substr(named.value, 1, 13)||'~')`,
  hasStatus: dialect => `${lowStatus(dialect)} IN (${dialect.listed})`,
  hasMethod: dialect => `${field(dialect, 'method')} IN (${dialect.listed})`,
  isScheduled,
  isNotScheduled: dialect => `NOT ${isScheduled(dialect)}`,
  createdFrom: () => 'o.created_at>=?',
  createdTo: () => 'o.created_at<=?',
  updatedFrom: () => 'o.updated_at>=?',
  updatedTo: () => 'o.updated_at<=?',
  isInterpreted: dialect => `${interpretation(dialect)}=?`,
  isCritical: dialect => `coalesce(${interpretation(dialect)}, '')='critical'`,
  isNotCritical: dialect => `coalesce(${interpretation(dialect)}, '')<>'critical'`,
  isOfPatient: dialect => `${dialect.position(patientName(dialect), '?')}>0`,
  // the database converts both to lower case, but leaves letters other than A-Z unchanged
  isForReceiver: dialect => {
    const receiver = `coalesce(${field(dialect, 'address.receiver_name')}, ${patientName(dialect)})`
    return `${dialect.position(`lower(${receiver})`, 'lower(?)')}>0`
  },
  isFound: dialect => `(${dialect.position(patientName(dialect), '?')}>0
    OR substr(o.order_id, 1, ?)=? OR substr(o.user_id, 1, ?)=?)`,
} satisfies Readonly<Record<string, (dialect: Dialect) => string>>

/** A condition's name, and the values for its placeholders. */
type Condition = readonly [name: keyof typeof CONDITIONS, ...values: readonly SqlValue[]]

/** Verified before a list is read, because a condition could exclude a damaged row. */
const ROWS_OF_TEAM = ORDERS.query(dialect => `${dialect.index('lab_order_by_time')} WHERE team_id=? LIMIT ? OFFSET ?`)
const ROWS_OF_USER = ORDERS.query(dialect => `${dialect.index('lab_order_key')} WHERE user_id=? LIMIT ? OFFSET ?`)

const COLUMNS = ORDERS.names.map(name => `o.${name}`).join(', ')
const BY_SORT = {
  created_at: { ascending: 'o.created_at ASC', descending: 'o.created_at DESC' },
  updated_at: { ascending: 'o.updated_at ASC', descending: 'o.updated_at DESC' },
} as const

interface List {
  readonly count: Query<{ readonly n: number }>
  readonly rows: Query<OrderRow>
}

/** Queries built so far, by the names of their conditions and their sort order. */
const lists = new Map<string, List>()

/** Returns a page of orders of the team's active users, and the total number of matching orders. */
export function* pageOfOrders(
  teamId: TeamId,
  filter: OrderFilter,
): Steps<{ readonly orders: readonly OrderRecord[]; readonly total: number }> {
  yield* verifyAll(teamId, filter)
  const conditions = buildConditions(teamId, filter)
  const list = defineList(
    conditions.map(([name]) => name),
    BY_SORT[filter.sort][filter.isDescending ? 'descending' : 'ascending'],
  )
  const values = conditions.flatMap(([, ...rest]) => rest)
  const total = (yield* one(list.count, values))?.n ?? 0
  const rows = yield* many(list.rows, [...values, filter.limit, filter.offset])
  return { orders: rows.map(toOrder), total }
}

function defineList(names: readonly (keyof typeof CONDITIONS)[], order: string): List {
  const key = [...names, order].join()
  let list = lists.get(key)
  if (list === undefined) {
    const from = (dialect: Dialect): string =>
      `FROM lab_order AS o WHERE ${names.map(name => CONDITIONS[name](dialect)).join(' AND ')}`
    list = {
      count: query(dialect => `SELECT count(*) AS n ${from(dialect)}`),
      rows: query(dialect => `SELECT ${COLUMNS} ${from(dialect)} ORDER BY ${order}, o.order_id LIMIT ? OFFSET ?`),
    }
    lists.set(key, list)
  }
  return list
}

/** Number of rows read at a time, to limit memory use. */
const VERIFIED_AT_ONCE = 200

/** Verifies the rows that the conditions read. Done once for each state of the store. */
function* verifyAll(teamId: TeamId, { userId }: OrderFilter): Steps<void> {
  yield* remembered(`orders ${teamId} ${userId ?? ''}`, () =>
    userId === null ? verifyRows(ROWS_OF_TEAM, teamId) : verifyRows(ROWS_OF_USER, userId),
  )
}

function* verifyRows(rows: Query<OrderRow>, owner: string): Steps<boolean> {
  for (let seen = 0; ; seen += VERIFIED_AT_ONCE) {
    const some = yield* many(rows, [owner, VERIFIED_AT_ONCE, seen])
    if (some.length < VERIFIED_AT_ONCE) return true
  }
}

function buildConditions(teamId: TeamId, filter: OrderFilter): Condition[] {
  const isByTeam = filter.userId === null && filter.orderIds === null
  const conditions: Condition[] = [[isByTeam ? 'ofTeam' : 'ofTeamAside', teamId], ['ownerIsActive']]
  const add = <T>(value: T | null, condition: (value: T) => Condition): void => {
    if (value !== null) conditions.push(condition(value))
  }
  add(filter.userId, value => ['ofUser', value])
  add(filter.orderIds, values => ['isNamed', JSON.stringify(values), teamId])
  add(filter.statuses, values => ['hasStatus', JSON.stringify(values)])
  add(filter.methods, values => ['hasMethod', JSON.stringify(values)])
  add(filter.isScheduled, value => [value ? 'isScheduled' : 'isNotScheduled'])
  add(filter.createdFrom, value => ['createdFrom', value])
  add(filter.createdTo, value => ['createdTo', value])
  add(filter.updatedFrom, value => ['updatedFrom', value])
  add(filter.updatedTo, value => ['updatedTo', value])
  add(filter.interpretation, value => ['isInterpreted', value])
  add(filter.isCritical, value => [value ? 'isCritical' : 'isNotCritical'])
  add(filter.patientName, value => ['isOfPatient', value.toLowerCase()])
  add(filter.receiverName, value => ['isForReceiver', value])
  add(filter.search, value => [
    'isFound',
    value.toLowerCase(),
    value.length,
    value.toLowerCase(),
    value.length,
    value.toLowerCase(),
  ])
  return conditions
}
