/**
 * A Prometheus histogram of request durations by method, route and status. It has its own counters, because the metrics package's histogram
 * would look up its labels for every request.
 */
import type { Histogram, Registry } from 'prom-client'

const NAME = 'svc_http_request_duration_seconds'
const HELP =
  "Time from a request's headers to the end of its response, by method, route and status (0: the caller disconnected)"
/** Upper bounds in seconds, from a fast read to an aggregate over years. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60] as const

type Labels = Readonly<Record<'method' | 'route' | 'status', string>>

/** Counters for one method, route and status. */
interface Line {
  readonly labels: Labels
  /**
   * The number of requests in each bucket, which contains values above the previous bound and up to its own. The last bucket is for values
   * above all bounds.
   */
  readonly counts: number[]
  sum: number
}

interface Value {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

export class RequestTimes {
  /** Counters by route (always the same string object for a route), then by method and status. */
  private readonly lines = new Map<string, Map<string, Line>>()

  /** Counts a request. A `status` of 0 means that the caller disconnected. */
  observe(method: string, route: string, status: number, seconds: number): void {
    const line = this.findLine(method, route, status)
    let at = 0
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at++
    line.counts[at] = (line.counts[at] as number) + 1
    line.sum += seconds
  }

  /** Adds the histogram to the registry, which reads its values on each scrape. */
  register(registry: Registry): void {
    const metric = {
      name: NAME,
      get: async () => ({ name: NAME, help: HELP, type: 'histogram', aggregator: 'sum', values: this.values() }),
    }
    // the registry uses no other members of a histogram
    registry.registerMetric(metric as unknown as Histogram)
  }

  private findLine(method: string, route: string, status: number): Line {
    let ofRoute = this.lines.get(route)
    if (ofRoute === undefined) {
      ofRoute = new Map()
      this.lines.set(route, ofRoute)
    }
    const name = `${method} ${status}`
    let line = ofRoute.get(name)
    if (line === undefined) {
      line = { labels: { method, route, status: `${status}` }, counts: Array(BOUNDS.length + 1).fill(0), sum: 0 }
      ofRoute.set(name, line)
    }
    return line
  }

  private values(): Value[] {
    return [...this.lines.values()].flatMap(ofRoute => [...ofRoute.values()].flatMap(lineValues))
  }
}

function lineValues({ labels, counts, sum }: Line): Value[] {
  let count = 0
  const buckets = counts.map((some, i) => {
    count += some
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[i] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ]
}
