/**
 * `npm run citus`: a Citus cluster on this machine, in temporary folders and on loopback: a coordinator, two workers, and a database for svc.
 * `--port N` is the coordinator's port, and `--folder DIR` contains the temporary folders. `--add-worker FOLDER` adds a worker to the cluster
 * that runs in this folder, and moves shards to it. Ctrl-C stops everything gracefully, and a second one immediately. See docs/citus.md.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { postgresOwner } from '../test/kit/postgres/binaries.mjs'
import { readArguments, requireCitus } from './citus/arguments.mjs'
import { acceptRequests, requestWorker } from './citus/control.mjs'
import { startDatabase } from './citus/database.mjs'
import { Refused, requireFree } from './cluster/arguments.mjs'
import { showFacts, untilStopped } from './cluster/until-stopped.mjs'

const wanted = parsed()
if (wanted?.addWorkerTo !== undefined) await requestWorker(wanted.addWorkerTo).catch(refuse)
else if (wanted !== undefined) await untilStopped(tools => start(wanted, tools))

async function start({ port, folder }, { newGroup, report }) {
  requireCitus()
  await requireFree(port)
  const group = newGroup('citus', postgresOwner(), folder)
  console.error('Starting the coordinator and two workers.')
  const { cluster, database, urlAt, superuserAt } = await startDatabase(group, port)
  for (const server of cluster.servers) report(server.process)
  await acceptRequests(group.folder, async say => {
    say('Starting a worker.')
    const worker = await cluster.addWorker()
    report(worker.process)
    say('Moving shards to it. Meanwhile, the database can be read and written.')
    await cluster.rebalance(database)
    say(`Shards by port: ${shown(await cluster.shards(database))}`)
    say(`Process: ${worker.name} ${worker.pid}. URL: ${urlAt(worker)}`)
  })
  showFacts({
    Coordinator: urlAt(cluster.coordinator),
    Workers: cluster.workers.map(urlAt).join(', '),
    Superuser: superuserAt(cluster.coordinator),
    'Use it': `export ${variables(urlAt(cluster.coordinator), path.join(group.folder, 'data'))}`,
    'Add worker': `npm run citus -- --add-worker ${group.folder}`,
    Processes: cluster.servers.map(({ process: { name, pid } }) => `${name} ${pid}`).join(', '),
    Logs: group.folder,
    Stop: 'Ctrl-C',
  })
}

/** Returns the settings of svc, for a shell. */
function variables(url, dataDir) {
  return `SVC_STORE='${url}' SVC_MASTER_KEY=${randomBytes(32).toString('hex')} SVC_DATA_DIR='${dataDir}'`
}

function parsed() {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    refuse(error)
  }
}

function refuse(error) {
  if (!(error instanceof Refused)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}

function shown(counts) {
  return Object.entries(counts)
    .map(([port, count]) => `${port}: ${count}`)
    .join(', ')
}
