/** The events of deliveries that were just leased, read together with the leases. One statement reads a run of a user's numbers. */
import type { UserId } from '../../../core/ids.ts'
import type { DeliveryClaim, DeliveryKey, DeliveryTurn } from '../../delivery.ts'
import type { OutboxEvent } from '../../event.ts'
import type { Stored } from '../checksums/checked-rows.ts'
import { isDamage } from '../checksums/damage.ts'
import { OUTBOX, type OutboxRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { eventOf } from '../events/row.ts'

/** Maximum number of bytes that one turn reads ahead. */
const MOST_EVENT_BYTES = 2 << 20
const EVENT_BYTES = 500
/** How many times smaller a packed sample is than an unpacked one. */
const UNPACKING = 8
/** Events may be large, so this many are read before their bytes are counted. */
const MOST_IN_RUN = 8

/** Events of a user with consecutive numbers. */
interface Run {
  readonly userId: UserId
  readonly from: number
  to: number
}

/** Returns the events that the process wants, each once, as far as there is room. */
export function eventsOf(
  db: Connection,
  claims: readonly DeliveryClaim[],
  turn: Pick<DeliveryTurn, 'wants'>,
): OutboxEvent[] {
  const events: OutboxEvent[] = []
  let bytes = 0
  for (const { userId, from, to } of runsOf(claims, turn)) {
    if (bytes > MOST_EVENT_BYTES) break
    const rows = rowsOf(db, userId, from, to)
    for (const row of rows) {
      bytes += EVENT_BYTES + (row.data?.length ?? 0) * UNPACKING + (row.document?.length ?? 0)
      const event = readable(db, row)
      if (event !== null) events.push(event)
    }
  }
  return events
}

/** Returns nothing if a page is damaged. Each delivery then reads its own event. */
function rowsOf(db: Connection, userId: UserId, from: number, to: number): Stored<OutboxRow>[] {
  const sql = `SELECT ${OUTBOX.columns} FROM outbox WHERE user_id=? AND sequence BETWEEN ? AND ?`
  try {
    return db.all<Stored<OutboxRow>>(sql, userId, from, to)
  } catch (error) {
    if (isDamage(error)) return []
    throw error
  }
}

/** Returns null if the event is damaged. Its own deliveries are told so when they read it; the others go on. */
function readable(db: Connection, row: Stored<OutboxRow>): OutboxEvent | null {
  try {
    return eventOf(db, OUTBOX.verified(db, row))
  } catch {
    return null
  }
}

function runsOf(claims: readonly DeliveryClaim[], { wants }: Pick<DeliveryTurn, 'wants'>): Run[] {
  const runs: Run[] = []
  const seen = new Map<UserId, Set<number>>()
  const add = ({ userId, sequence }: DeliveryKey): void => {
    let numbers = seen.get(userId)
    if (numbers === undefined) {
      numbers = new Set()
      seen.set(userId, numbers)
    }
    if (numbers.has(sequence) || !wants(userId, sequence)) return
    numbers.add(sequence)
    const last = runs.at(-1)
    const follows = last?.userId === userId && last.to + 1 === sequence && sequence - last.from < MOST_IN_RUN
    if (follows) last.to = sequence
    else runs.push({ userId, from: sequence, to: sequence })
  }
  for (const { again, first } of claims) {
    for (const item of again) add(item)
    for (const item of first) add(item)
  }
  return runs
}
