/** This process as one of the delivering processes: its ID, its view of the other processes, and whether it has its share of the slices. */
import type { EpochMs } from '../core/time.ts'
import { type DeliveryLook, fairShare, isOver } from '../store/delivery.ts'

const TICK_MS = 4_000

export class Membership {
  id: string
  /** Whether the ID is registered in the store, where other processes see it. */
  isRegistered = false
  private tickedAt = 0
  private othersUntil: readonly EpochMs[] = []
  private isUneven = false
  private readonly newId: () => string

  constructor(newId: () => string) {
    this.newId = newId
    this.id = newId()
  }

  /** Continues under a new ID. */
  becomeAnother(): void {
    this.id = this.newId()
    this.isRegistered = false
  }

  see({ othersUntil, slices, isKnown }: DeliveryLook, realNow: EpochMs): void {
    this.othersUntil = othersUntil
    const share = fairShare(1 + othersUntil.filter(until => !isOver(until, realNow)).length)
    this.isUneven = slices.own > share || (isKnown && slices.own < share && slices.free > 0)
  }

  /** Records a pass, which has brought the number of slices as close to the share as possible. */
  recordTick(realNow: EpochMs): void {
    this.isUneven = false
    this.tickedAt = realNow
  }

  /** Returns whether the process must run a pass, even if it has nothing to store or to lease. */
  needsTick(realNow: EpochMs, held: number): boolean {
    // a killed process's leases remain until another process detects that it is dead
    const hasDead = this.othersUntil.some(until => isOver(until, realNow))
    const isLate = held > 0 && Math.abs(realNow - this.tickedAt) > TICK_MS
    return isLate || hasDead || this.isUneven
  }
}
