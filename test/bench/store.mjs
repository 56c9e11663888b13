/**
 * `npm run bench:store -- --store URL`: figures for the store on PostgreSQL, compared with bare SQL for the same work in the same run. The
 * URL is a database on a server where databases may be created; each part creates its own and drops it. `--quick` uses a tenth of the data;
 * `--only push,rate,reads,deliveries,tail,crash,failover` runs some parts only; `--kills N` (20) is for the crash part, `--seconds N` (60)
 * for the tail.
 */
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'
import { Figures } from './figures.mjs'
import { benchFailover, benchKills, benchTail } from './store/store-crashes.mjs'
import { benchDeliveries, benchTwoDeliverers } from './store/store-deliveries.mjs'
import { benchPush, benchRate, benchReads } from './store/store-work.mjs'

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    quick: { type: 'boolean' },
    only: { type: 'string' },
    kills: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
  },
})
const share = values.quick ? 0.1 : 1
const wanted = values.only?.split(',')
const figures = new Figures()
const engine = await bundled('store/store-entry.ts')
const url = values.store
if (url === undefined) {
  console.error(
    'Give the URL of a database on a server where databases may be created: --store postgres://USER@HOST:PORT/postgres',
  )
  process.exit(2)
}
const parts = {
  push: () => benchPush(engine, figures, { url, pushes: 5_000 * share }),
  async rate() {
    const one = { each: 1, least: 1, what: '1,440 samples a transaction, 32 at once' }
    await benchRate(engine, figures, { url, samples: 10e6 * share, ...one })
    const ten = { each: 10, least: 4, what: '10 chunks a transaction, 32 at once' }
    await benchRate(engine, figures, { url, samples: 40e6 * share, ...ten })
  },
  reads: () => benchReads(engine, figures, { url, samples: 10e6 * share, users: 100_000 * share }),
  async deliveries() {
    await benchDeliveries(engine, figures, { url, events: 20_000 * share })
    await benchTwoDeliverers(engine, figures, { url, events: 20_000 * share })
  },
  tail: () => benchTail(engine, figures, { url, seconds: Number(values.seconds) }),
  crash: () => benchKills(engine, figures, { kills: Number(values.kills) }),
  failover: () => benchFailover(engine, figures),
}
for (const [name, run] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await run()
process.exit(figures.missed > 0 ? 1 : 0)
