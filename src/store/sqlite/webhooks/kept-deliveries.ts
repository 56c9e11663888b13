/** What is stored about the deliveries of an endpoint: how much it is, and its removal in short transactions. */
import type { EndpointRecord } from '../../webhook.ts'
import type { Connection } from '../connection.ts'
import { WAITING_KINDS } from './disabling.ts'

/** Number of rows looked at in one transaction, so that others can write in between. */
const SLICE = 4_000

/** Counts with the indexes that hold only this one kind of rows. */
export function keptDeliveries(
  db: Connection,
  { teamId, endpointId }: Pick<EndpointRecord, 'teamId' | 'endpointId'>,
): { readonly waiting: number; readonly dead: number } {
  const count = (where: string, ...values: readonly string[]): number =>
    db.get<{ n: number }>(`SELECT count(*) AS n FROM delivery WHERE ${where}`, ...values)?.n ?? 0
  const waiting = WAITING_KINDS.map(kind => count(`endpoint_id=? AND state='waiting' AND ${kind}`, endpointId))
  return {
    waiting: waiting.reduce((a, b) => a + b),
    dead: count("team_id=? AND endpoint_id=? AND state='dead'", teamId, endpointId),
  }
}

interface Place {
  readonly user_id: string
  readonly sequence: number
}

/**
 * Removes the deliveries to an endpoint, in one walk over the deliveries of all users. A delivery to an endpoint that is gone is never due,
 * so if the process ends on the way, it leaves rows that nobody reads and that are removed with their events.
 */
export async function removeDeliveries(db: Connection, endpointId: string): Promise<void> {
  for (const table of ['delivery', 'failed_attempt']) {
    let after: Place | undefined = { user_id: '', sequence: 0 }
    while (after !== undefined) {
      const from: Place = after
      after = await db.write(() => removeSlice(db, table, endpointId, from))
    }
  }
}

/** Removes one slice. Returns where the next one begins, or undefined after the last. */
function removeSlice(db: Connection, table: string, endpointId: string, after: Place): Place | undefined {
  const last = db.get<Place>(
    `SELECT user_id, sequence FROM ${table} WHERE (user_id, sequence)>(?,?) ORDER BY user_id, sequence LIMIT 1 OFFSET ${SLICE - 1}`,
    after.user_id,
    after.sequence,
  )
  if (last === undefined) {
    db.run(
      `DELETE FROM ${table} WHERE (user_id, sequence)>(?,?) AND endpoint_id=?`,
      after.user_id,
      after.sequence,
      endpointId,
    )
    return
  }
  db.run(
    `DELETE FROM ${table} WHERE (user_id, sequence)>(?,?) AND (user_id, sequence)<=(?,?) AND endpoint_id=?`,
    after.user_id,
    after.sequence,
    last.user_id,
    last.sequence,
    endpointId,
  )
  return last
}
