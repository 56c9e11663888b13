/** The figures of a team with their course over 14 days. Each leads to its list. */
import type { ResponseOf } from '../../api/call.ts'
import { Figure } from '../../parts/chart/figure.tsx'
import { count } from '../../parts/table.tsx'

type Overview = ResponseOf<'engine.overview'>
type Counter = Exclude<keyof Overview['days'][number], 'date'>

export function Figures({ overview: { days, users, connections, deliveries } }: { readonly overview: Overview }) {
  const sum = (name: Counter): number => days.reduce((total, day) => total + day[name], 0)
  const bars = (good: Counter, ...bad: Counter[]) =>
    days.map(day => ({ date: day.date, value: day[good], bad: bad.reduce((total, name) => total + day[name], 0) }))
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  const [ok, refused, broken] = [sum('requests_2xx'), sum('requests_4xx'), sum('requests_5xx')]
  const connected = connections.reduce((total, each) => total + each.count, 0)
  return (
    <div class="figures">
      <Figure title="Users" n={users} href="/console/users" label="New users" days={bars('users')} />
      <Figure
        title="Connections"
        n={connected}
        href="/console/engine/providers"
        label="New connections"
        days={bars('connections')}
      />
      <Figure title="Samples" n={sum('samples')} href="/console/data" label="Stored samples" days={bars('samples')} />
      <Figure title="Events" n={sum('events')} href="/console/events" label="New events" days={bars('events')} />
      <Figure
        title="Deliveries"
        n={delivered + failed}
        href="/console/events/endpoints"
        label="Attempts"
        days={bars('delivered', 'failed')}
      >
        {count(failed)} failed, {count(deliveries.waiting)} waiting now
      </Figure>
      <Figure
        title="Requests"
        n={ok + refused + broken}
        href="/console/reference"
        label="Requests"
        days={bars('requests_2xx', 'requests_4xx', 'requests_5xx')}
      >
        {count(refused)} refused (4xx), {count(broken)} failed (5xx)
      </Figure>
      <p class="soft">Counted once a minute; a crash may lose a minute. Days are in UTC.</p>
    </div>
  )
}
