/** `svc import` as users run it: files, pipes and FIFOs, Ctrl-C at any time, the list, and undoing an import. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { zipOf } from '../connectors/files/archives/archive.ts'
import { EXAMPLES } from '../connectors/files/archives/examples.ts'
import { exportXml, record } from '../connectors/files/exports.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { scratchFiles } from '../kit/sandbox.ts'
import { serve } from '../kit/serve.ts'
import { Terminal } from '../kit/terminal.ts'
import { until } from '../kit/until.ts'

const sandbox = new InProcessSandbox()
const inSandbox = (...names: string[]) => path.join(sandbox.folder, ...names)
const hasFifos = process.platform !== 'win32' && spawnSync('mkfifo', ['-m', '600', inSandbox('probe')]).status === 0

interface Report {
  readonly import_id: string
  readonly stored: Readonly<Record<string, { readonly samples: number; readonly unchanged: number }>>
}

const XML = exportXml(stepsFrom(3, 0))

beforeAll(async () => {
  writeFileSync(inSandbox('good.xml'), XML)
})

let user = ''
let made = 0
beforeEach(async () => {
  user = `user-${made++}`
  await sandbox.json(['user', 'create', user])
})

/** Returns this many step records, one hour apart, from the given hour of 2019. */
function stepsFrom(count: number, firstHour: number): string {
  const records: string[] = []
  for (let i = 0; i < count; i++) {
    const at = new Date(Date.UTC(2019, 0, 1) + (firstHour + i) * 3_600_000).toISOString()
    const time = `${at.slice(0, 10)} ${at.slice(11, 19)} +0000`
    records.push(record('HKQuantityTypeIdentifierStepCount', `${i % 977}`, 'count', { startDate: time, endDate: time }))
  }
  return records.join('\n')
}

async function hasSteps(): Promise<boolean> {
  const page = await sandbox.json<{ groups: object }>(['timeseries', 'get', user, 'steps', '--start', '2000-01-01'])
  return Object.keys(page.groups).length > 0
}

/** Stops a run once `when` holds. Returns its exit code and how long it took to end. */
async function interrupted(args: readonly string[], when: () => boolean): Promise<{ code: number | null; ms: number }> {
  const { stop } = sandbox.start(args)
  await until(when)
  const from = Date.now()
  return { code: await stop('SIGINT'), ms: Date.now() - from }
}

function fifo(name: string): string {
  spawnSync('mkfifo', [inSandbox(name)])
  return inSandbox(name)
}

