/** Prometheus metrics for live providers. No label contains a user, team or record ID. */
import type { Registry } from 'prom-client'
import { ServiceError } from '../../core/errors.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { LiveObservation } from '../../engine/live/observation.ts'
import type { LiveFigures } from '../../store/live/pulls.ts'

/** Registers the live provider metrics, and returns a function that counts an observation. */
export async function addLiveMetrics(
  engine: EngineContext,
  registry: Registry,
): Promise<(observation: LiveObservation) => void> {
  const { Counter, Gauge } = await import('prom-client')
  const registers = [registry]
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const requests = counter(
    'svc_provider_requests_total',
    'Requests to live providers, by outcome: answered, repeated, or the kind of failure',
    ['provider', 'outcome'],
  )
  const seconds = counter('svc_provider_request_seconds_total', 'Time that live providers took to respond', [
    'provider',
  ])
  const waits = counter(
    'svc_provider_budget_wait_seconds_total',
    "Time that requests waited because of live providers' limits",
    ['provider'],
  )
  const pulls = counter(
    'svc_provider_pulls_total',
    'Pulls from live providers, by outcome: done, unfinished (continued later) or failed (connection in error)',
    ['provider', 'outcome'],
  )
  const records = counter('svc_provider_records_total', 'Records and samples received in pulls from live providers', [
    'provider',
  ])
  const notifications = counter('svc_provider_notifications_total', 'Notifications from live providers, by outcome', [
    'provider',
    'outcome',
  ])
  const gauges: readonly (readonly [name: string, help: string, value: (figures: LiveFigures) => number])[] = [
    ['svc_provider_connections', 'Number of live connections', each => each.connections],
    ['svc_provider_connections_in_error', 'Number of live connections in the error state', each => each.inError],
    ['svc_provider_notifications_waiting', 'Number of waiting notifications', each => each.waitingNotifications],
  ]
  for (const [name, help, value] of gauges) {
    new Gauge({
      name,
      help,
      labelNames: ['provider'],
      registers,
      async collect() {
        const figures = await readFigures(engine)
        this.reset()
        for (const each of figures) this.inc({ provider: each.provider }, value(each))
      },
    })
  }
  return seen => {
    const { provider } = seen
    if (seen.kind === 'request') {
      requests.inc({ provider, outcome: seen.outcome })
      seconds.inc({ provider }, seen.ms / 1000)
    } else if (seen.kind === 'budget_wait') waits.inc({ provider }, seen.ms / 1000)
    else if (seen.kind === 'pull') {
      pulls.inc({ provider, outcome: seen.outcome })
      records.inc({ provider }, seen.records)
    } else notifications.inc({ provider, outcome: seen.outcome }, seen.count)
  }
}

/**
 * Returns the statistics of all teams. Returns none while the store cannot be read, because the other metrics are needed most at that time.
 */
async function readFigures(engine: EngineContext): Promise<readonly LiveFigures[]> {
  try {
    return await engine.store.live.pulls.figures(null, engine.wall.now())
  } catch (error) {
    if (error instanceof ServiceError) return []
    throw error
  }
}
