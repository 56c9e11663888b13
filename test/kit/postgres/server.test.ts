/** The PostgreSQL servers that tests, benchmarks and `npm run cluster` start. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { atEndOfFile } from '../end-of-file.ts'
import { temporaryFolder } from '../folder.ts'
import { until } from '../until.ts'
import { findPostgres, PostgresMissing, postgresOwner } from './binaries.mjs'
import { fakePostgres } from './fake-programs.ts'
import { ProcessGroup } from './process-group.mjs'
import { startPostgres, startStandby } from './server.mjs'

function hasPostgres(): boolean {
  try {
    return findPostgres().folder !== ''
  } catch (error) {
    if (error instanceof PostgresMissing) return false
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the search for PostgreSQL', () => {
  it('looks only in the folder in SVC_TEST_POSTGRES_BIN, and says what to install', () => {
    const folder = temporaryFolder()
    const search = () => findPostgres({ SVC_TEST_POSTGRES_BIN: folder, PATH: process.env['PATH'] })
    expect(search).toThrow(PostgresMissing)
    expect(search).toThrow(`There is no PostgreSQL in ${folder}`)
    expect(search).toThrow('apt-get install postgresql')
  })

  it('chooses the newest version, and none that is too old', () => {
    const folder = temporaryFolder()
    const [old, older] = [fakePostgres(folder, '14.2'), fakePostgres(folder, '9.6.24')]
    expect(() => findPostgres({ SVC_TEST_POSTGRES_BIN: old })).toThrow(/PostgreSQL 14 in .* is too old.* 15 or newer/)
    // a later version than Debian can have here
    const newest = fakePostgres(folder, '99.1')
    expect(findPostgres({ PATH: [older, newest, old].join(':') })).toEqual({ folder: newest, version: 99 })
  })
})

describe.skipIf(!hasPostgres())('a server', () => {
  it('listens on loopback only, with text in UTF-8 ordered by bytes', async () => {
    const server = await startPostgres({ isDurable: false, settings: { max_connections: 37 } })
    atEndOfFile(() => server.stop())
    const shown = ['server_encoding', 'lc_collate', 'fsync', 'max_connections', 'unix_socket_directories']
    const values = await server.sql(...shown.map(name => `SHOW ${name}`))
    expect(values.trim().split('\n')).toEqual(['UTF8', 'C', 'off', '37', server.group.folder])
    const others = Object.values(networkInterfaces()).flatMap(each => each ?? [])
    for (const { address } of others.filter(each => !each.internal && each.family === 'IPv4')) {
      expect(await once(connect(server.port, address), 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
    }
  })

  it('syncs its files unless told otherwise, and asks for a password if it has one', async () => {
    const server = await startPostgres({ password: "it's a secret" })
    expect(await server.sql('SHOW fsync', 'SHOW synchronous_commit')).toBe('on\non\n')
    const stranger = server.group.run(path.join(server.programs, 'psql'), ['-w', '-d', server.url('postgres')])
    await expect(stranger).rejects.toThrow('no password supplied')
    await server.stop()
    expect([existsSync(server.group.folder), isRunning(server.pid)]).toEqual([false, false])
  })

  it('still has its data when it is started after all of its processes were killed', async () => {
    const server = await startPostgres()
    await server.sql('CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (7)')
    const { pid } = server
    await server.kill()
    expect(isRunning(pid)).toBe(false)
    await server.start()
    expect(await server.sql('SELECT n FROM kept')).toBe('7\n')
    await server.stop()
  })

  it('ends, and its folder is removed, when the process that started it is killed', async () => {
    const module = path.join(import.meta.dirname, 'server.mjs')
    const script = `const { startPostgres } = await import(${JSON.stringify(module)})
      const { port, group } = await startPostgres({ isDurable: false })
      console.log(JSON.stringify({ port, folder: group.folder }))
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [text] = await once(child.stdout, 'data')
    const { port, folder } = JSON.parse(String(text)) as { port: number; folder: string }
    expect(existsSync(folder)).toBe(true)
    child.kill('SIGKILL')
    await until(() => !existsSync(folder))
    expect(await once(connect(port, '127.0.0.1'), 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  })

  it('that cannot start reports why, and leaves nothing behind', async () => {
    const group = new ProcessGroup('refused', postgresOwner())
    const start = startPostgres({ group, settings: { shared_buffers: 'much' } })
    await expect(start).rejects.toThrow(/primary ended before it was ready(.|\n)*shared_buffers/)
    await group.stop()
    expect(existsSync(group.folder)).toBe(false)
  })
})

describe.skipIf(!hasPostgres())('a standby', () => {
  it('has every acknowledged commit when the primary is killed, and accepts writes once it is promoted', async () => {
    const primary = await startPostgres({ password: 'secret' })
    atEndOfFile(() => primary.stop())
    const standby = await startStandby(primary)
    await primary.sql('CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (1), (2)')
    await expect(standby.sql('INSERT INTO kept VALUES (3)')).rejects.toThrow('read-only transaction')
    await primary.kill()
    await standby.promote()
    await standby.sql('INSERT INTO kept VALUES (3)')
    expect(await standby.sql('SELECT n FROM kept ORDER BY n')).toBe('1\n2\n3\n')
  })
})