describe('an import', () => {
  test('can read from a pipe, with or without gzip', async () => {
    const plain = await sandbox.run(['import', '-', '--user', user, '--json'], { input: XML })
    expect(JSON.parse(plain.stdout)).toMatchObject({ stored: { steps: { samples: 3, unchanged: 0 } } })
    writeFileSync(inSandbox('export.gz'), gzipSync(XML))
    const packed = await sandbox.json(['import', 'export.gz', '--user', user])
    expect(packed).toMatchObject({ stored: { steps: { samples: 3, unchanged: 3 } } })
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test.skipIf(!hasFifos)('can read from a FIFO whose writer is slow', async () => {
    fifo('slow')
    const writer = spawn('/bin/sh', ['-c', '(head -c 200; sleep 0.2; cat) < good.xml > slow'], { cwd: sandbox.folder })
    const report = await sandbox.json(['import', 'slow', '--user', user])
    expect(report).toMatchObject({ stored: { steps: { samples: 3 } } })
    writer.kill()
  })

  test('can be sent to a server with the same command', async () => {
    const server = await serve(sandbox)
    const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
    try {
      const report = await sandbox.json<Report>(['import', 'good.xml', '--user', user], remote)
      expect(report).toMatchObject({ stored: { steps: { samples: 3, unchanged: 0 } }, partial: null })
      const piped = await sandbox.json(['import', '-', '--user', user], { ...remote, input: XML })
      expect(piped).toMatchObject({ stored: { steps: { samples: 3, unchanged: 3 } } })
      expect(await sandbox.json(['import', 'list', '--user', user], remote)).toMatchObject({ imports: [{}, {}] })
      expect(await sandbox.json(['import', 'undo', report.import_id], remote)).toMatchObject({ removed: { steps: 3 } })
      const wrong = await sandbox.run(['import', 'good.xml', '--user', user, '--provider', 'whop'], remote)
      expectRefusal(wrong, 2, [/Did you mean "whoop"/, /^Error: --provider/])
    } finally {
      await server.stop('SIGTERM')
    }
  })

  test('can be an archive of a provider: a file, a pipe or sent to a server', async () => {
    writeFileSync(inSandbox('export.zip'), zipOf(EXAMPLES['garmin_connect'] ?? {}))
    const stored = {
      format: 'garmin_connect',
      stored: { heartrate: { samples: 3 } },
      summaries: { activity: {}, workouts: {} },
    }
    const dry = await sandbox.run(['import', 'export.zip', '--user', user, '--dry-run', '--output', 'table'])
    expect(dry.stdout).toMatch(/^samples +heartrate +3 +3 +0 +0 +2024-07-01 +2024-07-01/m)
    expect(dry.stderr).toContain('dry run, nothing was stored')
    const zip = readFileSync(inSandbox('export.zip'))
    expect(await sandbox.json(['import', '-', '--user', user], { input: zip })).toMatchObject(stored)
    const server = await serve(sandbox)
    try {
      const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
      const again = { heartrate: { samples: 3, replaced: 0, unchanged: 3 } }
      const report = await sandbox.json(['import', 'export.zip', '--user', user], remote)
      expect(report).toMatchObject({ ...stored, stored: again })
    } finally {
      await server.stop('SIGTERM')
    }
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('refuses a zip file that no format knows, with the formats', async () => {
    writeFileSync(inSandbox('photos.zip'), zipOf({ 'photos/a.jpg': 'x' }))
    expectRefusal(await sandbox.run(['import', 'photos.zip', '--user', user]), 2, [
      /The zip file has no export that can be imported\. Known formats: /,
      /unpack it and import that file/,
    ])
  })

  test('prints a report as a table that lists the skipped records', async () => {
    const other = record('HKQuantityTypeIdentifierUnheardOf', '4711', 'count')
    writeFileSync(inSandbox('other.xml'), exportXml(`${stepsFrom(2, 0)}\n${other}`))
    const run = await sandbox.run(['import', 'other.xml', '--user', user, '--output', 'table'])
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/^samples +steps +2 +2 +0 +0/m)
    expect(run.stdout).toMatch(/^skipped +HKQuantityTypeIdentifierUnheardOf is not imported +1/m)
    expect(run.stdout + run.stderr).not.toContain('4711')
    expect(run.stderr).toMatch(/^apple_health: 3 records in [\d.]+ s \(import [0-9a-f-]{36}\)$/m)
  })

  test('that finds nothing to store warns and creates no connection', async () => {
    writeFileSync(inSandbox('nothing.xml'), exportXml(''))
    const run = await sandbox.run(['import', 'nothing.xml', '--user', user])
    expect(run).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Warning: the file contains nothing/m) })
    expect(await sandbox.json(['provider', 'list', '--user', user])).toEqual({ providers: [] })
  })

  test('of which nothing can be stored ends with exit code 2, embedded and over HTTP', async () => {
    const header = 'Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mg/dL'
    const rows = Array.from({ length: 40 }, (_, i) => `FreeStyle LibreLink,ABC,day ${i},0,101`)
    writeFileSync(inSandbox('unread.csv'), `Glucose Data\r\n${header}\r\n${rows.join('\r\n')}\r\n`)
    const server = await serve(sandbox)
    const remote = { env: { SVC_BASE_URL: server.url, SVC_API_KEY: server.api_key } }
    try {
      for (const options of [{}, remote]) {
        const run = await sandbox.run(['import', 'unread.csv', '--user', user], options)
        const what = /Nothing in the file could be stored\. All of its 40 records were skipped/
        const why = /a row has a time that cannot be read \(40: line 3, line 4, line 5 …\)/
        expectRefusal(run, 2, [what, why])
        expect(run.stderr).not.toContain('101')
        const json = await sandbox.run(['import', 'unread.csv', '--user', user, '--json'], options)
        expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'invalid_file', status: 422 } })
      }
    } finally {
      await server.stop('SIGTERM')
    }
  })

  test('requires the order of ambiguous dates, and its table shows the order', async () => {
    const rows = (day: number) => `Time,Steps\n6/2/20 8:02,5\n6/${day}/20 8:02,6\n`
    writeFileSync(inSandbox('open.csv'), rows(3))
    writeFileSync(inSandbox('clear.csv'), rows(13))
    const table = ['--map', 'start=Time', '--map', 'value=Steps', '--resource', 'steps', '--output', 'table']
    const open = await sandbox.run(['import', 'open.csv', '--user', user, ...table])
    expectRefusal(open, 2, [/^Error: 6\/2\/20 \(line 2\) can be 6 February or 2 June; add --date-order dmy or mdy$/m])
    const clear = await sandbox.run(['import', 'clear.csv', '--user', user, ...table])
    expect(clear.stdout).toMatch(/^dates +month first \(mdy\), decided by the file .* line 3$/m)
    const given = await sandbox.run(['import', 'open.csv', '--user', user, ...table, '--date-order', 'mdy'])
    expect(given.stdout).toMatch(/^dates +month first \(mdy\), as given$/m)
  })

  test('with --dry-run is reported and not stored', async () => {
    const run = await sandbox.run(['import', 'good.xml', '--user', user, '--dry-run'])
    expect(JSON.parse(run.stdout)).toMatchObject({ import_id: null, dry_run: true, stored: { steps: { samples: 3 } } })
    expect(run.stderr).toMatch(/nothing was stored/)
    expect(await hasSteps()).toBe(false)
  })
})

