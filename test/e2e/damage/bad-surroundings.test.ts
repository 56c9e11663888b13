/** Broken settings, folders, servers and disks: one message, the documented exit code, no harm. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { exportXml, record } from '../../connectors/files/exports.ts'
import { expectRefusal } from '../../kit/refusal.ts'
import { binary, type Run, Sandbox, svcCommand } from '../../kit/sandbox.ts'
import { serve } from '../../kit/serve.ts'
import { hasSmallDisks, smallDisk } from '../../kit/small-disk.ts'

const sandbox = new Sandbox()
const inSandbox = (...names: string[]) => path.join(sandbox.folder, ...names)

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
})

describe('the profile file', () => {
  test.each([
    ['is not valid JSON', '{"current": "local",', /is not valid JSON/],
    ['holds a list', '[]', /does not contain a JSON object/],
    ['has a base URL that is a number', '{"profiles":{"x":{"baseUrl":1}}}', /"baseUrl" in profile "x"/],
    ['names a profile that is gone', '{"current":"gone"}', /No profile is named "gone"/],
  ])('%s: the message contains the position, and the file is not changed', async (_what, content, says) => {
    const folder = inSandbox('broken-config')
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, 'profiles.json')
    writeFileSync(file, content)
    const env = { SVC_CONFIG_DIR: folder }
    expectRefusal(await sandbox.run(['user', 'list'], { env }), 2, says)
    if (!content.includes('gone')) {
      const add = ['profile', 'add', 'mine', '--base-url', 'http://127.0.0.1:1']
      expectRefusal(await sandbox.run(add, { env }), 2, [says, /profiles\.json/])
    }
    expect(readFileSync(file, 'utf8')).toBe(content)
  })
})

describe('the data folder', () => {
  const create = (folder: string): Promise<Run> => sandbox.run(['user', 'create', 'eve', '--data-dir', folder])

  test('is refused if its path leads through a file', async () => {
    writeFileSync(inSandbox('notes.txt'), 'mine')
    expectRefusal(await create(inSandbox('notes.txt', 'data')), 2, [/notes\.txt/, /--data-dir/])
    expect(readFileSync(inSandbox('notes.txt'), 'utf8')).toBe('mine')
  })

  test.skipIf(process.platform !== 'linux')('is refused where no folder can be created', async () => {
    expectRefusal(await create('/proc/svc/data'), 2, [/\/proc\/svc\/data/, /--data-dir/])
  })

  test.skipIf(process.platform === 'win32')('is refused if it is not writable', async () => {
    mkdirSync(inSandbox('read-only'), { mode: 0o500 })
    const refused = await sandbox.run(['user', 'create', 'eve', '--data-dir', inSandbox('read-only')], {
      isBoundByPermissions: true,
    })
    expectRefusal(refused, 2, /no permission to write/)
    chmodSync(inSandbox('read-only'), 0o700)
    expect(readdirSync(inSandbox('read-only'))).toEqual([])
  })

  test.each([
    ['was made by a newer version', 'newer', /migrated by a newer svc[\s\S]*Update svc/, newerDatabase],
    ['holds a file that is no database', 'no-database', /not an svc database/, noDatabase],
    ['holds a database of something else', 'other-database', /not created by svc/, otherDatabase],
  ] as const)('%s: the database stays untouched', async (_what, name, says, make) => {
    mkdirSync(inSandbox(name))
    const database = inSandbox(name, 'svc.db')
    make(database)
    const before = digest(database)
    expectRefusal(await create(inSandbox(name)), 2, says)
    expect(digest(database)).toBe(before)
  })
})

function newerDatabase(file: string): void {
  const database = new DatabaseSync(path.join(sandbox.env['SVC_DATA_DIR'] as string, 'svc.db'))
  database.exec(`VACUUM INTO '${file}'`)
  database.close()
  const copy = new DatabaseSync(file)
  copy.exec('PRAGMA journal_mode=WAL; PRAGMA user_version=4711')
  copy.close()
}

function noDatabase(file: string): void {
  writeFileSync(file, 'These are notes of mine.\n'.repeat(400))
}

function otherDatabase(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE recipe (name TEXT)')
  database.close()
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

describe.skipIf(process.platform === 'win32')('files that others can read', () => {
  const warnings = (stderr: string) => stderr.split('\n').filter(line => line.startsWith('Warning: '))

  test('each cause one warning on stderr, with the command that fixes it', async () => {
    const folder = inSandbox('open-files')
    await sandbox.json(['user', 'create', 'ada', '--data-dir', folder])
    const key = path.join(folder, 'master.key')
    writeFileSync(key, `${'ab'.repeat(32)}\n`)
    chmodSync(key, 0o644)
    chmodSync(path.join(folder, 'svc.db'), 0o660)
    const run = await sandbox.run(['user', 'list', '--json', '--data-dir', folder])
    expect(run.status).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({ total: 1 })
    expect(warnings(run.stderr)).toEqual([
      expect.stringMatching(/svc\.db has mode 0660: .* Run: chmod 600 \S+svc\.db$/),
      expect.stringMatching(/master\.key has mode 0644: .* Run: chmod 600 \S+master\.key$/),
    ])
    for (const warning of warnings(run.stderr)) spawnSync('/bin/sh', ['-c', warning.replace(/^.*Run: /, '')])
    expect((await sandbox.run(['user', 'list', '--data-dir', folder])).stderr).toBe('')
  })

  test('cause a warning in the log of a server', async () => {
    const folder = inSandbox('open-files-served')
    await sandbox.json(['user', 'create', 'ada', '--data-dir', folder])
    chmodSync(path.join(folder, 'svc.db'), 0o644)
    const server = await serve(sandbox, ['--data-dir', folder, '--log-format', 'json'])
    await server.stop('SIGTERM')
    const lines = server
      .log()
      .split('\n')
      .filter(line => line.includes('0644'))
    expect(lines.map(line => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'note', message: expect.stringMatching(/svc\.db has mode 0644/) }),
    ])
  })

  test('are never created: commands write private files', async () => {
    const out = inSandbox('users.csv')
    const before = process.umask(0o022)
    try {
      const args = ['timeseries', 'get', 'ada', 'heartrate', '--start', '2026-01-01', '-o', out]
      expect((await sandbox.run(args)).status).toBe(0)
      await sandbox.run(['profile', 'add', 'mine', '--data-dir', inSandbox('elsewhere')])
    } finally {
      process.umask(before)
    }
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect(statSync(sandbox.env['SVC_CONFIG_DIR'] as string).mode & 0o777).toBe(0o700)
  })
})

describe('servers', () => {
  const KEY = 'sk_us_0123456789abcdef'
  const remote = (url: string, args: readonly string[] = ['user', 'list']) =>
    sandbox.run([...args, '--base-url', url], { env: { SVC_API_KEY: KEY } })

  test('report a port in use and a remedy', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => holder.once('listening', resolve))
    const { port } = holder.address() as AddressInfo
    const run = await sandbox.run(['serve', '--port', `${port}`])
    holder.close()
    expectRefusal(run, 2, [new RegExp(`Port ${port}`), /--port 0/])
    expect(existsSync(path.join(sandbox.env['SVC_DATA_DIR'] as string, 'serve.json'))).toBe(false)
  })

  test.each([
    ['a page in HTML', 200, { 'content-type': 'text/html' }, '<html>Welcome</html>', /text\/html[\s\S]*base URL/],
    ['a page in HTML that says 404', 404, { 'content-type': 'text/html' }, '<h1>Gone</h1>', /404[\s\S]*base URL/],
    ['JSON that is cut off', 200, { 'content-type': 'application/json' }, '{"users":[', /damaged or cut off/],
    ['JSON of another service', 200, { 'content-type': 'application/json' }, '{"hello":1}', /list "users" is missing/],
    ['a redirect', 302, { location: 'https://example.com/login?token=s3cret' }, '', /not followed/],
    ['a failure of its own', 500, { 'content-type': 'text/html' }, '<h1>Oops</h1>', /500/],
  ])('are refused if they respond with %s', async (_what, status, headers, body, says) => {
    const server = createHttpServer((_request, response) => {
      response.writeHead(status, headers).end(body)
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const run = await remote(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.close()
    server.closeAllConnections()
    expectRefusal(run, 7, says)
    expect(run.stderr).not.toContain(KEY)
    expect(run.stderr).not.toContain('s3cret')
  })

  test('are reported as unreachable if nothing listens', async () => {
    expectRefusal(await remote('http://127.0.0.1:1'), 7, /127\.0\.0\.1:1\b/)
  })

  test.each(['ftp://example.com', 'example.com', 'http://me:secret@example.com'])(
    'cannot have %s as a base URL',
    async url => {
      const run = await remote(url)
      expectRefusal(run, 2, /https:\/\/api\.example\.com/)
      expect(run.stderr).not.toContain('secret')
    },
  )

  test('need an API key', async () => {
    expectRefusal(await sandbox.run(['user', 'list', '--base-url', 'http://127.0.0.1:1']), 4, /SVC_API_KEY/)
  })
})

describe('a full disk', () => {
  test.skipIf(!existsSync('/dev/full'))('under the output is reported', () => {
    const args = ['-c', '"$@" > /dev/full', 'sh', ...svcCommand, 'user', 'list']
    const run = spawnSync('/bin/sh', args, { env: sandbox.env, encoding: 'utf8' })
    expectRefusal(run, 7, /disk is full/)
  })

  // a limit on file size acts like a full disk, and any shell can set one
  test.skipIf(process.platform === 'win32')(
    'under the scratch folder fails the import and leaves no file there',
    async () => {
      const folder = inSandbox('small-files')
      await sandbox.json(['user', 'create', 'bob', '--data-dir', folder])
      const rows = Array.from(
        { length: 160_000 },
        (_, i) => `${new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString()},70`,
      )
      writeFileSync(inSandbox('rows.csv'), `at,beats\n${rows.join('\n')}\n`)
      const args = ['import', 'rows.csv', '--user', 'bob', '--data-dir', folder]
      const mapping = ['--map', 'start=at', '--map', 'value=beats', '--resource', 'heartrate', '--unit', 'bpm']
      const command = ['-c', 'ulimit -f 600; exec "$@"', 'sh', ...svcCommand, ...args, ...mapping]
      const run = spawnSync('/bin/sh', command, { env: sandbox.env, cwd: sandbox.folder, encoding: 'utf8' })
      expect(run.stderr).toMatch(/^Error: /m)
      expect(run.status).not.toBe(0)
      expect(readdirSync(path.join(folder, 'scratch'))).toEqual([])
      const again = spawnSync(process.execPath, [binary, ...args, ...mapping], {
        env: sandbox.env,
        cwd: sandbox.folder,
      })
      expect(again.status, `${again.stderr}`).toBe(0)
    },
  )

  test.skipIf(!hasSmallDisks)(
    'under the data folder stops the import before it starts, and keeps existing data',
    () => {
      const disk = smallDisk(1500 << 10)
      const records = Array.from({ length: 120_000 }, (_, i) => {
        const at = new Date(Date.UTC(2026, 0, 1) + i * 30_000).toISOString()
        const date = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
        // values that take all eight bytes each
        return record('HKQuantityTypeIdentifierHeartRate', `${70 + Math.sin(i)}`, 'count/min', {
          startDate: date,
          endDate: date,
        })
      })
      writeFileSync(inSandbox('large.xml'), exportXml(records.join('\n')))
      const script = [
        'user create bob > /dev/null',
        'import large.xml --user bob',
        'user list --output csv >&2',
        'timeseries get bob heartrate --start 2026-01-01 --json >&2',
      ].map((line, i) => `"$@" ${line}; echo "${i}: $?" >&2`)
      const scratch = 'ls -A "$SVC_DATA_DIR/scratch" >&2'
      const [command, args] = disk.on('/bin/sh', ['-c', [...script, scratch].join('\n'), 'sh', ...svcCommand])
      const env = { ...sandbox.env, SVC_DATA_DIR: disk.path }
      const run = spawnSync(command, args, { env, cwd: sandbox.folder, encoding: 'utf8' })
      expect(run.stdout).toBe('')
      expect(run.stderr).toMatch(
        /^0: 0\n[\s\S]*Error: The disk that holds \S*small-disk\S* is full\. Nothing was partially written\.\n.*\n1: 7\n/,
      )
      expect(run.stderr).toMatch(/,bob,[\s\S]*\n2: 0\n\{"groups":\{\}.*\n3: 0\n$/)
    },
  )
})
