/**
 * Checks on a separate connection whether the store's server responds, because a busy server is not a dead one. If several checks get no
 * response, for example because the server's machine has lost power, all connections are closed. Otherwise, a call would wait for as long
 * as a statement may take.
 */
import { setImmediate as afterInput, setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { requirePrimary } from './pool.ts'

export interface LivenessOptions {
  /** A pool with a single connection. */
  readonly probe: Pool
  /** Translates driver errors. */
  readonly errorOf: (error: unknown) => unknown
}

/** Timeout for each check. */
export const LOOK_MS = 2_000
/** Timeout in milliseconds after which a check's connection is closed. */
export const PROBE = { connectionTimeoutMillis: 2 * LOOK_MS, query_timeout: 2 * LOOK_MS } as const
/** How long to wait for the server to confirm that a connection is closed. */
const GOODBYE_MS = 1_000
/** Number of checks without a response after which the server is considered unavailable. */
export const SILENT_LOOKS = 2

/** Uses the driver's wording. */
const SILENCE = new Error('Query read timeout')

export class Liveness {
  private readonly options: LivenessOptions
  private readonly open = new Set<PoolClient>()
  private looking: Promise<void> | null = null
  /** Number of consecutive checks without a response. */
  private silent = 0

  constructor(options: LivenessOptions) {
    this.options = options
    this.include(options.probe)
  }

  /** Registers a pool whose connections are closed when the server does not respond. */
  include(pool: Pool): void {
    pool.on('connect', client => this.open.add(client))
    pool.on('remove', client => this.open.delete(client))
  }

  /** Returns the error if the server is unavailable, or null. Only checks change this value. */
  get gone(): unknown {
    return this.silent < SILENT_LOOKS ? null : this.options.errorOf(SILENCE)
  }

  /** Throws ServiceError `store_unreachable` if the server does not respond in time or is read-only. */
  async look(): Promise<void> {
    // concurrent callers use the same check
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null
    })
    return this.looking
  }

  /** Closes every connection, so that pending calls fail. */
  breakAll(): void {
    for (const client of this.open) findSocket(client)?.destroy()
  }

  /**
   * Stops the checks, and closes connections whose end the server does not confirm, because they would keep the process alive. Call this
   * last.
   */
  async close(): Promise<void> {
    await this.options.probe.end()
    setTimeout(() => this.breakAll(), GOODBYE_MS).unref()
  }

  private async lookOnce(): Promise<void> {
    const { probe, errorOf } = this.options
    // a standby can be read, but a service that cannot write is of no use
    const asked = requirePrimary(probe).then(() => true)
    asked.catch(() => {})
    try {
      if ((await Promise.race([asked, late()])) === null) throw SILENCE
      this.silent = 0
    } catch (error) {
      if (error === SILENCE && ++this.silent >= SILENT_LOOKS) this.breakAll()
      if (error !== SILENCE) this.silent = 0
      throw errorOf(error)
    }
  }
}

/** Waits until a response is late. A response that arrived while this process was busy is handled first. */
async function late(): Promise<null> {
  await wait(LOOK_MS, undefined, { ref: false })
  await afterInput()
  return null
}

/** Returns a client's socket, which is missing from the driver's types. */
export function findSocket(client: PoolClient): { destroy(): void } | undefined {
  return (client as PoolClient & { readonly connection?: { readonly stream?: { destroy(): void } } }).connection?.stream
}