describe('stalled input', () => {
  test.skipIf(!hasFifos)('while opening a FIFO ends the command', async () => {
    fifo('nobody')
    const run = await sandbox.run(['import', 'nobody', '--user', user, '--stall-timeout', '300ms'])
    expectRefusal(run, 7, [/No data arrived from nobody for 0\.3 s/, /--stall-timeout/])
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('in the middle of a pipe ends the command, and nothing is stored', async () => {
    const args = ['import', '-', '--user', user, '--stall-timeout', '300ms']
    const { child, ended } = sandbox.start(args)
    child.stdin.write(XML.slice(0, 300))
    const { status, stderr } = await ended
    expect(status).toBe(7)
    expect(stderr).toMatch(/^Error: No data arrived from stdin for 0\.3 s\. Nothing was stored\./)
    expect(scratchFiles(sandbox)).toEqual([])
    expect(await hasSteps()).toBe(false)
  })

  test('needs a valid time limit', async () => {
    const run = await sandbox.run(['import', 'good.xml', '--user', user, '--stall-timeout', 'long'])
    expectRefusal(run, 2, /1500ms, 30s or 2m/)
  })
})

// Windows ends a process at once on any signal
describe.skipIf(process.platform === 'win32')('Ctrl-C', () => {
  test.skipIf(!hasFifos)('ends the wait for the writer of a FIFO', async () => {
    const name = fifo('forever')
    const { code, ms } = await interrupted(['import', name, '--user', user], () => scratchFiles(sandbox).length > 0)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(3_000)
    expect(scratchFiles(sandbox)).toEqual([])
  })

  test('ends an import from a pipe that stays open', async () => {
    const { code, ms } = await interrupted(['import', '-', '--user', user], () => scratchFiles(sandbox).length > 0)
    expect(code).toBe(130)
    expect(ms).toBeLessThan(3_000)
    expect(scratchFiles(sandbox)).toEqual([])
    expect(await hasSteps()).toBe(false)
  })

  test('on a terminal ends an import while it reads', async () => {
    writeFileSync(inSandbox('large.xml'), exportXml(stepsFrom(60_000, 0)))
    const terminal = new Terminal(sandbox, ['import', 'large.xml', '--user', user])
    try {
      await terminal.sees(/Importing/)
      terminal.types('\x03')
      expect(await terminal.ended(), terminal.text).toBe(130)
    } finally {
      terminal.close()
    }
    expect(await hasSteps()).toBe(false)
  })

  test('on a terminal ends an import while it stores, and rolls back the transaction', async () => {
    const database = new DatabaseSync(path.join(sandbox.env['SVC_DATA_DIR'] as string, 'svc.db'))
    const terminal = new Terminal(sandbox, ['import', 'good.xml', '--user', user])
    try {
      // it waits for the lock in the middle of storing
      database.exec('BEGIN IMMEDIATE')
      await terminal.sees(/Storing 3 records, in one transaction/)
      terminal.types('\x03')
      expect(await terminal.ended(), terminal.text).toBe(130)
    } finally {
      database.exec('ROLLBACK')
      database.close()
      terminal.close()
    }
    expect(await hasSteps()).toBe(false)
    expect(await sandbox.json(['import', 'list', '--user', user])).toEqual({ imports: [], next_cursor: null })
  })
})

test('shows a progress bar on a terminal, and removes it before the report', async () => {
  writeFileSync(inSandbox('large.xml'), exportXml(stepsFrom(30_000, 0)))
  const terminal = new Terminal(sandbox, ['import', 'large.xml', '--user', user])
  expect(await terminal.ended(), terminal.text).toBe(0)
  expect(terminal.text).toMatch(/Importing [█░]{28} +\d+ % [\d,]+ records/)
  const away = '\r\x1b[2K'
  expect(terminal.raw).toContain(`${away}Storing 30,000 records, in one transaction${away}`)
  expect(terminal.text).toMatch(/samples +steps +30000 +30000/)
})

test('two simultaneous imports both succeed, for one user and for two', async () => {
  writeFileSync(inSandbox('later.xml'), exportXml(stepsFrom(3_000, 5_000)))
  writeFileSync(inSandbox('earlier.xml'), exportXml(stepsFrom(3_000, 0)))
  await sandbox.json(['user', 'create', `${user}-other`])
  const imports = [
    ['later.xml', user],
    ['earlier.xml', user],
    ['later.xml', `${user}-other`],
  ] as const
  const ends = imports.map(([file, name]) => sandbox.start(['import', file, '--user', name, '--json']).ended)
  const reports = (await Promise.all(ends)).map(({ stdout }) => JSON.parse(stdout) as Report)
  expect(reports.map(each => each.stored['steps'])).toEqual(
    imports.map(() => ({ samples: 3_000, replaced: 0, unchanged: 0 })),
  )
  const again = await sandbox.json<Report>(['import', 'earlier.xml', '--user', user])
  expect(again.stored['steps']).toMatchObject({ unchanged: 3_000 })
})

describe('the subcommands of import', () => {
  test('list and undo imports', async () => {
    const { import_id } = await sandbox.json<Report>(['import', 'good.xml', '--user', user])
    const { imports } = await sandbox.json<{ imports: object[] }>(['import', 'list', '--user', user])
    expect(imports).toMatchObject([{ import_id, format: 'apple_health', undone_at: null }])
    const all = await sandbox.json<{ imports: object[] }>(['import', 'list', '--user', user, '--all'])
    expect(all).toEqual({ imports, next_cursor: null })
    const table = await sandbox.run(['import', 'list', '--limit', '1', '--output', 'table'])
    expect(table.stdout).toContain(import_id)
    expect(await sandbox.json(['import', 'undo', import_id])).toMatchObject({ import_id, removed: { steps: 3 } })
    expect(await hasSteps()).toBe(false)
    expectRefusal(await sandbox.run(['import', 'undo', import_id]), 5, /already undone/)
    const unknown = await sandbox.run(['import', 'undo', '0f8fad5b-d9cb-469f-a165-70867728950e'])
    expectRefusal(unknown, 3, /svc import list/)
    expectRefusal(await sandbox.run(['import', 'undo', 'x']), 2, /UUID/)
    expectRefusal(await sandbox.run(['import', 'list', '--user', 'nobody']), 3, /ot found/)
    expectRefusal(await sandbox.run(['import', 'list', '--limit', '0']), 2, /--limit/)
  })

  test('do not prevent importing files of the same name by path', async () => {
    writeFileSync(inSandbox('list'), XML)
    expect(await sandbox.json(['import', './list', '--user', user])).toMatchObject({ records: 3 })
    expect(await sandbox.json(['import', '--user', user, 'list'])).toMatchObject({ records: 3 })
    expect(await sandbox.json(['import', 'list', '--user', user])).toMatchObject({ imports: [{}, {}] })
  })

  test('are shown by --help', async () => {
    const run = await sandbox.run(['import', '--help'])
    expect(run.stdout).toMatch(/import list +List imports/)
    expect(run.stdout).toMatch(/import undo +Undo imports/)
  })
})
