/**
 * `npm run bench:samples`: figures for the sample store and for imports, all from one run on this machine. `--quick` uses a tenth of the
 * data; `--only write,one,bytes,page,crash,shared,apple,takeout,serve` runs some parts only.
 */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'
import { Figures } from './figures.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
const share = values.quick ? 0.1 : 1
const wanted = values.only?.split(',')
// the cost of a sync dominates, so a file system in memory shows the rest
const parents = [['disk', tmpdir()], ...(existsSync('/dev/shm') ? [['memory', '/dev/shm']] : [])]

const figures = new Figures()
let isMissed = false
const engine = await bundled('store-entry.ts')
const began = performance.now()
for (let i = 0; i < 5e7; i++) Math.sqrt(i)
figures.add(
  'a loop of 50 M square roots (how quick this machine is just now)',
  `${(performance.now() - began).toFixed(0)} ms`,
)

const parts = {
  bytes: async () => (await import('./samples/samples-write.mjs')).benchBytes(engine, figures),
  one: async () => (await import('./samples/samples-write.mjs')).benchOneSample(engine, figures, { parents }),
  write: async () =>
    (await import('./samples/samples-write.mjs')).benchWrites(engine, figures, { samples: 5e6 * share, parents }),
  page: async () =>
    (await import('./samples/samples-page.mjs')).benchPages(engine, figures, {
      small: 5e6 * share,
      large: 5e7 * share,
    }),
  crash: async () => (await import('./samples/samples-crash.mjs')).benchCrashes(engine, figures, { kills: 20 }),
  shared: async () => (await import('./samples/samples-crash.mjs')).benchShared(engine, figures),
  apple: async () => {
    const { measureApple, printApple } = await import('./apple.mjs')
    if (!printApple(await measureApple({ records: 5e5 * share, runs: 3, seed: 1 }))) isMissed = true
  },
  takeout: async () => (await import('./samples/samples-takeout.mjs')).benchTakeouts(figures, { share, runs: 3 }),
  serve: async () =>
    (await import('./samples/samples-serve.mjs')).benchServe(engine, figures, { records: 5e6 * share }),
}
for (const [name, part] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await part()
process.exitCode = isMissed || figures.missed > 0 ? 1 : 0
