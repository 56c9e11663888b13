/** Connections that break. */
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { clientConfig } from '../../../src/store/postgres/client-config.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { LET_IN, storeThat } from './fake-server.ts'

it('fail the next query, and do not end the process', async () => {
  const sockets: Socket[] = []
  const url = await storeThat(socket => {
    sockets.push(socket)
    socket.write(LET_IN)
  })
  // this server responds to no query, not even the one for its standby state
  const pool = await openPool({ ...clientConfig(url), verify: undefined })
  atEndOfFile(() => pool.end())
  const client = await pool.connect()
  // an error outside of a query would be an uncaught exception, which fails the test
  const ended = new Promise(resolve => client.once('end', resolve))
  sockets[0]?.resetAndDestroy()
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow()
  client.release(true)
})
