/** The part of the store that keeps deliveries. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type {
  AttemptOutcome,
  DeliveryClaim,
  DeliveryKey,
  DeliveryStore,
  DeliveryTurn,
  KeptOutcomes,
  ResendPosition,
  ResendScope,
  TurnResult,
} from '../../delivery.ts'
import { Part } from '../part.ts'
import { changesAfter, remembered, type Steps } from '../steps.ts'
import { readClock, readEpoch } from '../teams/settings.ts'
import { buryWaiting } from '../webhooks/disabling.ts'
import { deliveryFigures, lookAt } from './backlog.ts'
import { claim } from './claims.ts'
import { exchangesOf, removeExchanges } from './exchanges.ts'
import { LeaseLooks } from './lease-looks.ts'
import { eventsOf } from './leased-events.ts'
import { countHeld, isHeld, letGo, livingOthers, renew, voidUnknown } from './leases.ts'
import { grouped, judgeEndpoints, keepOutcomes } from './outcomes.ts'
import { resendEvent, resendSlice } from './resending.ts'
import { settleSlices } from './slices.ts'

/** A turn that found every lease of a process in place. */
interface Voucher {
  readonly delivererId: string
  /** `changes` of the database right after the turn. */
  readonly changes: number
}

const HELD = Promise.resolve(true)

export class StoredDeliveries extends Part implements DeliveryStore {
  private voucher: Voucher | null = null
  private readonly looks = new LeaseLooks(this.db)

  look(delivererId: string) {
    return this.db.read(() => remembered(`deliveries ${delivererId}`, () => lookAt(delivererId)))
  }

  keep(epoch: number, outcomes: readonly AttemptOutcome[]) {
    const groups = grouped(outcomes, ({ delivererId, userId }) => `${delivererId} ${userId}`)
    return Promise.all(groups.map(group => this.keepGroup(epoch, group)))
  }

  async turn(turn: DeliveryTurn) {
    const result = await this.db.writeAside(() => this.take(turn))
    for (const endpoint of result.disabled) await buryWaiting(this.db, endpoint)
    return result
  }

  isHeld(delivererId: string, key: DeliveryKey) {
    const known = this.voucher
    if (known?.delivererId !== delivererId) return this.looks.isHeld(delivererId, key)
    const changes = this.db.changes()
    if (changes === known.changes) return HELD
    const isKnown = changes !== null
    return this.db.read(() => (isKnown ? isHeld(delivererId, key) : isStillHeld(known, key)))
  }

  async leave(delivererId: string, epoch: number, outcomes: readonly AttemptOutcome[]) {
    const kept = await this.keep(epoch, outcomes)
    await this.db.writeAside(() => leaveWith(delivererId, epoch, outcomes))
    return kept
  }

  resend(teamId: TeamId, event: Pick<DeliveryKey, 'userId' | 'sequence'>, endpointId: string | null, now: EpochMs) {
    return this.writeAbout(event.userId, () => resendEvent(teamId, event, endpointId, now))
  }

  resendSome(teamId: TeamId, scope: ResendScope, after: ResendPosition | null, now: EpochMs) {
    return this.db.write(() => resendSlice(teamId, scope, after, now))
  }

  figures() {
    return this.db.read(() => deliveryFigures())
  }

  exchanges(event: Pick<DeliveryKey, 'userId' | 'sequence'>, since: EpochMs) {
    return this.db.read(() => exchangesOf(event, since))
  }

  removeExchanges(before: EpochMs, signal?: AbortSignal) {
    return removeExchanges(this.db, before, signal)
  }

  /** One transaction. */
  private async keepGroup(epoch: number, outcomes: readonly AttemptOutcome[]): Promise<KeptOutcomes> {
    const [first] = outcomes
    if (!first) return { outcomes, result: { kind: 'stored' } }
    try {
      const isStored = await this.writeAsideAbout(first.userId, () => keepOutcomes(epoch, first, outcomes))
      return { outcomes, result: { kind: isStored ? 'stored' : 'lost' } }
    } catch (error) {
      return { outcomes, result: { kind: 'failed', error } }
    }
  }

  private *take(turn: DeliveryTurn): Steps<TurnResult> {
    // not earlier: attempts that start while the turn waits for its transaction need it
    this.voucher = null
    const { result, isWhole } = yield* takeTurn(turn)
    const changes = isWhole ? yield* changesAfter() : null
    if (changes !== null) this.voucher = { delivererId: turn.delivererId, changes }
    return result
  }
}

function* isStillHeld({ delivererId, changes }: Voucher, key: DeliveryKey): Steps<boolean> {
  // nobody has changed anything since the turn
  if ((yield* changesAfter()) === changes) return true
  return yield* isHeld(delivererId, key)
}

function* leaveWith(delivererId: string, epoch: number, outcomes: readonly AttemptOutcome[]): Steps<void> {
  if ((yield* readEpoch()) === epoch) yield* judgeEndpoints(outcomes)
  yield* letGo(delivererId)
}

interface TakenTurn {
  readonly result: TurnResult
  /** Whether the process still holds every lease that it counts on. */
  readonly isWhole: boolean
}

function* takeTurn(turn: DeliveryTurn): Steps<TakenTurn> {
  const { delivererId, realNow, now } = turn
  const clock = yield* readClock()
  const nothing = { isLost: true, claims: [], events: [], clock, disabled: [] }
  if ((yield* readEpoch()) !== turn.epoch) return { result: nothing, isWhole: false }
  const disabled = yield* judgeEndpoints(turn.outcomes)
  const others = yield* livingOthers(delivererId, realNow)
  if (!(yield* renew(delivererId, turn))) return { result: { ...nothing, disabled }, isWhole: false }
  if (turn.knownLeases !== null) yield* voidUnknown(delivererId, turn.knownLeases)
  const slices = yield* settleSlices(delivererId, others + 1)
  const isWhole = (yield* countHeld(delivererId)) === turn.holds
  const claims: DeliveryClaim[] = []
  for (const request of turn.requests) claims.push(yield* claim({ delivererId, slices, now }, request))
  const events = yield* eventsOf(claims, turn.knownEvents)
  return { result: { isLost: false, claims, events, clock, disabled }, isWhole }
}
