/** Implements the part of the port that stores deliveries. */
import type { TeamId } from '../../../core/ids.ts'
import type {
  AttemptOutcome,
  DeliveryClaim,
  DeliveryKey,
  DeliveryTick,
  EventKey,
  KeptOutcomes,
  TickResult,
} from '../../delivery.ts'
import type { Database } from '../database.ts'
import { onDatabase, part, read, write, writeAbout } from '../part.ts'
import { changesAfter, remembered, type Steps } from '../steps.ts'
import { readClock, readEpoch } from '../teams/settings.ts'
import { lockingUser } from '../users/lock.ts'
import { buryWaiting } from '../webhooks/disabling.ts'
import { deliveryFigures, lookAt } from './backlog.ts'
import { claim } from './claims.ts'
import { listExchanges, removeExchanges } from './exchanges.ts'
import { LeaseLooks } from './lease-looks.ts'
import { readUnknownEvents } from './leased-events.ts'
import { countHeld, isHeld, letGo, livingOthers, renew, voidUnknown } from './leases.ts'
import { grouped, judgeEndpoints, keepOutcomes } from './outcomes.ts'
import { resendEvent, resendSlice } from './resending.ts'
import { settleSlices } from './slices.ts'

/** Proof that a tick found all of a process's leases in place. */
interface Voucher {
  readonly delivererId: string
  /** The database's `changes` right after the tick. */
  readonly changes: number
}

const HELD = Promise.resolve(true)

export class DeliveryStore extends part({
  /** Returns the pending work for an idle process. Costs almost nothing as long as nothing changes. */
  look: read((delivererId: string) => remembered(`deliveries ${delivererId}`, () => lookAt(delivererId))),
  keep: onDatabase(keep),
  leave: onDatabase(leave),
  resend: writeAbout(resendEvent, (_: TeamId, event: EventKey) => event.userId),
  resendSome: write(resendSlice),
  figures: read(deliveryFigures),
  exchanges: read(listExchanges),
  removeExchanges: onDatabase(removeExchanges),
}) {
  private voucher: Voucher | null = null
  private readonly looks: LeaseLooks
  private readonly db: Database

  constructor(db: Database) {
    super(db)
    this.db = db
    this.looks = new LeaseLooks(db)
  }

  /**
   * In one transaction, voids the leases of dead processes, takes free slices up to a fair share or releases slices beyond it, and leases
   * the requested deliveries for users in the process's slices. A slice belongs to one process, so that each user's first attempts at an
   * endpoint are made in order.
   */
  async tick(tick: DeliveryTick): Promise<TickResult> {
    const result = await this.db.writeAside(() => this.take(tick))
    for (const endpoint of result.disabled) await buryWaiting(this.db, endpoint)
    return result
  }

  /**
   * Returns whether the delivery is still waiting and leased to this process. Its user, event or endpoint may no longer exist. After a tick
   * that found every lease in place, the check costs nothing as long as this process changes nothing. A change by another process is seen
   * within 50 ms.
   */
  isHeld(delivererId: string, key: DeliveryKey): Promise<boolean> {
    const known = this.voucher
    if (known?.delivererId !== delivererId) return this.looks.isHeld(delivererId, key)
    const changes = this.db.changes()
    if (changes === known.changes) return HELD
    const isKnown = changes !== null
    return this.db.read(() => (isKnown ? isHeld(delivererId, key) : isStillHeld(known, key)))
  }

  private *take(tick: DeliveryTick): Steps<TickResult> {
    // not earlier, because attempts that start while the tick waits for its transaction need the voucher
    this.voucher = null
    const { result, isWhole } = yield* runTick(tick)
    const changes = isWhole ? yield* changesAfter() : null
    if (changes !== null) this.voucher = { delivererId: tick.delivererId, changes }
    return result
  }
}

/**
 * Stores outcomes in one transaction per user, so that a failure for one user does not delay the others. An outcome counts only while its
 * process holds the user's slice.
 */
function keep(db: Database, epoch: number, outcomes: readonly AttemptOutcome[]): Promise<readonly KeptOutcomes[]> {
  const groups = grouped(outcomes, ({ delivererId, userId }) => `${delivererId} ${userId}`)
  return Promise.all(groups.map(group => keepGroup(db, epoch, group)))
}

async function keepGroup(db: Database, epoch: number, outcomes: readonly AttemptOutcome[]): Promise<KeptOutcomes> {
  const [first] = outcomes
  if (!first) return { outcomes, result: { kind: 'stored' } }
  try {
    const isStored = await db.writeAside(() => lockingUser(first.userId, () => keepOutcomes(epoch, first, outcomes)))
    return { outcomes, result: { kind: isStored ? 'stored' : 'lost' } }
  } catch (error) {
    return { outcomes, result: { kind: 'failed', error } }
  }
}

/** Stores the last outcomes in the same way as `keep`, and releases all of the process's leases and slices. */
async function leave(
  db: Database,
  delivererId: string,
  epoch: number,
  outcomes: readonly AttemptOutcome[],
): Promise<readonly KeptOutcomes[]> {
  const kept = await keep(db, epoch, outcomes)
  await db.writeAside(() => leaveWith(delivererId, epoch, outcomes))
  return kept
}

function* isStillHeld({ delivererId, changes }: Voucher, key: DeliveryKey): Steps<boolean> {
  // nothing has changed since the tick
  if ((yield* changesAfter()) === changes) return true
  return yield* isHeld(delivererId, key)
}

function* leaveWith(delivererId: string, epoch: number, outcomes: readonly AttemptOutcome[]): Steps<void> {
  if ((yield* readEpoch()) === epoch) yield* judgeEndpoints(outcomes)
  yield* letGo(delivererId)
}

interface CheckedTick {
  readonly result: TickResult
  /** Whether the process still holds every lease that it relies on. */
  readonly isWhole: boolean
}

function* runTick(tick: DeliveryTick): Steps<CheckedTick> {
  const { delivererId, realNow, now } = tick
  const clock = yield* readClock()
  const nothing = { isLost: true, claims: [], events: [], clock, disabled: [] }
  if ((yield* readEpoch()) !== tick.epoch) return { result: nothing, isWhole: false }
  const disabled = yield* judgeEndpoints(tick.outcomes)
  const others = yield* livingOthers(delivererId, realNow)
  if (!(yield* renew(delivererId, tick))) return { result: { ...nothing, disabled }, isWhole: false }
  if (tick.knownLeases !== null) yield* voidUnknown(delivererId, tick.knownLeases)
  const slices = yield* settleSlices(delivererId, others + 1)
  const isWhole = (yield* countHeld(delivererId)) === tick.holds
  const claims: DeliveryClaim[] = []
  for (const request of tick.requests) claims.push(yield* claim({ delivererId, slices, now }, request))
  const events = yield* readUnknownEvents(claims, tick.knownEvents)
  return { result: { isLost: false, claims, events, clock, disabled }, isWhole }
}
