/** The part of the SQLite adapter that keeps deliveries. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type {
  AttemptOutcome,
  DeliveryKey,
  DeliveryStore,
  DeliveryTurn,
  ResendPosition,
  ResendScope,
  TurnResult,
} from '../../delivery.ts'
import type { Connection } from '../connection.ts'
import { Part } from '../part.ts'
import { readClock, readEpoch } from '../teams/settings.ts'
import { buryWaiting } from '../webhooks/disabling.ts'
import { deliveryFigures, lookAt } from './backlog.ts'
import { claim } from './claims.ts'
import { eventsOf } from './leased-events.ts'
import { countHeld, isHeld, letGo, livingOthers, renew } from './leases.ts'
import { keepOutcomes } from './outcomes.ts'
import { resendEvent, resendSlice } from './resending.ts'

/** How long a turn vouches for the leases that it found. */
const VOUCH_MS = 50

/** A turn that found every lease of a process in place. */
interface Voucher {
  readonly delivererId: string
  /** `changes` of the connection right after the turn is on the disk. */
  readonly changes: number
  /** Changes once another connection has committed anything. */
  readonly dataVersion: number
  /** When it was last known that nothing had changed. */
  readonly at: number
}

const HELD = Promise.resolve(true)

export class SqliteDeliveries extends Part implements DeliveryStore {
  private voucher: Voucher | null = null

  look(delivererId: string) {
    return this.db.read(() => this.db.remembered(`deliveries ${delivererId}`, () => lookAt(this.db, delivererId)))
  }

  async turn(turn: DeliveryTurn) {
    const result = await this.db.writeAside(() => {
      // not earlier: attempts that start while the turn waits for its transaction need it
      this.voucher = null
      const { result, isWhole } = takeTurn(this.db, turn)
      const { delivererId } = turn
      // the commit itself counts as one more
      const changes = this.db.changes + 1
      this.voucher = isWhole
        ? { delivererId, changes, dataVersion: dataVersionOf(this.db), at: performance.now() }
        : null
      return result
    })
    for (const endpoint of result.disabled) await buryWaiting(this.db, endpoint)
    return result
  }

  isHeld(delivererId: string, key: DeliveryKey) {
    const known = this.voucher
    const isVouched = known?.delivererId === delivererId && known.changes === this.db.changes
    if (!isVouched) return this.db.read(() => isHeld(this.db, delivererId, key))
    const now = performance.now()
    if (now - known.at < VOUCH_MS) return HELD
    return this.db.read(() => {
      if (dataVersionOf(this.db) !== known.dataVersion) return isHeld(this.db, delivererId, key)
      // nobody has changed anything since
      this.voucher = { ...known, at: now }
      return true
    })
  }

  leave(delivererId: string, epoch: number, outcomes: readonly AttemptOutcome[]) {
    return this.db.writeAside(() => {
      if (readEpoch(this.db) === epoch) keepOutcomes(this.db, outcomes)
      letGo(this.db, delivererId)
    })
  }

  resend(teamId: TeamId, event: Pick<DeliveryKey, 'userId' | 'sequence'>, endpointId: string | null, now: EpochMs) {
    return this.db.write(() => resendEvent(this.db, teamId, event, endpointId, now))
  }

  resendSome(teamId: TeamId, scope: ResendScope, after: ResendPosition | null, now: EpochMs) {
    return this.db.write(() => resendSlice(this.db, teamId, scope, after, now))
  }

  figures() {
    return this.db.read(() => deliveryFigures(this.db))
  }
}

function dataVersionOf(db: Connection): number {
  return db.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? -1
}

interface TakenTurn {
  readonly result: TurnResult
  /** Whether the process still holds every lease that it counts on. */
  readonly isWhole: boolean
}

function takeTurn(db: Connection, turn: DeliveryTurn): TakenTurn {
  const { delivererId, realNow, now } = turn
  const clock = readClock(db)
  const nothing = { isLost: true, claims: [], events: [], clock, disabled: [] }
  if (readEpoch(db) !== turn.epoch) return { result: nothing, isWhole: false }
  const disabled = keepOutcomes(db, turn.outcomes)
  const others = livingOthers(db, delivererId, realNow)
  if (!renew(db, delivererId, turn)) return { result: { ...nothing, disabled }, isWhole: false }
  const isWhole = countHeld(db, delivererId) === turn.holds()
  const claims = turn.requests.map(request => claim(db, { delivererId, others, now }, request))
  return { result: { isLost: false, claims, events: eventsOf(db, claims, turn), clock, disabled }, isWhole }
}
