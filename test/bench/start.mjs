/**
 * Measures start-up, and an aggregate query over a year of minutes: medians over interleaved runs, as ratios to `node -e 0` in the same run.
 * Exits 1 when a target is missed. `--runs N` (default 25) sets the number of rounds. If there is a single executable in out/, a second pair
 * of columns is its time.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
const svc = path.join(root, 'bin', 'run.js')
const executable = path.join(root, 'out', 'svc')
const hasExecutable = existsSync(executable)
const at = process.argv.indexOf('--runs')
const rounds = at === -1 ? 25 : Number(process.argv[at + 1])
const home = mkdtempSync(path.join(tmpdir(), 'svc-bench-'))

// every Node process parses the certificates named there at start-up: that is not part of our time
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
const env = {
  ...inherited,
  SVC_CONFIG_DIR: home,
  SVC_CACHE_DIR: path.join(home, 'cache'),
  SVC_DATA_DIR: path.join(home, 'data'),
}
for (const name of ['SVC_PROFILE', 'SVC_BASE_URL', 'SVC_API_KEY', 'SVC_OUTPUT']) delete env[name]

/** @returns {number} milliseconds of the whole process */
function run(args, input, program = process.execPath) {
  const start = process.hrtime.bigint()
  const result = spawnSync(program, args, { env, input, stdio: ['pipe', 'pipe', 'pipe'] })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (result.status !== 0) throw new Error(`${args.join(' ')} ended with ${result.status}: ${result.stderr}`)
  return ms
}

const CASES = [
  { name: 'node -e 0', args: ['-e', '0'], target: null },
  { name: 'svc --version', args: [svc, '--version'], target: 1.6 },
  { name: 'svc --help', args: [svc, '--help'], target: 2 },
  { name: 'svc user get', args: [svc, 'user', 'get', 'bench'], target: 3.5 },
  {
    name: 'svc timeseries get',
    args: [svc, 'timeseries', 'get', 'bench', 'steps', '--start', '2000-01-01'],
    target: 5.5,
  },
  {
    name: 'svc aggregate query',
    args: [
      svc,
      'aggregate',
      'query',
      'minutes',
      '--json',
      '--select',
      'mean(heartrate)',
      '--group-by',
      '1d',
      '--past',
      '20y',
    ],
    target: 5,
  },
]

const MINUTES_OF_A_YEAR = 525_600

/** A year of minutes as CSV. */
function yearOfMinutes() {
  const rows = ['start,value']
  const first = Date.UTC(2025, 0, 1)
  for (let i = 0; i < MINUTES_OF_A_YEAR; i++)
    rows.push(`${new Date(first + i * 60_000).toISOString()},${50 + ((i * 7) % 90)}`)
  return rows.join('\n')
}

let isMissed = false
try {
  run([svc, 'user', 'create', 'bench'])
  run(
    [
      svc,
      'link',
      'password',
      'whoop',
      '--user',
      'bench',
      '--username',
      'bench@sandbox.test',
      '--password-stdin',
      '--no-input',
    ],
    'bench\n',
  )
  run([svc, 'user', 'create', 'minutes'])
  run(
    [
      svc,
      'import',
      '-',
      '--user',
      'minutes',
      '--map',
      'start=start',
      '--map',
      'value=value',
      '--resource',
      'heartrate',
    ],
    yearOfMinutes(),
  )
  const times = CASES.map(() => [])
  const ofExecutable = CASES.map(() => [])
  // three unmeasured rounds write the code caches and warm the disk
  for (let round = -3; round < rounds; round++) {
    CASES.forEach(({ args }, i) => {
      const ms = run(args)
      if (round >= 0) times[i].push(ms)
      if (!hasExecutable || args[0] !== svc) return
      const inFile = run(args.slice(1), undefined, executable)
      if (round >= 0) ofExecutable[i].push(inFile)
    })
  }
  const medians = times.map(median)
  console.log(`node ${process.version}, ${process.platform}-${process.arch}, ${rounds} interleaved runs`)
  const heads = hasExecutable ? ['one file ms'.padStart(12), 'ratio'.padStart(7)] : []
  console.log('command'.padEnd(22), 'median ms'.padStart(10), 'ratio'.padStart(7), ...heads, 'target'.padStart(8))
  CASES.forEach(({ name, target }, i) => {
    const ratio = medians[i] / medians[0]
    const verdict = target === null ? '' : ratio <= target ? 'ok' : 'MISSED'
    if (verdict === 'MISSED') isMissed = true
    console.log(
      name.padEnd(22),
      medians[i].toFixed(1).padStart(10),
      ratio.toFixed(2).padStart(7),
      ...(hasExecutable ? columnsOf(ofExecutable[i], medians[0]) : []),
      (target === null ? '' : `≤ ${target}`).padStart(8),
      verdict,
    )
  })
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exitCode = isMissed ? 1 : 0

/** The columns for the single executable, which are empty for Node itself. */
function columnsOf(values, base) {
  if (values.length === 0) return [''.padStart(12), ''.padStart(7)]
  const ms = median(values)
  return [ms.toFixed(1).padStart(12), (ms / base).toFixed(2).padStart(7)]
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
