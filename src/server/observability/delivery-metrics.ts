/** Prometheus metrics for the webhooks that a running server delivers. No label contains an endpoint or user ID. */
import type { Registry } from 'prom-client'
import type { AttemptResult } from '../../delivery/delivery-loop.ts'
import type { EngineContext } from '../../engine/context.ts'
import type { AddGauge } from './gauges.ts'

/** Registers the delivery metrics, and returns a function that counts an attempt. */
export async function addDeliveryMetrics(
  engine: EngineContext,
  registry: Registry,
  gauge: AddGauge,
): Promise<(result: AttemptResult, ms: number) => void> {
  const { Counter } = await import('prom-client')
  const registers = [registry]
  const attempts = new Counter({
    name: 'svc_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by result: delivered, failed (to be retried) or dead (given up)',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Counter({
    name: 'svc_webhook_attempt_seconds_total',
    help: 'Time that endpoints took to respond',
    labelNames: ['result'],
    registers,
  })
  const figure = (kind: 'waiting' | 'leased' | 'dead') => async () => (await engine.store.deliveries.figures())[kind]
  const waiting = 'Number of deliveries of all teams that are not yet completed'
  gauge('svc_webhook_deliveries_waiting', waiting, figure('waiting'))
  gauge('svc_webhook_deliveries_leased', 'Number of waiting deliveries that a process has leased', figure('leased'))
  gauge('svc_webhook_deliveries_dead', 'Number of dead deliveries, which can be resent', figure('dead'))
  return (result, ms) => {
    attempts.inc({ result })
    seconds.inc({ result }, ms / 1000)
  }
}
