/**
 * `npm run bench:citus`: a Citus cluster on this machine. Faults: kills of each worker, of the coordinator and of nodes while 32 writers
 * write, rebalancing to a third and a fourth worker and removing one, and the fail-over of a worker to its synchronous standby. Speed: the
 * same work over plain PostgreSQL, the coordinator and a worker. `--kills N` of each kind (10); `--quick` uses a tenth of the data;
 * `--only kills,move,failover,speed` runs some parts only.
 */
import { parseArgs } from 'node:util'
import { CitusMissing } from '../kit/postgres/citus.mjs'
import { bundled } from './bundle.mjs'
import { benchFailover, benchKills, benchMoves } from './citus/citus-faults.mjs'
import { benchSpeed } from './citus/citus-speed.mjs'
import { Figures } from './figures.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    kills: { type: 'string', default: '10' },
  },
})
const share = values.quick ? 0.1 : 1
const wanted = values.only?.split(',')
const figures = new Figures()
const engine = await bundled('store/store-entry.ts')
const parts = {
  kills: () => benchKills(engine, figures, { kills: Number(values.kills) }),
  move: () => benchMoves(engine, figures),
  failover: () => benchFailover(engine, figures),
  speed: () => benchSpeed(engine, figures, { share }),
}
try {
  for (const [name, run] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await run()
} catch (error) {
  if (!(error instanceof CitusMissing)) throw error
  console.error(error.message)
  process.exit(2)
}
process.exit(figures.missed > 0 ? 1 : 0)
