/** Counts the stored deliveries to an endpoint, and removes them in short transactions. */
import { DELIVERY_TABLES } from '../../tables/catalogue.ts'
import type { Table } from '../../tables/table.ts'
import type { Database } from '../database.ts'
import { type Command, command, one, type Query, query, run, type Steps } from '../steps.ts'
import { type EndpointKey, WAITING_KINDS } from './disabling.ts'

/** Number of rows processed per transaction, so that others can write in between. */
const SLICE = 4_000

/** Numbers of waiting and dead deliveries to an endpoint. */
export interface KeptDeliveries {
  readonly waiting: number
  readonly dead: number
}

const countQuery = (condition: string) =>
  query<{ readonly n: number }>(`SELECT count(*) AS n FROM delivery WHERE ${condition}`)
const COUNT_WAITING = WAITING_KINDS.map(kind => countQuery(`endpoint_id=? AND state='waiting' AND ${kind}`))
const COUNT_DEAD = countQuery("team_id=? AND endpoint_id=? AND state='dead'")

/** Counts deliveries using the indexes that contain only this kind of row. */
export function* keptDeliveries({ teamId, endpointId }: EndpointKey): Steps<KeptDeliveries> {
  let waiting = 0
  for (const count of COUNT_WAITING) waiting += (yield* one(count, [endpointId]))?.n ?? 0
  return { waiting, dead: (yield* one(COUNT_DEAD, [teamId, endpointId]))?.n ?? 0 }
}

interface DeliveryPosition {
  readonly user_id: string
  readonly sequence: number
}

/** Statements that remove an endpoint's rows from a table, in slices of all rows. */
interface Removal {
  /** Finds the last row of a slice. */
  readonly end: Query<DeliveryPosition>
  readonly slice: Command
  readonly rest: Command
}

function removalFrom({ name: table }: Table): Removal {
  const after = '(user_id, sequence)>(?,?)'
  return {
    end: query(
      `SELECT user_id, sequence FROM ${table} WHERE ${after} ORDER BY user_id, sequence LIMIT 1 OFFSET ${SLICE - 1}`,
    ),
    slice: command(`DELETE FROM ${table} WHERE ${after} AND (user_id, sequence)<=(?,?) AND endpoint_id=?`),
    rest: command(`DELETE FROM ${table} WHERE ${after} AND endpoint_id=?`),
  }
}

const REMOVALS = DELIVERY_TABLES.map(removalFrom)

/**
 * Removes the deliveries to an endpoint in one pass over all users' deliveries. If the process ends first, the remaining rows are removed
 * together with their events. A delivery to a removed endpoint is never due.
 */
export async function removeDeliveries(db: Database, endpointId: string): Promise<void> {
  for (const removal of REMOVALS) {
    let after: DeliveryPosition | undefined = { user_id: '', sequence: 0 }
    while (after !== undefined) {
      const from: DeliveryPosition = after
      after = await db.write(() => removeSlice(removal, endpointId, from))
    }
  }
}

/** Removes one slice. Returns where the next slice begins, or undefined after the last one. */
function* removeSlice(
  removal: Removal,
  endpointId: string,
  after: DeliveryPosition,
): Steps<DeliveryPosition | undefined> {
  const last = yield* one(removal.end, [after.user_id, after.sequence])
  if (last === undefined) {
    yield* run(removal.rest, [after.user_id, after.sequence, endpointId])
    return
  }
  yield* run(removal.slice, [after.user_id, after.sequence, last.user_id, last.sequence, endpointId])
  return last
}
