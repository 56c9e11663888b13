/**
 * `npm run bench:pairs -- BASE [BENCH …]` runs benchmarks alternately in this checkout and in a worktree of the commit BASE, and prints for
 * each line the median of checkout / base with its 95 % interval. A benchmark with options is one argument: "samples --quick --only write".
 * Each side runs the benchmark of its own commit. `--pairs N` (default and minimum: 15). The worktree is created beside the checkout, and
 * stays for the next comparison; a run that is interrupted or fails removes the one it created. Exits with 1 if the whole interval of a
 * line is worse than 3 %.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './bundle.mjs'
import { LEAST_PAIRS, medianWithInterval, verdictOf } from './pairs/interval.mjs'
import { benchLines } from './pairs/lines.mjs'
import { worktreeOf } from './pairs/worktree.mjs'

/** The hot paths, each in about half a minute. */
const HOT_PATHS = [
  'start --runs 5',
  'samples --quick --only one,write,page',
  'aggregate --quick --only year,sleep,scan',
  'webhooks --quick --only rate',
  'serve --rounds 1 --only rate',
]
const MOST_MS_OF_A_RUN = 30 * 60_000

const { values, positionals } = parseArgs({ allowPositionals: true, options: { pairs: { type: 'string' } } })
const [base, ...named] = positionals
const pairs = Number(values.pairs ?? LEAST_PAIRS)
const benches = named.length > 0 ? named : HOT_PATHS
const fail = text => {
  console.error(text)
  process.exit(2)
}
if (base === undefined) {
  fail('Name the commit to compare with: npm run bench:pairs -- BASE ["samples --quick --only write" …]')
}
if (!Number.isInteger(pairs) || pairs < LEAST_PAIRS) fail(`--pairs takes a whole number of at least ${LEAST_PAIRS}.`)
for (const bench of benches) {
  const [name] = bench.split(' ')
  if (!existsSync(join(root, 'test', 'bench', `${name}.mjs`))) {
    fail(`No bench is named "${name}". Use a name such as start, samples, aggregate, serve, webhooks or store.`)
  }
}

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => interruption.abort())
const { signal: interrupted } = interruption

/** Runs a program to its end with its output on stderr. */
async function run(folder, program, ...args) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 2, 2], signal: interrupted })
  const [status] = await ended(child)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} in ${folder} ended with ${status}.`)
}
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** Resolves with the exit code and the signal of a process. Rejects if it does not start, or when this run is interrupted. */
function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (...how) => resolve(how))
  })
}

/** Runs a benchmark and returns its output. A missed target is not a failure here, but an output without figures is. */
async function output(folder, bench) {
  const [name, ...options] = bench.split(' ')
  const child = spawn(process.execPath, [join(folder, 'test', 'bench', `${name}.mjs`), ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_MS_OF_A_RUN,
    signal: interrupted,
  })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr']) {
    child[stream].setEncoding('utf8').on('data', text => {
      said[stream] += text
    })
  }
  const [status, signal] = await ended(child)
  const lines = benchLines(said.stdout)
  if (lines.length > 0 && (status === 0 || status === 1)) return lines
  throw new Error(
    `bench:${bench} in ${folder} ended with ${signal ?? status}, ${lines.length} figures:\n${said.stderr}`,
  )
}

/** Runs one benchmark in pairs and returns the figures of each line by its key, and the lines that only one side has. */
async function measure(bench, folders) {
  const byKey = new Map()
  for (let pair = 0; pair < pairs; pair++) {
    // the second run finds different caches, so the sides also alternate in order
    const order = pair % 2 === 0 ? ['base', 'ours'] : ['ours', 'base']
    for (const side of order) {
      console.error(`${bench}: pair ${pair + 1} of ${pairs}, ${side === 'base' ? 'base' : 'checkout'}`)
      for (const line of await output(folders[side], bench)) {
        const held = byKey.get(line.key) ?? { line, base: [], ours: [] }
        byKey.set(line.key, held)
        held[side][pair] = line.value
      }
    }
  }
  return [...byKey.values()]
}

function report(measured) {
  let isWorse = false
  for (const { line, base: before, ours } of measured) {
    const ratios = Array.from({ length: pairs }, (_, i) => ours[i] / before[i]).filter(Number.isFinite)
    if (ratios.length < pairs) {
      const side = before.length === 0 ? 'checkout only' : ours.length === 0 ? 'base only' : `${ratios.length} pairs`
      console.log(`${line.what.padEnd(88)} ${`not compared (${side})`.padStart(24)}`)
      continue
    }
    const interval = medianWithInterval(ratios)
    const verdict = verdictOf(interval, line.isLowerBetter)
    if (verdict === 'worse') isWorse = true
    const better = line.isLowerBetter ? 'lower' : 'higher'
    const [middle, low, high] = [interval.median, interval.low, interval.high].map(value => value.toFixed(3))
    console.log(`${line.what.padEnd(88)} ${middle.padStart(6)}  ${low} to ${high}   ${better.padEnd(6)}  ${verdict}`)
  }
  return isWorse
}

let commit
try {
  commit = git('rev-parse', '--verify', '--quiet', `${base}^{commit}`)
} catch {
  fail(`"${base}" names no commit of this repository. Use a branch, a tag or the id of a commit.`)
}
const worktree = worktreeOf(root, commit, run)
const folders = { ours: root, base: worktree.folder }

/** Returns whether a line is worse. */
async function compare() {
  await run(root, 'npm', 'run', 'build')
  await worktree.build()
  const changed = git('diff', '--name-only', commit, '--', 'test/bench')
    .split('\n')
    .filter(name => name !== '' && existsSync(join(folders.base, name)))
  let isWorse = false
  for (const bench of benches) {
    const measured = await measure(bench, folders)
    console.log(`\nbench:${bench}, ${pairs} pairs, node ${process.version}: checkout / ${commit.slice(0, 8)}`)
    console.log(`${''.padEnd(88)} median  95 % interval    better  verdict`)
    if (report(measured)) isWorse = true
  }
  if (changed.length > 0) console.log(`\nThese files of the benches differ from the base's: ${changed.join(', ')}`)
  console.log(`\nThe worktree stays: git worktree remove --force ${folders.base}`)
  return isWorse
}

try {
  process.exitCode = (await compare()) ? 1 : 0
} catch (error) {
  worktree.discard()
  if (!interrupted.aborted) throw error
  console.error('Interrupted.')
  process.exitCode = 130
}
