/**
 * Watches the machines of a Citus cluster, so that a machine that is down affects only the calls for its users. Each machine is asked for a
 * row through the store's own server, because svc may not be able to connect to workers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { AuditEntry } from '../../audit.ts'
import type { Expected, Query, SqlText, SqlValues, Step, Steps, StoreFacts } from '../../logic/steps.ts'
import { DIRECTORY } from '../../tables/teams.ts'
import { JOB } from '../../tables/users.ts'
import { findSocket, LOOK_MS, SILENT_LOOKS } from '../liveness.ts'
import { isConnectionLost } from '../retries.ts'
import type { DirectPools } from './direct-pools.ts'
import { lostMachine, type Machine, MachineDown } from './machine-down.ts'
import { type Owner, ownerOf, ShardMap } from './shard-map.ts'

/** How old the map of shards may become while nothing fails. If it is twice as old, only the store's own server is used. */
const MAP_MS = 30_000

/**
 * Statements that change nothing, but hold the rows of a user or team on their machine until the transaction ends. Without them, Citus would
 * lose changes while it moves rows to another machine: if a transaction has read a table, Citus sends its later changes of this table to the
 * machine of that read, even if the rows have moved in the meantime. A transaction that starts with a change has a lock that a move waits for.
 * Statements about several users are not covered, but what they lose is done again later (leases, byte counts).
 */
const HOLD: Readonly<Record<Owner['kind'], Query<unknown>>> = {
  user: { text: `DELETE FROM ${JOB.name} WHERE user_id=? AND kind=''` },
  team: { text: `DELETE FROM ${DIRECTORY.name} WHERE team_id=? AND client_user_id='' AND user_id=''` },
}

interface Trouble {
  /** When calls to the machine, or looks at it, started to fail. */
  readonly since: number
  /** Number of looks since then that failed. One that was refused counts like several without a response. */
  failedLooks: number
}

/** A connection that looks at one machine. */
interface Probe {
  readonly pool: Promise<Pool>
  /** The look in progress. */
  asking: Promise<boolean> | null
}

export class Machines {
  private readonly openProbe: () => Promise<Pool>
  private readonly direct: DirectPools
  private readonly probes = new Map<Machine | null, Probe>()
  private map = new ShardMap([])
  private mapReadAt = Number.NEGATIVE_INFINITY
  private readonly troubles = new Map<Machine, Trouble>()
  /** Connections in use, with the machine that their last statement needs, or `any` if it needs all of them. */
  private readonly busy = new Map<PoolClient, Machine | 'any'>()
  /** Connections to the machines themselves. */
  private readonly reached = new WeakMap<PoolClient, Machine>()
  private looking: Promise<void> | null = null
  private isClosed = false

  /** `openProbe` opens a pool with a single connection and short time limits. */
  constructor(openProbe: () => Promise<Pool>, direct: DirectPools) {
    this.openProbe = openProbe
    this.direct = direct
  }

  /** The share of users whose machines respond, from 0 to 1. */
  get reachableShare(): number {
    return 1 - this.map.shareOf(machine => this.isDown(machine))
  }

  /** Returns a connection to the machine that has the rows of a transaction, or null to use the store's own server. */
  async connectTo<T>(generator: () => Steps<T>, facts: StoreFacts): Promise<PoolClient | null> {
    const age = performance.now() - this.mapReadAt
    if (age > MAP_MS) this.look().catch(() => {})
    // a machine that has left the cluster does not know where rows are
    if (age > 2 * MAP_MS || this.isClosed) return null
    const owner = firstOwner(generator(), facts)
    const machine = owner === null ? undefined : this.map.machineOf(owner)
    if (machine === undefined || this.troubles.has(machine)) return null
    const client = await this.direct.connect(machine)
    if (client !== null) this.reached.set(client, machine)
    return client
  }

  /** Returns the error for a lost connection. One to a machine itself says nothing about the store's own server. */
  errorOf(error: unknown, client: PoolClient): unknown {
    const machine = this.reached.get(client)
    return machine !== undefined && isConnectionLost(error) && lostMachine(error) === null
      ? new MachineDown(machine)
      : error
  }

  /**
   * Returns an audit entry with an ID for which its row is on the machine of the user or team that it is about, so that a change and its
   * entry need only one machine.
   */
  placed(entry: AuditEntry): AuditEntry {
    const userId = entry.object['user_id']
    const machine = this.map.machineOf(
      userId === undefined ? { kind: 'team', id: entry.teamId } : { kind: 'user', id: userId },
    )
    return machine === undefined ? entry : { ...entry, entryId: this.map.idOn(machine, entry.entryId) }
  }

