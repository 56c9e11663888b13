/** Files that commands write with -o never overwrite another file without --force. */

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { Terminal } from '../kit/terminal.ts'

const sandbox = new InProcessSandbox()
const inSandbox = (name: string) => path.join(sandbox.folder, name)
const GET = ['timeseries', 'get', 'ada', 'steps', '--start', '2026-11-01']
const QUERY = ['aggregate', 'query', 'ada', '--select', 'sum(steps)', '--group-by', '1d', '--past', '4w']

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'ada'])
  const rows = Array.from({ length: 1200 }, (_, i) => {
    const start = new Date(Date.UTC(2026, 10, 1, 0, i)).toISOString()
    return `{"resource":"steps","start":"${start}","end":"${start}","value":${i}}\n`
  })
  writeFileSync(inSandbox('steps.ndjson'), rows.join(''))
  await sandbox.json(['import', 'steps.ndjson', '--user', 'ada'])
})

describe('a command with -o', () => {
  test.each([
    ['timeseries get', [...GET, '-o', 'kept.csv'], 'kept.csv'],
    ['aggregate query', [...QUERY, '-o', 'kept.parquet'], 'kept.parquet'],
    ['aggregate watch result', ['aggregate', 'watch', 'result', 'ada', 'any', '-o', 'kept.parquet'], 'kept.parquet'],
    ['order pdf', ['order', 'pdf', 'any', '-o', 'kept.pdf'], 'kept.pdf'],
  ])('refuses to replace a file without --force: %s', async (_name, args, name) => {
    writeFileSync(inSandbox(name), 'mine')
    const run = await sandbox.run(args)
    expectRefusal(run, 2, new RegExp(`The file ${name.replace('.', '\\.')} already exists\\.`))
    expect(run.stderr).toContain('Choose another file, or overwrite this one with --force.')
    expect(readFileSync(inSandbox(name), 'utf8')).toBe('mine')
  })

  test('replaces the file with --force and reports rows as well as bytes', async () => {
    writeFileSync(inSandbox('old.csv'), 'mine')
    const saved = await sandbox.json([...GET, '-o', 'old.csv', '--force'])
    const text = readFileSync(inSandbox('old.csv'), 'utf8')
    expect(saved).toEqual({ file: 'old.csv', rows: 1200, bytes: text.length })
    expect(text.trimEnd().split('\n')).toHaveLength(1201)
  })

  test('groups the digits on a terminal', async () => {
    const terminal = new Terminal(sandbox, [...GET, '-o', 'shown.csv'])
    expect(await terminal.ended()).toBe(0)
    const bytes = readFileSync(inSandbox('shown.csv')).length.toLocaleString('en')
    expect(terminal.text).toMatch(/rows +1,200\b/)
    expect(terminal.text).toMatch(new RegExp(`bytes +${bytes}\\b`))
  })

  test('refuses an existing file on a terminal too, without a question', async () => {
    writeFileSync(inSandbox('seen.csv'), 'mine')
    const terminal = new Terminal(sandbox, [...GET, '-o', 'seen.csv'])
    expect(await terminal.ended()).toBe(2)
    expect(terminal.text).toContain('The file seen.csv already exists.')
    expect(readFileSync(inSandbox('seen.csv'), 'utf8')).toBe('mine')
  })

  test('writes to pipes and devices without --force', async () => {
    const run = await sandbox.run([...GET, '--output', 'csv', '-o', '/dev/stdout', '--limit', '2'])
    expect(run.status).toBe(0)
    expect(run.stdout).toMatch(/^resource,provider,.*\nsteps,.*\nsteps,.*\nfile,rows,bytes\n\/dev\/stdout,2,280\n$/)
    expect((await sandbox.run([...GET, '--output', 'csv', '-o', '/dev/null'])).status).toBe(0)
  })

  test('follows a link to an existing file, and refuses that file', async () => {
    writeFileSync(inSandbox('target.csv'), 'mine')
    symlinkSync(inSandbox('target.csv'), inSandbox('link.csv'))
    expectRefusal(await sandbox.run([...GET, '-o', 'link.csv']), 2, /already exists/)
  })

  test('refuses --force without -o', async () => {
    expectRefusal(await sandbox.run([...GET, '--force']), 2, /--force needs --out/)
    expect(existsSync(inSandbox('undefined'))).toBe(false)
  })
})
