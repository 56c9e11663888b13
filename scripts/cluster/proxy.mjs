/** HAProxy in front of the nodes, and between the nodes and the server that is the primary. docs/postgres.md explains the settings. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { HEALTH } from './database.mjs'

/**
 * Starts the proxy. `port` is the port of the service, `databasePort` the port of the primary.
 *
 * @param {import('../../test/kit/postgres/process-group.mjs').ProcessGroup} group
 */
export async function startProxy(group, { program, port, databasePort, nodePorts, databasePorts }) {
  const file = path.join(group.folder, 'haproxy.cfg')
  writeFileSync(file, configuration({ port, databasePort, nodePorts, databasePorts }))
  return group.start('proxy', program, ['-db', '-f', file])
}

function configuration({ port, databasePort, nodePorts, databasePorts }) {
  return `defaults
  timeout connect 2s

frontend svc
  mode http
  bind 127.0.0.1:${port}
  timeout client 125s
  option forwardfor
  default_backend nodes

backend nodes
  mode http
  timeout server 10m
  balance leastconn
  option redispatch
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1
${servers('node', nodePorts)}

frontend primary
  mode tcp
  bind 127.0.0.1:${databasePort}
  timeout client 1h
  default_backend databases

backend databases
  mode tcp
  timeout server 1h
  option tcp-check
  tcp-check connect
  tcp-check send-binary ${startup(HEALTH, 'postgres')}
  tcp-check expect binary 5a0000000549
  tcp-check send-binary ${query('SELECT pg_is_in_recovery()')}
  tcp-check expect binary ${row('f')}
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers('database', databasePorts)}
`
}

function servers(name, ports) {
  return ports.map((port, i) => `  server ${name}-${i + 1} 127.0.0.1:${port}`).join('\n')
}

/** Returns the first message of a connection to PostgreSQL, in hexadecimal. */
function startup(user, database) {
  return message(`\0\x03\0\0user\0${user}\0database\0${database}\0\0`)
}

function query(text) {
  return Buffer.from('Q').toString('hex') + message(`${text}\0`)
}

/** Returns the message for a row with one short text. */
function row(text) {
  return Buffer.from('D').toString('hex') + message(`\0\x01\0\0\0${String.fromCharCode(text.length)}${text}`)
}

/** Returns a message preceded by its length, which includes itself. */
function message(content) {
  const bytes = Buffer.from(content, 'latin1')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length + 4)
  return Buffer.concat([length, bytes]).toString('hex')
}
