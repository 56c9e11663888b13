/**
 * Measures the import of an Apple Health export, the whole process from export to store, compared with `saxes`, which only parses the same
 * file: medians of interleaved runs. `node test/bench/apple.mjs [--records 500000] [--runs 5] [--seed 1] [--file FILE]`. Exits 1 when the
 * import is slower than saxes, uses more memory than allowed, or handles too few records a second at the speed of the reference machine
 * (where `node -e 0` takes 22.5 ms).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeAppleExport } from './apple/apple-export.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const svc = path.join(here, '..', '..', 'bin', 'run.js')
const REFERENCE_START_MS = 22.5
const LEAST_RECORDS_S = 300_000
const MOST_BYTES = 300 * 1_048_576

/** Runs everything in turn, `runs` times, after one round that is not measured. `file`: an existing export to use. */
export async function measureApple({ records, runs, seed, file }) {
  const home = mkdtempSync(path.join(tmpdir(), 'svc-bench-apple-'))
  try {
    const source = file ?? path.join(home, 'export.xml')
    if (file === undefined) await writeAppleExport({ records, seed, out: source })
    const rounds = []
    for (let round = -1; round < runs; round++) {
      const measured = {
        start: run(home, ['-e', '0']),
        saxes: run(home, [path.join(here, 'apple', 'saxes.mjs'), source]),
      }
      rounds.push({ ...measured, ...importOnce(home, source, round) })
    }
    const of = pick => median(rounds.slice(1).map(pick))
    return {
      bytes: statSync(source).size,
      records: rounds[0].records,
      startMs: of(each => each.start.ms),
      importMs: of(each => each.import.ms),
      saxesMs: of(each => each.saxes.ms),
      importPeak: of(each => each.import.peak),
      saxesPeak: of(each => each.saxes.peak),
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Imports into a new folder, so that every run stores everything. */
function importOnce(home, source, round) {
  const data = path.join(home, `data${round}`)
  const flags = ['--data-dir', data, '--json']
  run(home, [svc, 'user', 'create', 'bench', ...flags])
  const imported = run(home, [svc, 'import', source, '--user', 'bench', ...flags])
  rmSync(data, { recursive: true, force: true })
  return { import: imported, records: JSON.parse(imported.stdout).records }
}

function run(home, args) {
  // every Node process parses the certificates in this variable at start-up, which is not part of our time
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  const peak = path.join(home, 'peak')
  const own = { SVC_CONFIG_DIR: home, SVC_CACHE_DIR: path.join(home, 'cache'), SVC_BENCH_PEAK: peak }
  const began = process.hrtime.bigint()
  const result = spawnSync(process.execPath, ['--require', path.join(here, 'peak-memory.cjs'), ...args], {
    env: { ...inherited, ...own },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
  const ms = Number(process.hrtime.bigint() - began) / 1e6
  if (result.status !== 0) throw new Error(`${args.join(' ')} ended with ${result.status}: ${result.stderr}`)
  return { ms, peak: Number(readFileSync(peak, 'utf8')), stdout: result.stdout }
}

/** Prints the table and returns whether every figure meets its target. */
export function printApple(figures) {
  const { bytes, records, startMs, importMs, saxesMs, importPeak, saxesPeak } = figures
  const perSecond = ms => (records / ms) * 1000
  const atReference = perSecond(importMs) * (startMs / REFERENCE_START_MS)
  const rows = [
    ['svc import, the whole process', importMs, importPeak],
    ['saxes, parsing alone', saxesMs, saxesPeak],
  ]
  console.log(
    `Apple export: ${records} records, ${(bytes / 1e6).toFixed(0)} MB; node -e 0 takes ${startMs.toFixed(1)} ms`,
  )
  console.log(
    'what'.padEnd(32),
    'median s'.padStart(9),
    'records/s'.padStart(10),
    'MB/s'.padStart(7),
    'peak MiB'.padStart(9),
  )
  for (const [what, ms, peak] of rows) {
    console.log(
      what.padEnd(32),
      (ms / 1000).toFixed(2).padStart(9),
      perSecond(ms).toFixed(0).padStart(10),
      (bytes / ms / 1000).toFixed(1).padStart(7),
      (peak / 1_048_576).toFixed(0).padStart(9),
    )
  }
  const checks = [
    ['times as fast as saxes', saxesMs / importMs, 1, 2],
    ['records/s at the speed of the reference machine', atReference, LEAST_RECORDS_S, 0],
  ]
  let isMet = importPeak <= MOST_BYTES
  for (const [what, value, least, digits] of checks) {
    if (value < least) isMet = false
    console.log(
      what.padEnd(48),
      value.toFixed(digits).padStart(9),
      `≥ ${least}`.padStart(9),
      value < least ? 'MISSED' : 'ok',
    )
  }
  const verdict = importPeak > MOST_BYTES ? 'MISSED' : 'ok'
  console.log(
    'peak MiB of the import'.padEnd(48),
    (importPeak / 1_048_576).toFixed(0).padStart(9),
    '≤ 300'.padStart(9),
    verdict,
  )
  return isMet
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '500000' },
      runs: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      file: { type: 'string' },
    },
  })
  const [records, runs, seed] = [Number(values.records), Number(values.runs), Number(values.seed)]
  const isMet = printApple(await measureApple({ records, runs, seed, file: values.file }))
  process.exitCode = isMet ? 0 : 1
}
