/**
 * Connections to the cluster's machines themselves. A transaction that runs on the machine with its rows needs no other machine, which
 * shortens it. Machines that cannot be reached from here are reached through the store's own server.
 */
import type { Pool, PoolClient } from 'pg'
import type { Machine } from './machine-down.ts'

/** Time to wait for a connection before the store's own server is used instead. */
export const DIRECT = { connectionTimeoutMillis: 2_000 } as const
/** How long a machine that refused a connection is not tried again. */
const AVOIDED_MS = 30_000

export class DirectPools {
  private readonly open: (host: string, port: number) => Promise<Pool>
  private readonly pools = new Map<Machine, Promise<Pool>>()
  private readonly avoidedUntil = new Map<Machine, number>()
  readonly opened: Pool[] = []

  /** `open` rejects if the machine does not belong to the store. */
  constructor(open: (host: string, port: number) => Promise<Pool>) {
    this.open = open
  }

  /** Returns a connection to a machine, or null if it cannot be reached. */
  async connect(machine: Machine): Promise<PoolClient | null> {
    const until = this.avoidedUntil.get(machine)
    if (until !== undefined || !this.pools.has(machine)) {
      if (performance.now() < (until ?? 0)) return null
      // one transaction tries, and the others do not wait for it
      this.avoid(machine)
    }
    let pool: Pool | undefined
    try {
      pool = await this.pool(machine)
      const client = await pool.connect()
      this.avoidedUntil.delete(machine)
      return client
    } catch {
      // if there are connections, they are all in use
      if (!pool?.totalCount) this.avoid(machine)
      return null
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.pools.values()].map(async pool => (await pool).end()))
  }

  private avoid(machine: Machine): void {
    this.avoidedUntil.set(machine, performance.now() + AVOIDED_MS)
  }

  private pool(machine: Machine): Promise<Pool> {
    const known = this.pools.get(machine)
    if (known) return known
    const colon = machine.lastIndexOf(':')
    const opening = this.open(machine.slice(0, colon), Number(machine.slice(colon + 1)))
    this.pools.set(machine, opening)
    opening.then(
      pool => this.opened.push(pool),
      () => this.pools.delete(machine),
    )
    return opening
  }
}
