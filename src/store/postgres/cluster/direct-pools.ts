/**
 * Connections to the cluster's machines themselves. A transaction that runs on the machine with its rows needs no other machine, which halves
 * its time. Machines that cannot be reached from here are reached through the store's own server.
 */
import type { Pool, PoolClient } from 'pg'
import type { Machine } from './machine-down.ts'

/** A connection to a machine must not take longer than the way through the store's own server. */
export const DIRECT = { connectionTimeoutMillis: 2_000 } as const
/** How long a machine that refused a connection is not tried again. */
const AVOIDED_MS = 30_000

export class DirectPools {
  private readonly open: (host: string, port: number) => Promise<Pool>
  private readonly pools = new Map<Machine, Promise<Pool>>()
  private readonly avoidedUntil = new Map<Machine, number>()

  constructor(open: (host: string, port: number) => Promise<Pool>) {
    this.open = open
  }

  /** Returns a connection to a machine, or null if it cannot be reached. */
  async connect(machine: Machine): Promise<PoolClient | null> {
    if (performance.now() < (this.avoidedUntil.get(machine) ?? 0)) return null
    try {
      return await (await this.pool(machine)).connect()
    } catch {
      this.avoidedUntil.set(machine, performance.now() + AVOIDED_MS)
      return null
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.pools.values()].map(async pool => (await pool).end()))
  }

  private pool(machine: Machine): Promise<Pool> {
    const known = this.pools.get(machine)
    if (known) return known
    const colon = machine.lastIndexOf(':')
    const pool = this.open(machine.slice(0, colon), Number(machine.slice(colon + 1)))
    this.pools.set(machine, pool)
    return pool
  }
}
