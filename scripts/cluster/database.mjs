/** The database of a cluster: a primary, a synchronous standby, a role without superuser rights, and the database that it owns. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { startPostgres, startStandby } from '../../test/kit/postgres/server.mjs'

/** The role of the nodes, and the name of its database. */
const SVC = 'svc'

/** The role with which the proxy checks whether a server is the primary. It may log in, but read nothing. */
export const HEALTH = 'svc_health'

/** Enough for two nodes with all their threads, and for manual connections. */
const SETTINGS = { max_connections: 200 }

/**
 * Starts both servers. `urlAt(port)` is the URL of the database, with its password, at a server or a proxy of this port, and
 * `superuserAt(port)` the URL of the superuser.
 *
 * @param {import('../../test/kit/postgres/process-group.mjs').ProcessGroup} group
 */
export async function startDatabase(group) {
  const [superuser, own] = [randomBytes(18).toString('hex'), randomBytes(18).toString('hex')]
  const primary = await startPostgres({ group, password: superuser, settings: SETTINGS })
  const rules = path.join(primary.data, 'pg_hba.conf')
  writeFileSync(rules, `host postgres ${HEALTH} 127.0.0.1/32 trust\n${readFileSync(rules, 'utf8')}`)
  await primary.sql(
    'SELECT pg_reload_conf()',
    `CREATE ROLE ${HEALTH} LOGIN`,
    `CREATE ROLE ${SVC} LOGIN PASSWORD '${own}'`,
    `CREATE DATABASE ${SVC} OWNER ${SVC} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  )
  const standby = await startStandby(primary)
  return {
    primary,
    standby,
    urlAt: port => `postgres://${SVC}:${own}@127.0.0.1:${port}/${SVC}`,
    superuserAt: port => `postgres://postgres:${superuser}@127.0.0.1:${port}/postgres`,
  }
}
