/** What a transaction on a Citus cluster does before its statements are sent. */
import type { Pool, PoolClient } from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Steps, type StoreFacts, send } from '../../../src/store/logic/steps.ts'
import type { DirectPools } from '../../../src/store/postgres/cluster/direct-pools.ts'
import { MachineDown } from '../../../src/store/postgres/cluster/machine-down.ts'
import { Machines } from '../../../src/store/postgres/cluster/machines.ts'
import { ShardMap } from '../../../src/store/postgres/cluster/shard-map.ts'

const LOWEST = -(2 ** 31)
/** Users below the hash 0 are on a:1, the others on b:1. Teams are on a:1. */
const SHARDS = [
  { owner: 'user', least: LOWEST, machine: 'a:1' },
  { owner: 'user', least: 0, machine: 'b:1' },
  { owner: 'team', least: LOWEST, machine: 'a:1' },
] as const
/** On b:1 and a:1, see shard-map.test.ts for their hashes. */
const [ON_B, ON_A] = ['8f14e45', 'aäc']
const OF_USER = 'SELECT 1 FROM "user" WHERE user_id=?'
const OF_TEAM = 'UPDATE team_order SET last=1 WHERE team_id=?'
const CLIENT = {} as unknown as PoolClient // only compared
const FACTS = {} as StoreFacts // not used by these transactions

afterEach(() => {
  vi.useRealTimers()
})

/** Machines of which `down` refuse connections. */
async function cluster(down: readonly string[] = []) {
  const map = new ShardMap(SHARDS)
  const probe = {
    query: async (text: string, [id = '']: readonly string[] = []) => {
      if (text.includes('pg_dist_shard')) return { rows: SHARDS }
      const machine = map.machineOf({ kind: 'user', id }) ?? ''
      if (down.includes(machine)) throw new Error(`connection to the remote node ${machine} failed`)
      return { rows: [] }
    },
    end: async () => {},
  }
  const direct = { opened: [], connect: async (machine: string) => ({ machine }), close: async () => {} }
  const machines = new Machines(
    async () => probe as unknown as Pool, // only these parts are used, here and below
    direct as unknown as DirectPools,
  )
  await machines.learn()
  return machines
}

function* change(text: string, id: string): Steps<void> {
  yield* send({ text }, [id])
}

describe('the statements of a transaction', () => {
  it('begin with one that holds the rows of each user and team, only if it may write', async () => {
    const machines = await cluster()
    const write = machines.watching(CLIENT, true)
    const ids = [ON_A, ON_A, ON_B, ON_A].map(id => write(OF_USER, [id])?.values ?? null)
    expect(ids).toEqual([[ON_A], null, [ON_B], null])
    expect(write(OF_TEAM, ['team'])).toMatchObject({ values: ['team'] })
    expect(write('SELECT 1 FROM "user"', [])).toBeNull()
    expect(write('SELECT 1 FROM team', [])).toBeNull()
    expect(machines.watching(CLIENT, false)(OF_USER, [ON_A])).toBeNull()
  })

  it('are all refused if the machine of their user is down, and only these', async () => {
    const machines = await cluster(['b:1'])
    await machines.look()
    const write = machines.watching(CLIENT, true)
    for (let i = 0; i < 2; i++) expect(() => write(OF_USER, [ON_B])).toThrow(MachineDown)
    expect(write(OF_USER, [ON_A])).not.toBeNull()
    expect(() => write('SELECT 1 FROM "user"', [])).toThrow(MachineDown)
    expect(write('SELECT 1 FROM team', [])).toBeNull()
    expect(() => write(OF_USER, [ON_B])).toThrow(MachineDown)
    expect(machines.reachableShare).toBe(0.5)
  })
})

describe('the connection of a transaction', () => {
  it('is one to the machine of its first rows', async () => {
    const machines = await cluster()
    const machineOf = (text: string, id: string) => machines.connectTo(() => change(text, id), FACTS)
    expect(await machineOf(OF_USER, ON_A)).toEqual({ machine: 'a:1' })
    expect(await machineOf(OF_USER, ON_B)).toEqual({ machine: 'b:1' })
    expect(await machineOf(OF_TEAM, 'team')).toEqual({ machine: 'a:1' })
    expect(await machineOf('SELECT 1 FROM "user"', ON_A)).toBeNull()
  })

  it('is one to the store’s own server if the machine is in trouble or the map is old', async () => {
    const troubled = await cluster(['b:1'])
    await troubled.look()
    expect(await troubled.connectTo(() => change(OF_USER, ON_B), FACTS)).toBeNull()
    vi.useFakeTimers({ toFake: ['performance'] })
    const machines = await cluster()
    vi.advanceTimersByTime(59_000)
    expect(await machines.connectTo(() => change(OF_USER, ON_A), FACTS)).toEqual({ machine: 'a:1' })
    vi.advanceTimersByTime(61_000)
    expect(await machines.connectTo(() => change(OF_USER, ON_A), FACTS)).toBeNull()
  })
})
