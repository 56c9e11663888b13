/** Figures of the webhooks that a running server delivers, for Prometheus: no id of an endpoint or a user is in a label. */
import type { Gauge, Registry } from 'prom-client'
import type { AttemptResult } from '../../delivery/delivery-loop.ts'
import type { EngineContext } from '../../engine/context.ts'

/** Counts attempts, and shows how many deliveries wait when it is asked. Answers what counts an attempt. */
export async function addDeliveryMetrics(
  engine: EngineContext,
  registry: Registry,
): Promise<(result: AttemptResult, ms: number) => void> {
  const { Counter, Gauge } = await import('prom-client')
  const registers = [registry]
  const attempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Attempts to deliver a webhook: delivered, failed (to be tried again), dead (given up)',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Counter({
    name: 'svc_webhook_attempt_seconds_total',
    help: 'Time that endpoints took to answer',
    labelNames: ['result'],
    registers,
  })
  addDeliveryGauges(engine, Gauge, registry)
  return (result, ms) => {
    attempts.inc({ result })
    seconds.inc({ result }, ms / 1000)
  }
}

function addDeliveryGauges(engine: EngineContext, GaugeClass: typeof Gauge, registry: Registry): void {
  const kinds = [
    ['svc_webhook_deliveries_waiting', 'Deliveries that are still to come, of all teams', 'waiting'],
    ['svc_webhook_deliveries_leased', 'Those of them that a process has in hand', 'leased'],
    ['svc_webhook_deliveries_dead', 'Number of dead deliveries, which can be resent', 'dead'],
  ] as const
  for (const [name, help, kind] of kinds) {
    new GaugeClass({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await engine.store.deliveries.figures())[kind])
      },
    })
  }
}
