/** Counts lost, incomplete and misordered data when machines of a cluster are killed, added, removed or replaced while others write. */
import { startCitus } from '../../kit/postgres/citus.mjs'
import { startStandby } from '../../kit/postgres/server.mjs'
import { reported } from '../store/store-crashes.mjs'
import { fillStore, openEngine, startWriter } from '../store/store-processes.mjs'
import { pause } from '../webhooks/webhooks-processes.mjs'
import { clusterDatabase } from './citus-store.mjs'

const USERS = 64
const WRITERS_PER_NODE = 16
/** Number of shards of each table. */
const SHARDS = 12
/** Number of acknowledged writes after which a fault counts as survived. */
const ENOUGH = 40
/** Longest time after the last write in which every event must be seen. */
const MOST_DELAY_MS = 120_000
const EVERY = { types: null, since: null, until: null, state: null, endpointId: null, userId: null }

/** A filled store on a new cluster, two nodes that write, one through the coordinator and one through a worker, and a tail. */
async function openLoad(engine) {
  // fewer shards than usual, because moving one takes seconds, whatever its size
  const cluster = await startCitus({ settings: { 'citus.shard_count': SHARDS } })
  const database = await clusterDatabase(cluster)
  const filled = await fillStore(engine, database, { users: USERS, urls: [] })
  const urls = [filled.url, cluster.workers[0].url(database.name)]
  let from = 1
  const start = url => {
    const node = startWriter(engine, url, { users: filled.userIds, writers: WRITERS_PER_NODE, from })
    from += 1e8
    return { url, ...node }
  }
  const nodes = urls.map(start)
  const ended = []
  const tail = startTail(engine, filled)
  const acknowledged = () => [...ended, ...nodes].flatMap(node => node.acknowledged)
  return {
    cluster,
    database,
    nodes,
    acknowledged,
    /** Waits until the nodes have written some more. */
    async survived() {
      const before = nodes.map(node => node.acknowledged.length)
      while (nodes.some((node, i) => node.acknowledged.length < before[i] + ENOUGH)) await pause(10)
    },
    async replace(i) {
      const node = nodes[i]
      await node.kill()
      ended.push(node)
      nodes[i] = start(node.url)
    },
    /** Stops writing, reports everything, and removes the cluster. */
    async finish(figures, what) {
      await Promise.all(nodes.map(node => node.kill()))
      const all = acknowledged()
      await reported(engine, figures, filled, { acknowledged: all, what })
      const { missed, disordered, longestMs, delayMs } = await tail.finish(all)
      figures.add('  events missed by a tail', `${missed}`, '0', missed === 0)
      figures.add('  seconds after the last write until the last event was seen', (delayMs / 1000).toFixed(1))
      figures.add('  events out of order for a user', `${disordered}`, '0', disordered === 0)
      figures.add(
        '  longest wait for a write, for a page of events',
        `${longestOf(all)} ms, ${longestMs.toFixed(0)} ms`,
      )
      figures.add('  failed attempts by code', codesOf([...ended, ...nodes]))
      await filled.drop()
      await cluster.stop()
    },
  }
}

const longestOf = all => Math.max(0, ...all.map(({ waitedMs }) => waitedMs))

function codesOf(nodes) {
  const counts = {}
  for (const { failures } of nodes) for (const code of failures) counts[code] = (counts[code] ?? 0) + 1
  const entries = Object.entries(counts).map(([code, count]) => `${code} ${count}`)
  return entries.length === 0 ? 'none' : entries.join(', ')
}

/** Follows the events of the team until it has seen all, as a client does. */
function startTail(engine, filled) {
  const seen = new Set()
  const last = new Map()
  let isWanted = true
  let disordered = 0
  let longestMs = 0
  const follow = async () => {
    const reader = await openEngine(engine, filled.url)
    for (let after = null, idle = 0; isWanted || idle < 3; ) {
      const began = performance.now()
      const query = { ...EVERY, teamId: filled.team.teamId, order: 'asc', after, limit: 500 }
      const page = await reader.store.events.list(query).catch(() => null)
      longestMs = Math.max(longestMs, performance.now() - began)
      for (const { event } of page ?? []) {
        if (event.sequence <= (last.get(event.userId) ?? 0)) disordered++
        last.set(event.userId, event.sequence)
        seen.add(`${event.userId} ${event.sequence}`)
        after = { arrival: event.arrival, sequence: event.sequence }
      }
      if (page?.length !== 0) idle = 0
      else {
        idle++
        // a sweep gives the events of a killed process their positions
        await pause(isWanted ? 50 : 8_000)
      }
    }
    await reader.close()
  }
  const following = follow()
  return {
    async finish(acknowledged) {
      const missed = () => acknowledged.filter(each => !seen.has(`${each.userId} ${each.sequence}`)).length
      // Citus ends the commit of a transaction whose machine was lost after its recover_2pc_interval
      const began = performance.now()
      while (missed() > 0 && performance.now() - began < MOST_DELAY_MS) await pause(100)
      const delayMs = performance.now() - began
      isWanted = false
      await following
      return { missed: missed(), disordered, longestMs, delayMs }
    },
  }
}

export async function benchKills(engine, figures, { kills }) {
  const load = await openLoad(engine)
  const { cluster } = load
  await load.survived()
  for (const server of [...cluster.workers, cluster.coordinator]) {
    for (let kill = 0; kill < kills; kill++) {
      await pause(Math.random() * 300)
      await server.kill()
      await pause(Math.random() * 1_000)
      await server.start()
      await load.survived()
    }
  }
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * 300)
    await load.replace(kill % 2)
    await load.survived()
  }
  await load.finish(figures, `${kills} kills each of two workers, the coordinator and nodes`)
}

export async function benchMoves(engine, figures) {
  const load = await openLoad(engine)
  const { cluster, database } = load
  await load.survived()
  for (const name of ['third', 'fourth']) {
    await cluster.addWorker()
    const began = performance.now()
    await cluster.rebalance(database.name)
    figures.add(
      `rebalancing to a ${name} worker while 32 write`,
      `${((performance.now() - began) / 1000).toFixed(1)} s`,
    )
    await load.survived()
  }
  const began = performance.now()
  await cluster.removeWorker(cluster.workers.at(-1))
  figures.add('removing the fourth worker', `${((performance.now() - began) / 1000).toFixed(1)} s`)
  await load.survived()
  await load.finish(figures, 'three moves of shards')
}

export async function benchFailover(engine, figures) {
  const load = await openLoad(engine)
  const { cluster, database } = load
  const worker = cluster.workers[1]
  const standby = await startStandby(worker)
  await load.survived()
  await worker.kill()
  await standby.promote()
  await standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''", 'SELECT pg_reload_conf()')
  await cluster.coordinator.sqlIn(
    database.name,
    `SELECT citus_update_node(nodeid, '127.0.0.1', ${standby.port}) FROM pg_dist_node WHERE nodeport = ${worker.port}`,
  )
  await load.survived()
  await load.finish(figures, 'fail-over of a worker to its synchronous standby')
}
