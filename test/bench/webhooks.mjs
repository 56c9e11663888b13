/**
 * `npm run bench:webhooks`: the number of signed webhooks sent per second, how much hanging endpoints slow the others, and the webhooks
 * that SIGKILL loses or sends twice. `--deliveries N` for each rate (50,000), `--events N` for the crash part (100,000), `--kills N` (10);
 * `--quick` uses a tenth; `--only rate,hang,crash` runs some parts only.
 */
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'
import { Figures } from './figures.mjs'
import { benchCrashes } from './webhooks/webhooks-crash.mjs'
import { benchHanging, benchRate } from './webhooks/webhooks-rate.mjs'

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '50000' },
    events: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean' },
    only: { type: 'string' },
  },
})
const share = values.quick ? 0.1 : 1
const wanted = values.only?.split(',')
const figures = new Figures()
const engine = await bundled('webhooks/webhooks-entry.ts')
const began = performance.now()
for (let i = 0; i < 5e7; i++) Math.sqrt(i)
const took = performance.now() - began
figures.add('a loop of 50 M square roots (how quick this machine is just now)', `${took.toFixed(0)} ms`)

const sizes = { deliveries: Number(values.deliveries) * share, rounds: Number(values.rounds) }
const parts = {
  rate: () => benchRate(engine, figures, sizes),
  hang: () => benchHanging(engine, figures, sizes),
  crash: () => benchCrashes(engine, figures, { events: Number(values.events) * share, kills: Number(values.kills) }),
}
for (const [name, run] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await run()
process.exit(figures.missed > 0 ? 1 : 0)
