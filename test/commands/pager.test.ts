/** Long tables on a terminal go through the user's pager: real terminals and the real less. */
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Sandbox } from '../kit/sandbox.ts'
import { Terminal } from '../kit/terminal.ts'

const box = new Sandbox()
const MARKERS = ['labs', 'markers', '--size', '100']
/** A pager that marks its lines and says when it has read everything. */
const pager = path.join(box.folder, 'marking pager')
/** A pager that reads one line and ends. */
const brief = path.join(box.folder, 'brief')

beforeAll(async () => {
  writeFileSync(pager, '#!/bin/sh\nsed "s/^/| /"\necho "all read"\n')
  writeFileSync(brief, '#!/bin/sh\nread -r line\necho "read $line"\n')
  for (const file of [pager, brief]) chmodSync(file, 0o755)
  await box.json(['user', 'create', 'ada'])
})

const open = (args: readonly string[], env: Readonly<Record<string, string>>, rows = 24) =>
  new Terminal(box, args, 'stty -a', { columns: 130, rows, env: { PAGER: 'cat', SVC_PAGER: `'${pager}'`, ...env } })
const shown = async (...given: Parameters<typeof open>) => {
  const terminal = open(...given)
  expect(await terminal.ended()).toBe(0)
  return terminal.text.replaceAll('\r', '')
}

describe('a table that is longer than the terminal', () => {
  test('goes through SVC_PAGER, and hints follow when the pager has ended', async () => {
    const text = await shown(MARKERS, {})
    expect(text).toMatch(/^\| +id +lab_id/)
    expect(text.match(/^\| +\d+ /gm)).toHaveLength(100)
    expect(text).toMatch(/all read\nPage 1 of 18/)
  })

  test('goes through PAGER without SVC_PAGER', async () => {
    // a pseudo-terminal can lose the last output, so more output follows
    const terminal = new Terminal(box, MARKERS, 'stty -a', { rows: 24, env: { PAGER: `'${pager}'` } })
    await terminal.sees(/all read/)
    expect(await terminal.ended()).toBe(0)
  })

  test.each([
    ['an empty SVC_PAGER', MARKERS, { SVC_PAGER: '', PAGER: `'${pager}'` }],
    ['SVC_PAGER=cat', MARKERS, { SVC_PAGER: 'cat' }],
    ['a pager that is not installed', MARKERS, { SVC_PAGER: 'no-such-pager -x' }],
    ['--no-pager', [...MARKERS, '--no-pager'], {}],
    ['SVC_NO_PAGER', MARKERS, { SVC_NO_PAGER: '1' }],
    ['--no-input', [...MARKERS, '--no-input'], {}],
    ['TERM=dumb', MARKERS, { TERM: 'dumb' }],
    ['--output json', [...MARKERS, '--output', 'json'], {}],
  ])('is printed directly with %s', async (_, args, env: Record<string, string>) => {
    const text = await shown(args, env)
    expect(text).toContain('Cortisol')
    expect(text).not.toContain('all read')
  })

  test('does not fail when the pager ends early', async () => {
    expect(await shown(MARKERS, { SVC_PAGER: brief })).toMatch(/^read +id|^read id/)
  })
})

test('a table that fits the terminal is printed directly', async () => {
  expect(await shown(['labs', 'markers', '--size', '10'], {})).not.toContain('all read')
  expect(await shown(['labs', 'markers', '--size', '20'], {}, 23)).not.toContain('all read')
  expect(await shown(['labs', 'markers', '--size', '20'], {}, 22)).toContain('all read')
})

test('the report of a command with progress is printed directly', async () => {
  expect(await shown(['engine', 'seed', '--people', '6', '--days', '1'], {}, 5)).not.toContain('all read')
})

describe('less', () => {
  const less = { SVC_PAGER: 'less -FRXK' }

  test('shows colors, and q ends it', async () => {
    const terminal = open(MARKERS, less)
    await terminal.sees(/Cortisol, Saliva/)
    await terminal.sees(/:/)
    expect(terminal.raw).toContain('\u001b[1m')
    expect(terminal.text).not.toContain('Page 1 of 18')
    terminal.types('q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text).toContain('Page 1 of 18')
  })

  test('ends with Ctrl-C and leaves a usable terminal', async () => {
    const terminal = open(MARKERS, less)
    await terminal.sees(/Cortisol, Saliva[\s\S]*:/)
    // less loses a Ctrl-C that arrives just before it waits for a key
    const presses = setInterval(() => terminal.types('\x03'), 1_000)
    terminal.types('\x03')
    const status = await terminal.ended().finally(() => clearInterval(presses))
    expect(status).toBe(0)
    expect(terminal.text).toMatch(/[^-]icanon/)
    expect(terminal.text).toMatch(/[^-]echo\b/)
  })

  test('is the default pager, and receives a long timeseries piece by piece', async () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `${new Date(Date.UTC(2024, 0, 1) + i * 60_000).toISOString()},60`,
    )
    const file = path.join(box.folder, 'long.csv')
    writeFileSync(file, `Time,V\n${lines.join('\n')}\n`)
    await box.json(['import', file, '--user', 'ada', '--map=start=Time', '--map=value=V', '--resource', 'heartrate'])
    const { PAGER: _, ...env } = box.env
    const without: Sandbox = Object.create(box, { env: { value: env } })
    const get = ['timeseries', 'get', 'ada', 'heartrate', '--start', '2024-01-01']
    const terminal = new Terminal(without, get, ':', { rows: 24 })
    await terminal.sees(/2024-01-01T00:10:00/)
    terminal.types('q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text).not.toContain('2024-01-02')
  })
})
