/** Reads the events of newly leased deliveries together with the leases. One statement reads a run of consecutive events of a user. */
import type { UserId } from '../../../core/ids.ts'
import { type DeliveryClaim, type DeliveryKey, type DeliveryTick, eventName } from '../../delivery.ts'
import type { OutboxEvent } from '../../event.ts'
import { readEvent } from '../events/row.ts'
import type { Stored } from '../rows/checked-rows.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { type Expected, expect, isSteps, many, query, type Steps, UnreadableRows } from '../steps.ts'

/** Maximum number of bytes that a tick reads ahead. */
const MOST_EVENT_BYTES = 2 << 20
const EVENT_BYTES = 500
/** Ratio between the sizes of an unpacked and a packed sample. */
const UNPACKING = 8
/** Number of events that are read before their bytes are counted, because events may be large. */
const MOST_IN_RUN = 8
/** Number of runs requested at once. It is small enough for their events to fit into a tick's byte limit. */
const EXPECTED_RUNS = 256

/** Events of a user with consecutive numbers. */
interface Run {
  readonly userId: UserId
  readonly from: number
  to: number
}

/** Returns the events that the process has not cached, without duplicates, up to the size limit. */
export function* readUnknownEvents(
  claims: readonly DeliveryClaim[],
  known: DeliveryTick['knownEvents'],
): Steps<OutboxEvent[]> {
  if (known === null) return []
  const events: OutboxEvent[] = []
  let bytes = 0
  const runs = findRuns(claims, known)
  yield* expect(() => runs.slice(0, EXPECTED_RUNS).map(({ userId, from, to }) => between(userId, from, to)))
  for (const run of runs) {
    if (bytes > MOST_EVENT_BYTES) break
    for (const row of yield* readRows(run)) {
      bytes += EVENT_BYTES + (row.data?.length ?? 0) * UNPACKING + (row.document?.length ?? 0)
      const event = yield* readable(row)
      if (event !== null) events.push(event)
    }
  }
  return events
}

const EVENTS_BETWEEN = query<Stored<OutboxRow>>(
  `SELECT ${OUTBOX.columns} FROM outbox WHERE user_id=? AND sequence BETWEEN ? AND ?`,
)

function between(userId: UserId, from: number, to: number): Expected {
  return { statement: EVENTS_BETWEEN, values: [userId, from, to] }
}

/** Returns a run's rows, or nothing if a page is damaged. In that case, each delivery reads its own event. */
function* readRows({ userId, from, to }: Run): Steps<Stored<OutboxRow>[]> {
  try {
    return yield* many(EVENTS_BETWEEN, [userId, from, to])
  } catch (error) {
    if (error instanceof UnreadableRows) return []
    throw error
  }
}

/** Returns the event, or null if it is damaged. Its deliveries notice the damage when they read the event, and the others continue. */
function* readable(row: Stored<OutboxRow>): Steps<OutboxEvent | null> {
  try {
    const verified = OUTBOX.verified(row)
    return yield* readEvent(isSteps(verified) ? yield* verified : verified)
  } catch {
    return null
  }
}

function findRuns(claims: readonly DeliveryClaim[], known: ReadonlySet<string>): Run[] {
  const runs: Run[] = []
  const seen = new Map<UserId, Set<number>>()
  const add = (item: DeliveryKey): void => {
    const { userId, sequence } = item
    let numbers = seen.get(userId)
    if (numbers === undefined) {
      numbers = new Set()
      seen.set(userId, numbers)
    }
    if (numbers.has(sequence) || known.has(eventName(item))) return
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
