/** The events of deliveries that were just leased, read together with the leases. One statement reads a run of a user's numbers. */
import type { UserId } from '../../../core/ids.ts'
import { type DeliveryClaim, type DeliveryKey, type DeliveryTurn, eventName } from '../../delivery.ts'
import type { OutboxEvent } from '../../event.ts'
import { readEvent } from '../events/row.ts'
import type { Stored } from '../rows/checked-rows.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { type Expected, expect, isSteps, many, query, type Steps, UnreadableRows } from '../steps.ts'

/** Maximum number of bytes that one pass reads ahead. */
const MOST_EVENT_BYTES = 2 << 20
const EVENT_BYTES = 500
/** Size ratio of an unpacked sample to a packed one. */
const UNPACKING = 8
/** Events may be large, so this many are read before their bytes are counted. */
const MOST_IN_RUN = 8
/** Runs requested at once; few enough that their events fit into the bytes of a pass. */
const EXPECTED_RUNS = 256

/** Events of a user with consecutive numbers. */
interface Run {
  readonly userId: UserId
  readonly from: number
  to: number
}

/** Returns the events that the process has not cached, each once, up to the size limit. */
export function* readUnknownEvents(
  claims: readonly DeliveryClaim[],
  known: DeliveryTurn['knownEvents'],
): Steps<OutboxEvent[]> {
  if (known === null) return []
  const events: OutboxEvent[] = []
  let bytes = 0
  const runs = runsOf(claims, known)
  yield* expect(() => runs.slice(0, EXPECTED_RUNS).map(({ userId, from, to }) => between(userId, from, to)))
  for (const run of runs) {
    if (bytes > MOST_EVENT_BYTES) break
    for (const row of yield* rowsOf(run)) {
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

/** Returns nothing if a page is damaged. Each delivery then reads its own event. */
function* rowsOf({ userId, from, to }: Run): Steps<Stored<OutboxRow>[]> {
  try {
    return yield* many(EVENTS_BETWEEN, [userId, from, to])
  } catch (error) {
    if (error instanceof UnreadableRows) return []
    throw error
  }
}

/** Returns null if the event is damaged. Its own deliveries notice that when they read it; the others continue. */
function* readable(row: Stored<OutboxRow>): Steps<OutboxEvent | null> {
  try {
    const verified = OUTBOX.verified(row)
    return yield* readEvent(isSteps(verified) ? yield* verified : verified)
  } catch {
    return null
  }
}

function runsOf(claims: readonly DeliveryClaim[], known: ReadonlySet<string>): Run[] {
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
