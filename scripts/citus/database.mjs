/** The database of the cluster: a role without superuser rights on every server, and the database that it owns. */
import { randomBytes } from 'node:crypto'
import { startCitus } from '../../test/kit/postgres/citus.mjs'

/** The role of the nodes, and the name of its database. */
const SVC = 'svc'

/** Few shards are created and moved quickly. Two and three workers can share this number evenly. */
const SETTINGS = { 'citus.shard_count': 12 }

/**
 * Starts the servers. `urlAt(server)` is the URL of the database, with its password, and `superuserAt(server)` the same for the superuser.
 *
 * @param {import('../../test/kit/postgres/process-group.mjs').ProcessGroup} group
 * @param {number} port of the coordinator; 0: a free one
 */
export async function startDatabase(group, port) {
  const passwords = { postgres: randomBytes(18).toString('hex'), [SVC]: randomBytes(18).toString('hex') }
  const cluster = await startCitus({ group, port, passwords, settings: SETTINGS })
  await cluster.everywhere(`CREATE ROLE ${SVC} LOGIN PASSWORD '${passwords[SVC]}'`)
  await cluster.createDatabase(SVC, `OWNER ${SVC} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`)
  const url = (role, server) => `postgres://${role}:${passwords[role]}@127.0.0.1:${server.port}/${SVC}`
  return { cluster, database: SVC, urlAt: server => url(SVC, server), superuserAt: server => url('postgres', server) }
}
