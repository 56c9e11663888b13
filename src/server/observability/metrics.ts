/** Prometheus metrics for a running server. No label contains a user, team or key ID. */
import type { AttemptResult } from '../../delivery/delivery-loop.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { LiveObservation } from '../../engine/live/observation.ts'
import { addDeliveryMetrics } from './delivery-metrics.ts'
import { type AddGauge, gaugeAdder } from './gauges.ts'
import { addLiveMetrics } from './live-metrics.ts'
import { RequestTimes } from './request-times.ts'
import { addStoreMetrics } from './store-metrics.ts'

export interface MetricsOptions {
  readonly engine: EngineContext
  readonly version: string
  /** Returns the number of request body bytes held now. */
  readonly bodyBytes: () => number
}

export interface ServerMetrics {
  readonly contentType: string
  began(): void
  /** `route` is the template. A null status means that the caller disconnected. */
  ended(method: string, route: string, status: number | null, ms: number): void
  /** Counts an attempt to deliver a webhook. */
  attempted(result: AttemptResult, ms: number): void
  /** Counts observations at live providers. */
  observed(observation: LiveObservation): void
  text(): Promise<string>
}

/** Sets up the metrics. Only the server loads the metrics package. */
export async function serverMetrics(options: MetricsOptions): Promise<ServerMetrics> {
  const { Gauge, Registry } = await import('prom-client')
  const registry = new Registry()
  const gauge = gaugeAdder(Gauge, registry)
  let inFlight = 0
  gauge('svc_http_requests_in_flight', 'Number of requests in progress', () => inFlight)
  gauge('svc_body_bytes_in_flight', 'Size of the request bodies in memory, in bytes, unpacked', options.bodyBytes)
  const times = new RequestTimes()
  times.register(registry)
  await addStoreMetrics(options.engine, registry, gauge)
  const attempted = await addDeliveryMetrics(options.engine, registry, gauge)
  const observed = await addLiveMetrics(options.engine, registry)
  addProcessGauges(gauge)
  const info = {
    name: 'svc_build_info',
    help: 'Version of svc and of Node',
    labelNames: ['version', 'node'],
    registers: [registry],
  }
  new Gauge(info).set({ version: options.version, node: process.version }, 1)

  return {
    contentType: registry.contentType,
    began() {
      inFlight++
    },
    ended(method, route, status, ms) {
      inFlight--
      times.observe(method, route, status ?? 0, ms / 1000)
    },
    attempted,
    observed,
    text: () => registry.metrics(),
  }
}

/** Adds gauges under the names that Node dashboards expect. */
function addProcessGauges(gauge: AddGauge): void {
  const started = Date.now() / 1000 - process.uptime()
  let utilization = performance.eventLoopUtilization()
  gauge('process_start_time_seconds', 'Start time of the process, in seconds since 1970', () => started)
  gauge('process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss())
  gauge('process_cpu_seconds_total', 'CPU time of the process', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  gauge('nodejs_heap_size_used_bytes', 'Heap in use', () => process.memoryUsage().heapUsed)
  gauge(
    'nodejs_eventloop_utilization',
    'Fraction of the time since the last scrape during which the event loop was busy',
    () => {
      const now = performance.eventLoopUtilization()
      const since = performance.eventLoopUtilization(now, utilization)
      utilization = now
      return since.utilization
    },
  )
}
