/**
 * `npm run bench:providers`: the speed of pulls from live providers, compared with the bare requests; the cost of polling many connections;
 * and the response time for notifications. The provider is a fake provider on this machine. `--quick` uses a fifth; `--only
 * backfill,polls,notifications` runs some parts only; `--kills N` (10) is for notifications.
 */
import { parseArgs } from 'node:util'
import { bundled } from './bundle.mjs'
import { Figures } from './figures.mjs'
import { benchBackfill } from './providers/providers-backfill.mjs'
import { benchNotifications } from './providers/providers-notifications.mjs'
import { benchPolls } from './providers/providers-polls.mjs'

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, kills: { type: 'string', default: '10' } },
})
const share = values.quick ? 0.2 : 1
const wanted = values.only?.split(',')
const figures = new Figures()
const engine = await bundled('providers/providers-entry.ts')
const parts = {
  backfill: () => benchBackfill(engine, figures, { days: 90 * share, rounds: 5 }),
  polls: () => benchPolls(figures, { connections: 200 * share }),
  notifications: () => benchNotifications(figures, { rate: 500, seconds: 20 * share, kills: Number(values.kills) }),
}
for (const [name, run] of Object.entries(parts)) if (!wanted || wanted.includes(name)) await run()
process.exit(figures.missed > 0 ? 1 : 0)