  /**
   * Returns a function to call before a statement is sent on a connection. It throws MachineDown if the rows' machine is down, and returns a
   * statement to send first, if there is one.
   */
  watching(client: PoolClient, isWrite: boolean): (text: SqlText, values: SqlValues) => Expected | null {
    let last: string | null = null
    const held = new Set<string>()
    return (text, values) => {
      const owner = ownerOf(text, values)
      if (owner === null) return null
      if (owner === 'anywhere') {
        this.refuseAnyDown()
        this.busy.set(client, 'any')
        last = null
        return null
      }
      if (owner.id !== last) {
        const machine = this.map.machineOf(owner)
        if (machine !== undefined) {
          if (this.isDown(machine)) throw new MachineDown(machine)
          this.busy.set(client, machine)
        }
        last = owner.id
      }
      if (!isWrite || held.has(owner.id)) return null
      held.add(owner.id)
      return { statement: HOLD[owner.kind], values: [owner.id] }
    }
  }

  /** Called when the transaction on a connection has ended. */
  ended(client: PoolClient): void {
    this.busy.delete(client)
  }

  /**
   * Returns since when the machine that an error is about is known to fail, or null if it is about none. A long transaction may have begun
   * before that.
   */
  failingSince(error: unknown): number | null {
    const machine = lostMachine(error)
    if (machine === null) return null
    this.look().catch(() => {})
    return this.troubleOf(machine, performance.now()).since
  }

  /** Looks at every machine. Rejects only if the store's own server does not respond. */
  look(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    // concurrent callers use the same look
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = null
    })
    return this.looking
  }

  /** Pools of connections to the machines. */
  get pools(): readonly Pool[] {
    return this.direct.opened
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.direct.close()
    await Promise.allSettled([...this.probes.values()].map(async ({ pool }) => (await pool).end()))
  }

  /** Learns which machine has which rows. */
  async learn(): Promise<void> {
    this.map = await ShardMap.read(await this.probe(null).pool)
    this.mapReadAt = performance.now()
  }

  private async lookOnce(): Promise<void> {
    if (performance.now() - this.mapReadAt > MAP_MS || this.troubles.size > 0) {
      await this.learn()
      for (const machine of this.troubles.keys())
        if (!this.map.machines.includes(machine)) this.troubles.delete(machine)
    }
    await Promise.all(this.map.machines.map(machine => this.lookAt(machine)))
  }

  private async lookAt(machine: Machine): Promise<void> {
    const began = performance.now()
    const probe = this.probe(machine)
    probe.asking ??= this.ask(machine, probe).finally(() => {
      probe.asking = null
    })
    const isSound = await Promise.race([probe.asking, wait(LOOK_MS, null, { ref: false })])
    if (isSound) this.troubles.delete(machine)
    else this.failed(machine, began, isSound === null ? 1 : SILENT_LOOKS)
  }

  private async ask(machine: Machine, { pool }: Probe): Promise<boolean> {
    try {
      await (await pool).query('SELECT 1 FROM "user" WHERE user_id=$1', [this.map.keyOn(machine)])
      return true
    } catch (error) {
      // the store's own server is watched by liveness.ts
      return lostMachine(error) === null && !/timeout/i.test(String(error))
    }
  }

  private failed(machine: Machine, began: number, looks: number): void {
    this.troubleOf(machine, began).failedLooks += looks
    if (!this.isDown(machine)) return
    // otherwise, statements would wait for as long as a statement may take
    for (const [client, needed] of this.busy) if (needed === machine || needed === 'any') findSocket(client)?.destroy()
  }

  private refuseAnyDown(): void {
    for (const machine of this.troubles.keys()) if (this.isDown(machine)) throw new MachineDown(machine)
  }

  private troubleOf(machine: Machine, began: number): Trouble {
    const known = this.troubles.get(machine)
    if (known) return known
    const trouble = { since: began, failedLooks: 0 }
    this.troubles.set(machine, trouble)
    return trouble
  }

  private isDown(machine: Machine): boolean {
    return (this.troubles.get(machine)?.failedLooks ?? 0) >= SILENT_LOOKS
  }

  private probe(machine: Machine | null): Probe {
    const known = this.probes.get(machine)
    if (known) return known
    const probe = { pool: this.openProbe(), asking: null }
    this.probes.set(machine, probe)
    return probe
  }
}

/** Returns the owner of the first rows that a transaction asks for, or null if it asks for others first. Does not run the transaction. */
function firstOwner(steps: Steps<unknown>, facts: StoreFacts): Owner | null {
  let next = steps.next()
  while (!next.done && next.value.kind === 'facts') next = steps.next(facts)
  const owner = next.done ? null : ownerOfStep(next.value, facts)
  return owner === 'anywhere' ? null : owner
}

function ownerOfStep(step: Step, facts: StoreFacts): ReturnType<typeof ownerOf> {
  switch (step.kind) {
    case 'remember':
      return firstOwner(step.transaction(), facts)
    case 'expect':
      return firstOf(step.queries().map(({ statement, values }) => ownerOf(statement.text, values)))
    case 'together':
      return firstOf(step.steps.map(each => ownerOfStep(each, facts)))
    case 'facts':
    case 'changes':
    case 'events':
    case 'count':
      return null
    default:
      return ownerOf(step.statement.text, step.values)
  }
}

function firstOf(owners: readonly ReturnType<typeof ownerOf>[]): Owner | null {
  for (const owner of owners) if (owner !== null && owner !== 'anywhere') return owner
  return null
}
