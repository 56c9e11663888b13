/**
 * `npm run cluster`: a small production-like cluster on this machine, from Debian's packages, in temporary folders and on loopback:
 * PostgreSQL, a synchronous standby, two nodes, and a proxy in front. `--port N` is the proxy's port. With `--postgres-only`, PostgreSQL
 * and the standby. Ctrl-C stops everything gracefully, and a second one immediately. See docs/postgres.md.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { postgresOwner } from '../test/kit/postgres/binaries.mjs'
import { ProcessGroup } from '../test/kit/postgres/process-group.mjs'
import { freePort } from '../test/kit/postgres/server.mjs'
import { buildBundle, isStale } from './build.mjs'
import { findPrograms, Refused, readArguments } from './cluster/arguments.mjs'
import { startDatabase } from './cluster/database.mjs'
import { createKey, isReady, startNode } from './cluster/nodes.mjs'
import { startProxy } from './cluster/proxy.mjs'

const stopping = new AbortController()
const stopped = once(stopping.signal, 'abort')
/** In start order. They stop in reverse order. */
const groups = []

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)

try {
  await Promise.race([start(process.argv.slice(2)), stopped])
  await stopped
  console.error('Stopping. Press Ctrl-C again to stop at once.')
} catch (error) {
  process.exitCode = error instanceof Refused ? error.exitCode : 1
  console.error(error instanceof Refused ? error.message : error)
} finally {
  for (const group of groups.toReversed()) await group.stop()
}

async function start(args) {
  const wanted = readArguments(args)
  const { proxy } = findPrograms(wanted)
  const databases = newGroup('cluster-postgres', postgresOwner())
  console.error('Starting PostgreSQL and its standby.')
  const database = await startDatabase(databases)
  const servers = [database.primary, database.standby]
  if (wanted.isPostgresOnly)
    show(
      database,
      servers.map(each => each.process),
      databasesOnly(database),
    )
  else {
    if (isStale()) await buildBundle()
    console.error('Starting two nodes and the proxy.')
    const services = newGroup('cluster')
    const service = await startService(services, {
      program: proxy,
      port: wanted.port || (await freePort()),
      ...database,
    })
    show(database, [...servers.map(each => each.process), ...service.processes], service.facts)
  }
}

function newGroup(name, owner) {
  stopping.signal.throwIfAborted()
  const group = new ProcessGroup(name, owner)
  groups.push(group)
  return group
}

/** Starts the proxy first, because the nodes reach the primary through it. */
async function startService(group, { program, port, primary, standby, urlAt }) {
  const publicUrl = `http://127.0.0.1:${port}`
  const [databasePort, ...nodePorts] = await freePorts(3)
  const databasePorts = [primary.port, standby.port]
  const proxy = await startProxy(group, { program, port, databasePort, nodePorts, databasePorts })
  // until its first checks have failed, the proxy treats the standby as a primary too
  await proxy.ready(() => leadsToPrimary(primary, urlAt(databasePort)))
  const shared = { store: urlAt(databasePort), masterKey: randomBytes(32).toString('hex'), publicUrl }
  const nodes = []
  for (const [i, nodePort] of nodePorts.entries())
    nodes.push(await startNode(group, { name: `node-${i + 1}`, port: nodePort, ...shared }))
  const apiKey = await createKey(group, shared)
  await proxy.ready(() => isReady(publicUrl))
  const facts = {
    Service: publicUrl,
    'API key': apiKey,
    'For example': `curl -H 'x-service-api-key: ${apiKey}' ${publicUrl}/v2/user`,
    Database: urlAt(databasePort),
    Logs: group.folder,
  }
  return { processes: [...nodes, proxy], facts }
}

/** The proxy uses its servers in turn, so several responses in a row show that only the primary is left. */
async function leadsToPrimary(primary, url) {
  for (let i = 0; i < 6; i++) {
    const response = await primary.run('psql', ['-XAtd', url, '-c', 'SELECT pg_is_in_recovery()']).catch(() => '')
    if (response.trim() !== 'f') return false
  }
  return true
}

function databasesOnly({ primary, standby, urlAt }) {
  return { Primary: urlAt(primary.port), Standby: urlAt(standby.port) }
}

/** Prints the locations of everything. An unexpected exit is reported when it happens. */
function show({ primary, standby, superuserAt }, processes, facts) {
  const all = {
    ...facts,
    Processes: processes.map(({ name, pid }) => `${name} ${pid}`).join(', '),
    'Fail over': `kill -9 ${primary.pid} && psql '${superuserAt(standby.port)}' -c 'SELECT pg_promote()'`,
    Stop: 'Ctrl-C',
  }
  for (const [name, value] of Object.entries(all)) console.log(`${name.padEnd(12)} ${value}`)
  for (const each of processes)
    each.ended.then(() => stopping.signal.aborted || console.error(`${each.name} (${each.pid}) has ended.`))
}

async function freePorts(count) {
  const ports = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}

function onSignal() {
  if (stopping.signal.aborted) for (const group of groups) group.kill()
  else stopping.abort()
}
