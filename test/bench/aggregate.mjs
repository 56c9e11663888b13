/**
 * `npm run bench:aggregate`: figures for aggregate queries, all from one run on this machine, compared with DuckDB on the same rows.
 * `--quick` uses a tenth of the data; `--only year,merge,scan,sleep,render,process,serve` runs some parts only.
 */
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'
import { Figures } from './figures.mjs'
import { slowness } from './reference.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
const share = values.quick ? 0.1 : 1
const wanted = values.only?.split(',')
const figures = new Figures()
const engine = await bundled('aggregate/aggregate-entry.ts')
const own = 1e7 * share
const factor = slowness()
figures.add('how many times as slow as the reference machine, by the start of Node', `${factor.toFixed(1)} ×`)

const parts = {
  year: async () => (await import('./aggregate/aggregate-scan.mjs')).benchYear(engine, figures, factor),
  merge: async () => (await import('./aggregate/aggregate-merge.mjs')).benchMerge(engine, figures),
  sleep: async () => (await import('./aggregate/aggregate-sleep.mjs')).benchSleep(engine, figures, factor),
  scan: async () => (await import('./aggregate/aggregate-scan.mjs')).benchScan(engine, figures, { own, all: own * 5 }),
  render: async () =>
    (await import('./aggregate/aggregate-render.mjs')).benchRender(
      await bundled('aggregate/render-entry.ts'),
      figures,
      factor,
    ),
  process: async () => (await import('./aggregate/aggregate-process.mjs')).benchProcess(engine, figures, { own }),
  serve: async () => (await import('./aggregate/aggregate-serve.mjs')).benchServe(engine, figures, { own }),
}
for (const [name, part] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await part()
process.exitCode = figures.missed > 0 ? 1 : 0
