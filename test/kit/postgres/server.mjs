/** A PostgreSQL server in a temporary folder, on a free loopback port. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, postgresOwner } from './binaries.mjs'
import { memoryFolder, ProcessGroup } from './process-group.mjs'

const SUPERUSER = 'postgres'
/** Number and interval of checks whether killed processes have ended: 5 s in all. */
const MOST_LOOKS = 100
const LOOK_MS = 50

/** Settings for data that is not needed after a crash of the machine. */
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * Creates a server and starts it. Throws PostgresMissing if there is none here.
 *
 * @param {object} [options]
 * @param {string} [options.name] of its process, log and data folder; absent: `primary`
 * @param {number} [options.port] absent: a free one
 * @param {ProcessGroup} [options.group] the group that it ends with; absent: its own group, which `stop` ends
 * @param {boolean} [options.isDurable] whether commits reach the disk; the default. Otherwise the server is in memory, if that has room
 * @param {string} [options.password] of the superuser; absent: loopback is trusted
 * @param {Record<string, string | number>} [options.settings] lines of postgresql.conf
 * @param {Record<string, string>} [options.env] environment of the server, for its own connections to other servers
 */
export async function startPostgres({
  name = 'primary',
  port,
  group,
  isDurable = true,
  password,
  settings = {},
  env,
} = {}) {
  const { folder: programs } = findPostgres()
  const owner = postgresOwner()
  const own = group ?? new ProcessGroup('postgres', owner, isDurable ? undefined : memoryFolder())
  const place = { programs, group: own, password, port: port || (await freePort()), env, isAlone: group === undefined }
  const server = new PostgresServer(name, place)
  try {
    const login =
      password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile(server, owner)}`]
    const locale = ['--encoding=UTF8', '--locale=C']
    await server.run('initdb', ['-D', server.data, '-U', SUPERUSER, ...locale, ...login, '--no-sync'])
    const lines = Object.entries({ ...(isDurable ? {} : NOT_DURABLE), ...settings })
    appendFileSync(
      path.join(server.data, 'postgresql.conf'),
      lines.map(([key, value]) => `${key} = '${value}'\n`).join(''),
    )
    await server.start()
  } catch (error) {
    await server.stop()
    throw error
  }
  return server
}

/**
 * Starts a hot standby from a copy of the primary, with a replication slot, and makes the primary wait for it at each commit.
 *
 * @param {PostgresServer} primary
 */
export async function startStandby(primary, name = 'standby') {
  const { programs, group, password, env } = primary
  const standby = new PostgresServer(name, { programs, group, password, port: await freePort(), env, isAlone: false })
  const source = `${primary.url('postgres')}?application_name=${name}`
  await standby.run('pg_basebackup', [
    ...['-d', source, '-D', standby.data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
    ...['--create-slot', `--slot=${name}`, '--wal-method=stream'],
  ])
  await standby.start()
  await primary.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`, 'SELECT pg_reload_conf()')
  const state = `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${name}'`
  await standby.process.ready(async () => (await primary.sql(state)).trim() === 'sync')
  return standby
}

export class PostgresServer {
  name
  programs
  group
  password
  port
  env
  data
  process
  #isAlone

  constructor(name, { programs, group, password, port, env, isAlone }) {
    Object.assign(this, { name, programs, group, password, port, env })
    this.#isAlone = isAlone
    this.data = path.join(group.folder, `${name}-data`)
  }

  get pid() {
    return this.process.pid
  }

  /** Returns the URL of a database for the superuser, without a password. */
  url(database) {
    return `postgres://${SUPERUSER}@127.0.0.1:${this.port}/${database}`
  }

  /** Starts the server, even after it was killed, and waits until it accepts connections. */
  async start() {
    const place = [`port=${this.port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${this.group.folder}`]
    const args = ['-D', this.data, ...place.flatMap(setting => ['-c', setting])]
    this.process = this.group.start(this.name, path.join(this.programs, 'postgres'), args, this.env)
    await this.process.ready(() => this.#isReady())
  }

  /** Runs statements in the database `postgres`, each in its own transaction, and returns the rows as text. */
  sql(...statements) {
    return this.sqlIn('postgres', ...statements)
  }

  /** Does the same in another database. */
  sqlIn(database, ...statements) {
    const commands = statements.flatMap(statement => ['-c', statement])
    return this.run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', this.url(database), ...commands])
  }

  /** Runs a PostgreSQL program. */
  run(program, args) {
    const login = this.password === undefined ? {} : { PGPASSWORD: this.password }
    return this.group.run(path.join(this.programs, program), args, login)
  }

  /** Stops the server gracefully, and removes its folder if it has its own. */
  async stop() {
    await (this.#isAlone ? this.group.stop() : this.process?.stop())
  }

  /** Makes a standby the primary. */
  async promote() {
    await this.sql('SELECT pg_promote()')
  }

  /** Ends every process of the server at once, as a crash of the machine does, except that the disk keeps written data. */
  async kill() {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    const rows = table.split('\n').map(line => line.trim().split(/\s+/).map(Number))
    const children = rows.filter(([, parent]) => parent === this.pid).map(([pid]) => pid)
    for (const pid of [this.pid, ...children]) killIfRunning(pid)
    await this.process.ended
    // while one of them is still ending, it keeps the shared memory, and a new server refuses to start
    for (let tries = 0; tries < MOST_LOOKS && isRunning(children); tries++) await sleep(LOOK_MS)
  }

  /** The state is in the last line of the server's lock file. */
  #isReady() {
    try {
      const [pid, , , , , , , state] = readFileSync(path.join(this.data, 'postmaster.pid'), 'utf8').split('\n')
      return Number(pid) === this.pid && ['ready', 'standby'].includes(state?.trim())
    } catch {
      return false
    }
  }
}

/** Returns a loopback port that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A file, because the arguments of programs are visible to everyone. */
function passwordFile({ group, password }, owner) {
  const file = path.join(group.folder, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  if (owner) chownSync(file, owner.uid, owner.gid)
  return file
}

/** Whether one of the processes has not ended. An ended process may have no parent that reads its status. */
function isRunning(pids) {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pids.join(',')], { encoding: 'utf8' })
  return stdout.split('\n').some(state => state !== '' && !state.trim().startsWith('Z'))
}

function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
