/** The part of the SQLite adapter that keeps deliveries. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type {
  AttemptOutcome,
  DeliveryGrant,
  DeliveryKey,
  DeliveryStore,
  DeliveryTurn,
  ResendPosition,
  ResendScope,
  TurnResult,
} from '../../delivery.ts'
import type { OutboxEvent } from '../../event.ts'
import type { Connection } from '../connection.ts'
import { EVENT_COLUMNS, type EventRow, eventOf } from '../events/row.ts'
import { readClock, readEpoch } from '../teams/settings.ts'
import { deliveryFigures, lookAt } from './backlog.ts'
import { claim } from './claims.ts'
import { countHeld, isHeld, letGo, livingOthers, renew } from './leases.ts'
import { keepOutcomes } from './outcomes.ts'
import { resendEvent, resendSlice } from './resending.ts'

/** How long a turn vouches for the leases that it found. */
const VOUCH_MS = 50

/** A turn that found every lease of a process in its place. */
interface Voucher {
  readonly delivererId: string
  /** `changes` of the connection when the turn is on the disk, and nothing else was done. */
  readonly changes: number
  readonly at: number
}

export class SqliteDeliveries implements DeliveryStore {
  private readonly db: Connection
  private voucher: Voucher | null = null

  constructor(db: Connection) {
    this.db = db
  }

  look(delivererId: string) {
    return this.db.read(() => this.db.remembered(`deliveries ${delivererId}`, () => lookAt(this.db, delivererId)))
  }

  turn(turn: DeliveryTurn) {
    this.voucher = null
    return this.db.writeAside(() => {
      const { result, isWhole } = takeTurn(this.db, turn)
      const { delivererId } = turn
      // the commit itself is one more
      this.voucher = isWhole ? { delivererId, changes: this.db.changes + 1, at: performance.now() } : null
      return result
    })
  }

  isHeld(delivererId: string, key: DeliveryKey) {
    const known = this.voucher
    const isVouched = known?.delivererId === delivererId && known.changes === this.db.changes
    if (isVouched && performance.now() - known.at < VOUCH_MS) return Promise.resolve(true)
    return this.db.read(() => isHeld(this.db, delivererId, key))
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

interface TakenTurn {
  readonly result: TurnResult
  /** Whether nothing that the process counts on was taken from it. */
  readonly isWhole: boolean
}

function takeTurn(connection: Connection, turn: DeliveryTurn): TakenTurn {
  const { delivererId, realNow, now } = turn
  const clock = readClock(connection)
  const nothing = { isLost: true, grants: [], events: [], clock, disabled: [] }
  if (readEpoch(connection) !== turn.epoch) return { result: nothing, isWhole: false }
  const disabled = keepOutcomes(connection, turn.outcomes)
  const others = livingOthers(connection, delivererId, realNow)
  if (!renew(connection, delivererId, turn)) return { result: { ...nothing, disabled }, isWhole: false }
  const isWhole = countHeld(connection, delivererId) === turn.holds()
  const grants = turn.wishes.map(wish => claim(connection, { delivererId, others, now }, wish))
  return { result: { isLost: false, grants, events: eventsOf(connection, grants, turn), clock, disabled }, isWhole }
}

/** What one turn reads ahead at most. */
const MOST_EVENT_BYTES = 2 << 20
const EVENT_BYTES = 500
/** A packed sample takes so much less than an unpacked one. */
const UNPACKING = 8

function eventsOf(connection: Connection, grants: readonly DeliveryGrant[], turn: DeliveryTurn): OutboxEvent[] {
  const events = new Map<string, OutboxEvent>()
  let bytes = 0
  for (const { userId, sequence } of grants.flatMap(({ again, first }) => [...again, ...first])) {
    const name = `${userId} ${sequence}`
    if (bytes > MOST_EVENT_BYTES) break
    if (events.has(name) || !turn.wants(userId, sequence)) continue
    const row = connection.get<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM outbox WHERE user_id=? AND sequence=?`,
      userId,
      sequence,
    )
    if (!row) continue
    bytes += EVENT_BYTES + (row.data?.length ?? 0) * UNPACKING + (row.document?.length ?? 0)
    events.set(name, eventOf(connection, row))
  }
  return [...events.values()]
}
