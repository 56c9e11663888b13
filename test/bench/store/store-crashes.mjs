/** Counts lost, incomplete and misordered data when processes or servers are killed while others write. */
import { connect, createServer } from 'node:net'
import { startPostgres, startStandby } from '../../kit/postgres/server.mjs'
import { START } from '../samples/samples-store.mjs'
import { pause } from '../webhooks/webhooks-processes.mjs'
import { fillStore, openEngine, startWriter } from './store-processes.mjs'

const USERS = 40
const EVERY = { types: null, since: null, until: null, state: null, endpointId: null, userId: null }

/** Two nodes with four writers each, and a reader that follows the events of the team. */
export async function benchTail(engine, figures, { url, seconds }) {
  const filled = await fillStore(engine, url, { users: USERS, urls: [] })
  const reader = await openEngine(engine, filled.url)
  const nodes = [1, 1e8].map(from => startWriter(engine, filled.url, { users: filled.userIds, writers: 4, from }))
  const seen = new Set()
  const last = new Map()
  let disordered = 0
  let after = null
  const ends = performance.now() + seconds * 1_000
  let left = 3
  while (left > 0) {
    const query = { ...EVERY, teamId: filled.team.teamId, order: 'asc', after, limit: 500 }
    const page = await reader.store.events.list(query)
    for (const { event } of page) {
      if (event.sequence <= (last.get(event.userId) ?? 0)) disordered++
      last.set(event.userId, event.sequence)
      seen.add(`${event.userId} ${event.sequence}`)
      after = { arrival: event.arrival, sequence: event.sequence }
    }
    if (performance.now() < ends) continue
    if (left === 3) await Promise.all(nodes.map(node => node.kill()))
    // another process's sweep assigns positions to a killed process's events
    if (page.length === 0) {
      left--
      await pause(8_000)
    } else left = Math.min(left, 2)
  }
  const acknowledged = nodes.flatMap(node => node.acknowledged)
  const missed = acknowledged.filter(each => !seen.has(`${each.userId} ${each.sequence}`)).length
  await reader.close()
  await filled.drop()
  const rate = `${(acknowledged.length / seconds).toFixed(0)} /s`
  figures.add(`a tail beside 8 writers on 2 nodes, ${seconds} s: acknowledged`, `${acknowledged.length}`, rate)
  figures.add('  events missed', `${missed}`, '0', missed === 0)
  figures.add('  out of order for a user', `${disordered}`, '0', disordered === 0)
}

/** Kills a writer, and then every process of PostgreSQL, alternately. */
export async function benchKills(engine, figures, { kills }) {
  const server = await startPostgres()
  try {
    const filled = await fillStore(engine, server.url('postgres'), { users: USERS, urls: [] })
    const acknowledged = []
    for (let kill = 0; kill < kills; kill++) {
      const writer = startWriter(engine, filled.url, { users: filled.userIds, writers: 8, from: 1 + kill * 100_000 })
      while (writer.acknowledged.length < 50) await pause(10)
      await pause(Math.random() * 300)
      if (kill % 2 === 1) {
        await server.kill()
        await server.start()
        const before = writer.acknowledged.length
        while (writer.acknowledged.length < before + 20) await pause(10)
      }
      await writer.kill()
      acknowledged.push(...writer.acknowledged)
    }
    await reported(engine, figures, filled, {
      acknowledged,
      what: `${kills} kills, of a writer and of every PostgreSQL process in turns`,
    })
    await filled.drop()
  } finally {
    await server.stop()
  }
}

/** Kills the primary of a synchronous standby, and makes the standby the primary. */
export async function benchFailover(engine, figures) {
  const primary = await startPostgres()
  const relay = await startRelay(primary.port)
  try {
    const standby = await startStandby(primary)
    const primaryUrl = new URL(primary.url('postgres'))
    primaryUrl.port = `${relay.port}`
    const filled = await fillStore(engine, primaryUrl.href, { users: USERS, urls: [] })
    const nodes = [1, 1e8].map(from => startWriter(engine, filled.url, { users: filled.userIds, writers: 4, from }))
    while (nodes.some(node => node.acknowledged.length < 200)) await pause(10)
    const began = performance.now()
    await primary.kill()
    await standby.promote()
    await standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''", 'SELECT pg_reload_conf()')
    relay.leadTo(standby.port)
    const before = nodes.map(node => node.acknowledged.length)
    while (!nodes.some((node, i) => node.acknowledged.length > before[i])) await pause(1)
    const took = performance.now() - began
    await pause(2_000)
    await Promise.all(nodes.map(node => node.kill()))
    const acknowledged = nodes.flatMap(node => node.acknowledged)
    await reported(engine, figures, filled, { acknowledged, what: 'fail-over to a synchronous standby, two nodes' })
    figures.add('  from the kill of the primary to the first success', `${took.toFixed(0)} ms`)
    await filled.drop()
    await standby.stop()
  } finally {
    relay.close()
    await primary.stop()
  }
}

/** Searches for all acknowledged data, and checks the store. */
export async function reported(engine, figures, filled, { acknowledged, what }) {
  const store = (await openEngine(engine, filled.url)).store
  let lost = 0
  for (const userId of filled.userIds) {
    const mine = acknowledged.filter(each => each.userId === userId)
    const events = new Map()
    for (let after = 0; ; ) {
      const some = await store.events.ofUser(userId, after, 500)
      for (const event of some) events.set(event.sequence, event)
      if (some.length === 0) break
      after = some.at(-1).sequence
    }
    const starts = new Set()
    const all = { resource: 'heartrate', provider: null, from: START, to: Number.MAX_SAFE_INTEGER }
    for await (const { columns } of store.samples.scan(userId, all))
      for (let i = 0; i < columns.n; i++) starts.add(columns.start[i])
    lost += mine.filter(
      ({ number, sequence }) =>
        events.get(sequence)?.data.document?.data.number !== `${userId}:${number}` ||
        !starts.has(START + number * 1_000),
    ).length
  }
  const problems = []
  for await (const problem of store.upkeep.check()) problems.push(problem)
  await store.close()
  figures.add(`${what}: acknowledged`, `${acknowledged.length}`)
  figures.add('  acknowledged and lost, or torn', `${lost}`, '0', lost === 0)
  figures.add('  problems that the check finds', `${problems.length}`, '0', problems.length === 0)
  for (const problem of problems.slice(0, 5)) console.log(problem)
}

/** Replaces the proxy in front of a pair of servers. */
async function startRelay(first) {
  let target = first
  const sockets = new Set()
  const server = createServer(near => {
    const far = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    leadTo(port) {
      target = port
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
