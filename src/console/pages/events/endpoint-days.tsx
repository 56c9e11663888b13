/** The success rate and the mean latency of an endpoint's deliveries, by day. */
import { useLoad } from '../../api/use-call.ts'
import { Figure } from '../../parts/chart/figure.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { count } from '../../parts/table.tsx'

export function EndpointDays({ endpointId }: { readonly endpointId: string }) {
  const load = useLoad('webhook.days', { params: { endpoint_id: endpointId } })
  return (
    <Card title="Last 14 days">
      <Loaded load={load} lines={4}>
        {({ days }) => {
          const sum = (of: (day: (typeof days)[number]) => number): number =>
            days.reduce((total, day) => total + of(day), 0)
          const [delivered, failed] = [sum(day => day.delivered), sum(day => day.failed)]
          const attempts = delivered + failed
          const ms = sum(day => (day.mean_ms ?? 0) * (day.delivered + day.failed))
          return (
            <div class="figures">
              <Figure
                title="Success rate"
                n={attempts === 0 ? '–' : `${((100 * delivered) / attempts).toFixed(1)} %`}
                label="Delivery attempts"
                days={days.map(({ date, delivered, failed }) => ({ date, value: delivered, bad: failed }))}
              >
                {count(delivered)} delivered, {count(failed)} failed attempts
              </Figure>
              <Figure
                title="Mean latency"
                n={attempts === 0 ? '–' : `${count(Math.round(ms / attempts))} ms`}
                label="Mean latency in ms"
                days={days.map(({ date, mean_ms }) => ({ date, value: mean_ms ?? 0 }))}
              />
              <p class="soft">Counted once a minute; a crash may lose a minute. Days are in UTC.</p>
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}
