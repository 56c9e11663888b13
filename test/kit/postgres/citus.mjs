/** A Citus cluster in temporary folders, on free loopback ports: a coordinator and its workers. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findPostgres, PostgresMissing, postgresOwner } from './binaries.mjs'
import { memoryFolder, ProcessGroup } from './process-group.mjs'
import { startPostgres } from './server.mjs'

const HOST = '127.0.0.1'

/**
 * Settings of every node. Transactions over several nodes are prepared on each of them, and moving a shard uses logical replication. Without
 * the connection setting, Citus creates certificates and encrypts the connections between the nodes, which never leave this machine.
 */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: 300,
  max_prepared_transactions: 300,
  max_worker_processes: 64,
  'citus.node_conninfo': 'sslmode=disable',
  'citus.local_hostname': HOST,
}

/** Explains why there is no Citus to start, and what to do. */
export class CitusMissing extends PostgresMissing {}

/** Returns the PostgreSQL that `findPostgres` finds, if it has the Citus extension. Throws PostgresMissing or CitusMissing. */
export function findCitus(env = process.env) {
  const found = findPostgres(env)
  if (existsSync(path.join(sharedFolder(found.folder), 'extension', 'citus.control'))) return found
  throw new CitusMissing(
    `PostgreSQL ${found.version} in ${found.folder} does not have the Citus extension. See "Get Citus" in docs/citus.md.`,
  )
}

/** Returns whether a cluster can be started here. */
export function hasCitus(env = process.env) {
  try {
    return findCitus(env).version > 0
  } catch (error) {
    if (error instanceof PostgresMissing) return false
    throw error
  }
}

/**
 * Creates a cluster and starts it. Throws PostgresMissing or CitusMissing if there is none here.
 *
 * @param {object} [options]
 * @param {ProcessGroup} [options.group] the group that it ends with; absent: its own group, which `stop` ends
 * @param {number} [options.port] of the coordinator; absent: a free one
 * @param {number} [options.workers] number of workers; absent: two
 * @param {boolean} [options.isDurable] whether commits reach the disk; the default
 * @param {Record<string, string>} [options.passwords] by role, among them `postgres`; absent: loopback is trusted
 * @param {Record<string, string | number>} [options.settings] lines of postgresql.conf on every node
 */
export async function startCitus({ group, port, workers = 2, passwords, ...options } = {}) {
  findCitus()
  const { isDurable = true, settings } = options
  const own = group ?? new ProcessGroup('citus', postgresOwner(), isDurable ? undefined : memoryFolder())
  const shared = { ...options, group: own, password: passwords?.postgres, settings: { ...SETTINGS, ...settings } }
  if (passwords !== undefined) shared.env = { PGPASSFILE: passwordsFile(own, passwords) }
  try {
    const coordinator = await startPostgres({ ...shared, name: 'coordinator', port })
    const cluster = new CitusCluster(coordinator, shared)
    while (cluster.workers.length < workers) await cluster.addWorker()
    return cluster
  } catch (error) {
    if (group === undefined) await own.stop()
    throw error
  }
}

/** The servers of a cluster, and the databases that span it. Roles have to be created on every server before they own a database. */
export class CitusCluster {
  coordinator
  workers = []
  group
  #shared
  #statements = []
  #databases = []
  #started = 0

  constructor(coordinator, shared) {
    this.coordinator = coordinator
    this.group = shared.group
    this.#shared = shared
  }

  get servers() {
    return [this.coordinator, ...this.workers]
  }

  /** Returns the URL of a database at the coordinator for the superuser, without a password. */
  url(database) {
    return this.coordinator.url(database)
  }

  /** Runs statements on every server, and on each worker that is added later. */
  async everywhere(...statements) {
    this.#statements.push(...statements)
    for (const server of this.servers) await server.sql(...statements)
  }

  /** Creates a database on every server, with the extension and the nodes that belong to it. `options` are those of CREATE DATABASE. */
  async createDatabase(name, options = '') {
    await this.everywhere(`CREATE DATABASE ${name} ${options}`)
    for (const server of this.servers) await server.sqlIn(name, 'CREATE EXTENSION citus')
    await this.coordinator.sqlIn(name, ...membership(this.coordinator, this.workers))
    this.#databases.push(name)
  }

  /** Starts another worker, and adds it to every database. Its shards come with `rebalance`. */
  async addWorker() {
    const worker = await startPostgres({ ...this.#shared, name: `worker-${++this.#started}` })
    if (this.#statements.length > 0) await worker.sql(...this.#statements)
    for (const name of this.#databases) {
      await worker.sqlIn(name, 'CREATE EXTENSION citus')
      await this.coordinator.sqlIn(name, added(worker))
    }
    this.workers.push(worker)
    return worker
  }

  /** Spreads the shards of a database evenly over the workers, while it stays readable and writable. Returns when all are moved. */
  async rebalance(database) {
    await this.coordinator.sqlIn(database, 'SELECT citus_rebalance_start()', 'SELECT citus_rebalance_wait()')
  }

  /** Moves the shards of a worker to the other workers, and stops it. */
  async removeWorker(worker) {
    for (const name of this.#databases) {
      const drained = `SELECT citus_drain_node('${HOST}', ${worker.port})`
      await this.coordinator.sqlIn(name, drained, `SELECT citus_remove_node('${HOST}', ${worker.port})`)
    }
    this.workers.splice(this.workers.indexOf(worker), 1)
    await worker.stop()
  }

  /** Returns the number of shards on each active worker, by port. */
  async shards(database) {
    const query = `SELECT nodeport, count(shardid) FROM pg_dist_node LEFT JOIN pg_dist_placement USING (groupid)
      WHERE groupid > 0 AND isactive GROUP BY nodeport`
    const lines = (await this.coordinator.sqlIn(database, query)).trim().split('\n')
    return Object.fromEntries(lines.map(line => line.split('|').map(Number)))
  }

  /** Stops every server gracefully, and removes the folder. */
  async stop() {
    await this.group.stop()
  }
}

/** Returns the statements that make servers the nodes of a database, which all of them have. They run in it, on the coordinator. */
export function membership(coordinator, workers) {
  return [`SELECT citus_set_coordinator_host('${HOST}', ${coordinator.port})`, ...workers.map(added)]
}

function added({ port }) {
  return `SELECT citus_add_node('${HOST}', ${port})`
}

/** The nodes of a cluster connect to each other with these passwords. */
function passwordsFile({ folder }, passwords) {
  const file = path.join(folder, 'passwords')
  const lines = Object.entries(passwords).map(([role, password]) => `${HOST}:*:*:${role}:${password}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  const owner = postgresOwner()
  if (owner) chownSync(file, owner.uid, owner.gid)
  return file
}

/** Returns the folder with the files of extensions; the folder of the programs if it cannot be found. */
function sharedFolder(programs) {
  try {
    return execFileSync(path.join(programs, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim()
  } catch {
    return programs
  }
}
