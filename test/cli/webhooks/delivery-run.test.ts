/** The work and output of `svc event deliver`: it makes all due deliveries, and no others. */
import { describe, expect, it } from 'vitest'
import { runDeliveries } from '../../../src/cli/webhooks/delivery-run.ts'
import { type DeliveryHarness, openDeliveryHarness } from '../../delivery/delivery-harness.ts'
import { openSink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'

const run = ({ h }: DeliveryHarness, more: Partial<Parameters<typeof runDeliveries>[0]> = {}) =>
  runDeliveries({
    dataDir: h.dataDir,
    version: 'test',
    waits: false,
    allowPrivateTargets: undefined,
    signal: new AbortController().signal,
    log: () => {},
    onWait: () => {},
    ...more,
  })

const NOTHING = { attempts: 0, delivered: 0, failed: 0, dead: 0, waiting: 0, elsewhere: 0, next_attempt_at: null }

describe('a run of deliveries', () => {
  it('does nothing if nothing is waiting', async () => {
    expect(await run(await openDeliveryHarness())).toEqual(NOTHING)
  })

  it('makes due deliveries and reports the remaining ones', async () => {
    const harness = await openDeliveryHarness()
    harness.h.time.ms = Date.now()
    const [well, broken] = [await openSink(), await openSink(() => 500)]
    await harness.endpoint(well.url)
    await harness.endpoint(broken.url)
    await harness.events(await harness.user('anna'), 3)
    const report = await run(harness)
    expect(report).toMatchObject({ attempts: 6, delivered: 3, failed: 3, dead: 0, waiting: 3, elsewhere: 0 })
    expect(Date.parse(report.next_attempt_at ?? '') - Date.now()).toBeLessThan(6_000)
    expect(await run(harness)).toMatchObject({ attempts: 0, waiting: 3 })
  })

  it('waits for later deliveries on request', async () => {
    const harness = await openDeliveryHarness()
    harness.h.time.ms = Date.now()
    const sink = await openSink(() => (sink.received.length === 1 ? 503 : 200))
    await harness.endpoint(sink.url)
    await harness.events(await harness.user('anna'), 1)
    const waits: string[] = []
    const report = await run(harness, { waits: true, onWait: nextAt => waits.push(nextAt) })
    expect(report).toEqual({ ...NOTHING, attempts: 2, delivered: 1, failed: 1 })
    expect(waits).toHaveLength(1)
  })

  it('that is interrupted leaves undelivered events due', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink(() => undefined)
    await harness.endpoint(sink.url)
    await harness.events(await harness.user('anna'), 2)
    const controller = new AbortController()
    const running = run(harness, { signal: controller.signal })
    void until(() => sink.received.length > 0).then(() => controller.abort())
    await expect(running).rejects.toMatchObject({ code: 'cancelled', exitCode: 130 })
    expect(await harness.engine.store.deliveries.figures()).toEqual({ waiting: 2, leased: 0, dead: 0 })
  })
})
