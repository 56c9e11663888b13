/** Looks up leases. Attempts that begin at the same time use the same lookup, because each lookup is a transaction. */
import type { DeliveryKey } from '../../delivery.ts'
import type { Database } from '../database.ts'
import { together } from '../steps.ts'
import { isHeld } from './leases.ts'

interface Look {
  readonly delivererId: string
  readonly key: DeliveryKey
  readonly resolve: (isHeld: boolean) => void
  readonly reject: (error: unknown) => void
}

export class LeaseLooks {
  private readonly db: Database
  private waiting: Look[] = []

  constructor(db: Database) {
    this.db = db
  }

  /** Returns whether the delivery is still leased to the process. */
  isHeld(delivererId: string, key: DeliveryKey): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => void this.look())
      this.waiting.push({ delivererId, key, resolve, reject })
    })
  }

  private async look(): Promise<void> {
    const looks = this.waiting
    this.waiting = []
    try {
      const held = await this.db.read(() => together(...looks.map(({ delivererId, key }) => isHeld(delivererId, key))))
      for (const [i, { resolve }] of looks.entries()) resolve(held[i] ?? false)
    } catch (error) {
      for (const { reject } of looks) reject(error)
    }
  }
}
