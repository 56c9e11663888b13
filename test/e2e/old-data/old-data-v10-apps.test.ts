/**
 * Samples of two apps, devices or kinds that a folder of schema 10 stored in one series: they are still recognized, replaced and undone. See
 * test/fixtures/README.md for how the folder was made.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { root, Sandbox } from '../../kit/sandbox.ts'

const FIXTURES = path.join(root, 'test', 'fixtures')
const FILE = path.join(FIXTURES, 'two-apps.ndjson')
const QUERY = ['--past', '7d', '--anchor', '2026-11-20']
let sandbox: Sandbox

beforeEach(async () => {
  sandbox = new Sandbox()
  cpSync(path.join(FIXTURES, 'data-folder-v10-apps'), sandbox.env['SVC_DATA_DIR'] as string, { recursive: true })
  await sandbox.json(['engine', 'clock', 'set', '2026-11-20T14:30:00Z'])
})

interface Line {
  readonly resource: string
  readonly app_id?: string
  readonly device_id?: string
  readonly type?: string
  readonly value: number
}
const lines = (): Line[] =>
  readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

function fileOf(changed: readonly Line[]): string {
  const file = path.join(sandbox.folder, 'changed.ndjson')
  writeFileSync(file, changed.map(line => JSON.stringify(line)).join('\n'))
  return file
}

const bring = (file: string) => sandbox.json<{ stored: object; import_id: string }>(['import', file, '--user', 'alice'])
const count = async (resource: string, more: readonly string[] = []) => {
  const select = ['--select', `count(${resource})`, '--select', `sum(${resource})`]
  const { results } = await sandbox.json<{ results: { table: Record<string, number[]> }[] }>([
    ...['aggregate', 'query', 'alice', ...select, ...QUERY, ...more],
  ])
  return Object.values(results[0]?.table ?? {}).map(column => column[0])
}

test('the same file again changes nothing', async () => {
  expect(await bring(FILE)).toMatchObject({
    stored: {
      steps: { samples: 24, replaced: 0, unchanged: 24 },
      hrv: { samples: 6, replaced: 0, unchanged: 6 },
      heartrate: { samples: 6, replaced: 0, unchanged: 6 },
    },
  })
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ series: 4, samples: 37 })
})

test('a corrected value replaces the old one where it is, and undoing the old import leaves only the correction', async () => {
  const changed = lines().map((line, i) => (i === 0 ? { ...line, value: 999 } : line))
  const { import_id } = await bring(fileOf(changed))
  expect(await count('steps')).toEqual([24, 999 + 24 * 65.5 - 50])
  const [first] = await sandbox
    .json<{ imports: { import_id: string }[] }>(['import', 'list', '--user', 'alice'])
    .then(({ imports }) => imports.filter(each => each.import_id !== import_id))
  await sandbox.json(['import', 'undo', first?.import_id ?? ''])
  expect(await count('steps')).toEqual([1, 999])
  expect(await count('heartrate')).toEqual([0, null])
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})

test('what another app, device or kind recorded at the same second is stored beside it', async () => {
  const others = lines().map(line => {
    if (line.resource === 'steps') return { ...line, app_id: `${line.app_id}.copy` }
    if (line.resource === 'heartrate') return { ...line, device_id: 'b0000000-0000-4000-8000-000000000000' }
    return { ...line, type: line.type ? undefined : 'sdnn' } as Line
  })
  const report = await bring(fileOf(others))
  expect(report).toMatchObject({ stored: { steps: { samples: 24, replaced: 0, unchanged: 0 } } })
  expect(await sandbox.json(['engine', 'status'])).toMatchObject({ samples: 73 })
  expect(await count('steps')).toEqual([48, 2 * 24 * 65.5])
  // each app's copy adds nothing
  expect(await count('steps', ['--merge'])).toEqual(
    await count('steps', [
      '--merge',
      '--where',
      "source_app_id != 'com.example.walk.copy' AND source_app_id != 'com.example.run.copy'",
    ]),
  )
  await sandbox.json(['import', 'undo', report.import_id])
  expect(await count('steps')).toEqual([24, 24 * 65.5])
})

test('undoing an import restores no sample that is stored beside it by now', async () => {
  const query = ['aggregate', 'query', 'bob', '--select', 'sum(steps)', ...QUERY]
  expect(JSON.stringify(await sandbox.json(query))).toContain('[70]')
  await sandbox.json(['import', path.join(FIXTURES, 'one-app.ndjson'), '--user', 'bob'])
  expect(JSON.stringify(await sandbox.json(query))).toContain('[170]')
  const { imports } = await sandbox.json<{ imports: { import_id: string }[] }>(['import', 'list', '--user', 'bob'])
  // the second of three replaced the first
  await sandbox.json(['import', 'undo', imports[1]?.import_id ?? ''])
  expect(JSON.stringify(await sandbox.json(query))).toContain('[100]')
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true, problem_count: 0 })
})

test('a merge is the same as in a new folder with the same samples', async () => {
  const more = lines().flatMap(line => (line.resource === 'steps' ? [{ ...line, value: 10, ...shifted(line, 2) }] : []))
  const file = fileOf(more)
  await bring(file)
  const hours = ['aggregate', 'query', 'alice', '--select', 'sum(steps)', '--group-by', '1h', '--merge', ...QUERY]
  const merged = await sandbox.json(hours)
  const fresh = new Sandbox()
  await fresh.json(['engine', 'clock', 'set', '2026-11-20T12:30:00Z'])
  await fresh.json(['user', 'create', 'alice'])
  for (const each of [FILE, file]) await fresh.json(['import', each, '--user', 'alice'])
  expect(await fresh.json(hours)).toEqual(merged)
  expect(JSON.stringify(merged)).toMatch(/\[\d/)
})

function shifted(line: Line, minutes: number) {
  const { timestamp, end } = line as unknown as { timestamp: string; end: string }
  const later = (text: string) => new Date(Date.parse(text) + minutes * 60_000).toISOString()
  return { timestamp: later(timestamp), end: later(end) }
}
