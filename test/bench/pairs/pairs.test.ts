import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../kit/folder.ts'
import { medianWithInterval, verdictOf } from './interval.mjs'
import { benchLines } from './lines.mjs'
import { worktreeOf } from './worktree.mjs'

const PRINTED = `
a loop of 50 M square roots (how quick this machine is just now)                        32 ms
one durable sample into a full day, p50, disk                                        0.817 ms   ≤ 0.5 ms     MISSED
  p99, disk                                                                          4.427 ms
write 0.5 M in durable batches of 1440, one after the other, disk           1,077 k/s   ≥ 1.5 M/s    ok
  against rows in a table (0.39 M/s)                                                    4.5 ×   ≥ 3 ×        ok
  bytes a sample in the file at 5 M, events included                                     2.92
look-ups failed                                                                            0   0            ok
  p50 of all, and the longest                                                      1.2, 30 ms
GET /v2/user: requests a second, 32 connections                                         12826
  lines of the log                                                                         14
svc user get               101.9    3.12    ≤ 3.5 ok
`

describe('the lines of a benchmark', () => {
  test('have a value, a unit and a direction', () => {
    const read = benchLines(PRINTED).map(({ what, value, unit, isLowerBetter }) => [what, value, unit, isLowerBetter])
    const write = 'write 0.5 M in durable batches of 1440, one after the other, disk'
    expect(read).toEqual([
      ['one durable sample into a full day, p50, disk', 0.817, 'ms', true],
      ['one durable sample into a full day, p50, disk: p99, disk', 4.427, 'ms', true],
      [write, 1077, 'k/s', false],
      [`${write}: against rows in a table (0.39 M/s)`, 4.5, '×', false],
      [`${write}: bytes a sample in the file at 5 M, events included`, 2.92, '', true],
      ['GET /v2/user: requests a second, 32 connections', 12826, '', false],
      ['svc user get', 3.12, '× node -e 0', true],
    ])
  })

  test('keep their key when the measured numbers in their labels change', () => {
    const other = PRINTED.replace('(0.39 M/s)', '(0.41 M/s)').replace('0.817', '0.9')
    expect(benchLines(other).map(line => line.key)).toEqual(benchLines(PRINTED).map(line => line.key))
    const twice = benchLines('a: 1 at once     3 ms\na: 2 at once     4 ms')
    expect(new Set(twice.map(line => line.key)).size).toBe(2)
  })
})

describe('the confidence interval of a median', () => {
  test('lies between the 4th and the 12th of 15 ratios, and needs at least six', () => {
    const ratios = Array.from({ length: 15 }, (_, i) => 1 + ((i * 7) % 15) / 100)
    expect(medianWithInterval(ratios)).toEqual({ median: 1.07, low: 1.03, high: 1.11 })
    expect(() => medianWithInterval([1, 1, 1, 1, 1])).toThrow(RangeError)
    expect(medianWithInterval([6, 5, 4, 3, 2, 1])).toMatchObject({ low: 1, high: 6 })
  })

  test('is rated worse, better, undecided if wider than 6 %, or otherwise ok', () => {
    expect(verdictOf({ low: 1.04, high: 1.2 }, true)).toBe('worse')
    expect(verdictOf({ low: 1.04, high: 1.2 }, false)).toBe('better')
    expect(verdictOf({ low: 0.8, high: 0.96 }, false)).toBe('worse')
    expect(verdictOf({ low: 1.02, high: 1.05 }, true)).toBe('ok')
    expect(verdictOf({ low: 0.98, high: 1.05 }, true)).toBe('not decided')
  })
})

describe('the worktree of the base', () => {
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
  const opened = () => {
    const root = path.join(temporaryFolder(), 'checkout')
    mkdirSync(root)
    git(root, 'init', '--quiet')
    git(root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'a')
    return { root, commit: git(root, 'rev-parse', 'HEAD') }
  }
  const worktrees = (root: string) => git(root, 'worktree', 'list').split('\n').length

  test('is removed by an interrupted run that created it', async () => {
    const { root, commit } = opened()
    const run = async (folder: string, program: string, ...args: readonly string[]) => {
      if (program !== 'git') throw new Error('interrupted')
      git(folder, ...args)
    }
    const { folder, build, discard } = worktreeOf(root, commit, run)
    await expect(build()).rejects.toThrow('interrupted')
    expect([existsSync(folder), worktrees(root)]).toEqual([true, 2])
    discard()
    expect([existsSync(folder), worktrees(root)]).toEqual([false, 1])
  })

  test('stays if an earlier run created it', async () => {
    const { root, commit } = opened()
    const { folder, build, discard } = worktreeOf(root, commit, async () => {})
    git(root, 'worktree', 'add', '--quiet', '--detach', folder, commit)
    await build()
    discard()
    expect([existsSync(folder), worktrees(root)]).toEqual([true, 2])
  })
})

describe('bench:pairs', () => {
  const program = path.resolve('test/bench/pairs.mjs')
  const refused = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
    return { status, stderr }
  }
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()

  test('refuses an unknown commit or benchmark, and too few pairs, before it builds anything', () => {
    expect(refused()).toMatchObject({ status: 2, stderr: expect.stringContaining('Name the commit') })
    expect(refused('no-such')).toMatchObject({ status: 2, stderr: expect.stringContaining('names no commit') })
    expect(refused(head, 'sample')).toMatchObject({ status: 2, stderr: expect.stringContaining('No bench is named') })
    expect(refused(head, 'start', '--pairs', '3')).toMatchObject({ status: 2, stderr: expect.stringContaining('15') })
  })
})
