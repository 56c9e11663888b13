/**
 * Times whole processes: `svc aggregate query` over ten million samples with Parquet output, and a Node process that does the same with
 * DuckDB.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bundle.mjs'
import { median } from '../figures.mjs'
import { environment } from '../samples/samples-serve.mjs'
import { DAY, freshFolder } from '../samples/samples-store.mjs'
import { fillDuck, fillStore, lastDay, ONE_SOURCE } from './aggregate-data.mjs'
import { byDay } from './aggregate-scan.mjs'

const RUNS = 9

/** The reference process: opens the file, runs the query, writes Parquet. */
const PEER = `
import { DuckDBInstance } from '@duckdb/node-api'
const [file, out] = process.argv.slice(2)
const connection = await (await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })).connect()
await connection.run(\`COPY (SELECT ms // ${DAY} AS day, avg(value), min(value), max(value), sum(value), count(value), stddev_samp(value)
  FROM t GROUP BY day ORDER BY day) TO '\${out}' (FORMAT parquet)\`)
`

function run(args, env, out) {
  rmSync(out, { force: true })
  const began = performance.now()
  const done = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  const took = performance.now() - began
  if (done.status !== 0 || statSync(out).size < 1000)
    throw new Error(`${args[0]} ended with ${done.status}: ${done.stderr}`)
  return took
}

export async function benchProcess(engine, figures, { own }) {
  const folder = freshFolder()
  const env = environment(folder)
  mkdirSync(join(folder, 'data'))
  const store = await fillStore(engine, join(folder, 'data'), own, 0, ONE_SOURCE)
  await store.close()
  const duck = await fillDuck(join(folder, 'duck'), own, ONE_SOURCE)
  duck.connection.closeSync()
  duck.instance.closeSync()
  const query = join(folder, 'query.json')
  writeFileSync(query, JSON.stringify(byDay(lastDay(own, 1))))
  // inside the project, so that it finds the package
  const peer = join(root, 'node_modules', '.cache', 'svc-bench', 'peer.mjs')
  writeFileSync(peer, PEER)
  const [ours, theirs] = [join(folder, 'ours.parquet'), join(folder, 'theirs.parquet')]
  const svc = [join(root, 'bin', 'run.js'), 'aggregate', 'query', 'bench', query, '-o', ours, '--json']
  const times = { svc: [], peer: [] }
  for (let k = 0; k < RUNS + 2; k++) {
    const mine = run(svc, env, ours)
    const other = run([peer, duck.file, theirs], env, theirs)
    // the first runs fill the caches, including the code cache
    if (k < 2) continue
    times.svc.push(mine)
    times.peer.push(other)
  }
  const [mine, other] = [median(times.svc), median(times.peer)]
  const ratio = mine / other
  const what = `whole process, ${own / 1e6} M samples, Parquet out (${mine.toFixed(0)} ms), against Node with DuckDB (${other.toFixed(0)} ms)`
  figures.add(what, `${ratio.toFixed(2)} ×`, '≤ 0.6 ×', ratio <= 0.6)
  rmSync(folder, { recursive: true })
}
