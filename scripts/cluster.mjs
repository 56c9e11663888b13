/**
 * `npm run cluster`: a small production-like cluster on this machine, from Debian's packages, in temporary folders and on loopback:
 * PostgreSQL, a synchronous standby, two nodes, and a proxy in front. `--port N` is the proxy's port. With `--postgres-only`, PostgreSQL
 * and the standby. Ctrl-C stops everything gracefully, and a second one immediately. See docs/postgres.md.
 */
import { randomBytes } from 'node:crypto'
import { postgresOwner } from '../test/kit/postgres/binaries.mjs'
import { freePort } from '../test/kit/postgres/server.mjs'
import { buildBundle, isStale } from './build.mjs'
import { findPrograms, readArguments } from './cluster/arguments.mjs'
import { startDatabase } from './cluster/database.mjs'
import { createKey, isReady, startNode } from './cluster/nodes.mjs'
import { startProxy } from './cluster/proxy.mjs'
import { showFacts, untilStopped } from './cluster/until-stopped.mjs'

await untilStopped(async tools => {
  const wanted = readArguments(process.argv.slice(2))
  const { proxy } = findPrograms(wanted)
  const databases = tools.newGroup('cluster-postgres', postgresOwner())
  console.error('Starting PostgreSQL and its standby.')
  const database = await startDatabase(databases)
  const servers = [database.primary, database.standby]
  if (wanted.isPostgresOnly)
    show(
      database,
      servers.map(each => each.process),
      { facts: databasesOnly(database), ...tools },
    )
  else {
    if (isStale()) await buildBundle()
    console.error('Starting two nodes and the proxy.')
    const services = tools.newGroup('cluster')
    const service = await startService(services, {
      program: proxy,
      port: wanted.port || (await freePort()),
      ...database,
    })
    show(database, [...servers.map(each => each.process), ...service.processes], { facts: service.facts, ...tools })
  }
})

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
function show({ primary, standby, superuserAt }, processes, { facts, report }) {
  showFacts({
    ...facts,
    Processes: processes.map(({ name, pid }) => `${name} ${pid}`).join(', '),
    'Fail over': `kill -9 ${primary.pid} && psql '${superuserAt(standby.port)}' -c 'SELECT pg_promote()'`,
    Stop: 'Ctrl-C',
  })
  for (const each of processes) report(each)
}

async function freePorts(count) {
  const ports = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}
