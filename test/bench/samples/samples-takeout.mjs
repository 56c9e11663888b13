/** Measures reading and importing archives of providers, whole processes, beside a program that only parses the same bytes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from '../bundle.mjs'
import { median } from '../figures.mjs'
import { ARCHIVES } from '../takeout/archives.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const svc = path.join(here, '..', '..', '..', 'bin', 'run.js')
const MOST_BYTES = 300 * 1_048_576
/** Least speed of reading samples, as a share of the speed of parsing. A daily record becomes a summary, which takes longer than to parse it. */
const LEAST_SHARE = 0.5

/** Adds the figures of each archive. `share` is the share of the records, `runs` the number of interleaved runs. */
export async function benchTakeouts(figures, { share, runs }) {
  const home = mkdtempSync(path.join(tmpdir(), 'svc-bench-takeout-'))
  const { path: reading } = await bundled('takeout/reading.ts', { isProgram: true })
  try {
    for (const [name, { format, records, write, isDaily }] of Object.entries(ARCHIVES)) {
      const file = path.join(home, 'archive.zip')
      await write(file, records * share)
      measure(figures, home, { name, format, file, runs, reading, isDaily })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function measure(figures, home, { name, format, file, runs, reading, isDaily }) {
  const rounds = Array.from({ length: runs }, (_, round) => {
    const flags = ['--data-dir', path.join(home, `data${round}`), '--json']
    run(home, [svc, 'user', 'create', 'bench', ...flags])
    const command = [svc, 'import', file, '--user', 'bench', ...flags]
    const measured = {
      start: run(home, ['-e', '0']),
      parse: run(home, [reading, 'parse', format, file]),
      read: run(home, [reading, 'import', format, file]),
      store: run(home, command),
    }
    rmSync(path.join(home, `data${round}`), { recursive: true, force: true })
    return measured
  })
  const of = pick => median(rounds.map(pick))
  const { records } = JSON.parse(rounds[0].store.stdout)
  const speed = what => `${(records / of(each => each[what].ms - each.start.ms)).toFixed(0)} k/s`
  const ratio = of(each => (each.parse.ms - each.start.ms) / (each.read.ms - each.start.ms))
  const peak = of(each => each.store.peak)
  figures.add(`${name}: records, parsed`, speed('parse'))
  figures.add(`${name}: records, read`, speed('read'))
  figures.add(`${name}: records, imported and stored`, speed('store'))
  figures.add(
    `${name}: speed of reading to parsing`,
    ratio.toFixed(2),
    ...(isDaily ? [] : [`≥ ${LEAST_SHARE}`, ratio >= LEAST_SHARE]),
  )
  figures.add(
    `${name}: peak memory of an import`,
    `${(peak / 1_048_576).toFixed(0)} MiB`,
    '≤ 300 MiB',
    peak <= MOST_BYTES,
  )
}

function run(home, args) {
  // every Node process parses the certificates in this variable at start-up, which is not part of our time
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  const peak = path.join(home, 'peak')
  const own = { SVC_CONFIG_DIR: home, SVC_CACHE_DIR: path.join(home, 'cache'), SVC_BENCH_PEAK: peak }
  const began = process.hrtime.bigint()
  const result = spawnSync(process.execPath, ['--require', path.join(here, '..', 'peak-memory.cjs'), ...args], {
    env: { ...inherited, ...own },
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  })
  const ms = Number(process.hrtime.bigint() - began) / 1e6
  if (result.status !== 0) throw new Error(`${args.join(' ')} ended with ${result.status}: ${result.stderr}`)
  return { ms, peak: Number(readFileSync(peak, 'utf8')), stdout: result.stdout }
}
