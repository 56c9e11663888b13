/** An engine with users, endpoints and events to deliver, and processes that deliver them. */
import { onTestFinished } from 'vitest'
import type { CallerInput, ReplyBody } from '../../src/contract/kernel/operation.ts'
import type { Operations } from '../../src/contract/operations.ts'
import type { UserId } from '../../src/core/ids.ts'
import { type Deliverer, startDeliverer } from '../../src/delivery/deliverer.ts'
import type { DelivererOptions } from '../../src/delivery/delivery-loop.ts'
import type { EngineContext } from '../../src/engine/context.ts'
import { engineNow } from '../../src/engine/engine.ts'
import type { OutboxEvent } from '../../src/store/event.ts'
import { type Harness, openHarness } from '../kit/harness.ts'
import { type Patience, until } from '../kit/until.ts'

export const TYPE = 'provider.connection.error'

export interface DeliveryHarness {
  readonly h: Harness
  readonly engine: EngineContext
  user(name: string): Promise<UserId>
  endpoint(
    url: string,
    settings?: Partial<NonNullable<CallerInput<Operations['webhook.create']>['body']>>,
  ): Promise<ReplyBody<Operations['webhook.create']>>
  /** Makes this many events of the user, one write each; `endpointIds` null sends them to every subscribed endpoint. */
  events(userId: UserId, count: number, type?: string): Promise<OutboxEvent[]>
  deliver(options?: Partial<DelivererOptions>): Promise<Deliverer>
  /** Delivers until nothing is due, then stops. */
  deliverAll(options?: Partial<DelivererOptions>): Promise<void>
  advance(duration: string): Promise<unknown>
}

export async function openDeliveryHarness(options: Parameters<typeof openHarness>[0] = {}): Promise<DeliveryHarness> {
  const h = await openHarness(options)
  const engine = h.engine.context
  const harness: DeliveryHarness = {
    h,
    engine,
    user: async name => (await h.call('user.create', { body: { client_user_id: name } })).user_id as UserId,
    endpoint: (url, settings = {}) => h.call('webhook.create', { body: { url, ...settings } }),
    async events(userId, count, type = TYPE) {
      const all: OutboxEvent[] = []
      for (let i = 0; i < count; i++) {
        const at = await engineNow(engine)
        const event = { teamId: h.team.teamId, type, data: { number: i }, at, endpointIds: null }
        all.push(await engine.store.events.emit(userId, event))
      }
      return all
    },
    async deliver(more = {}) {
      const deliverer = startDeliverer({ engine, version: 'test', ...more })
      onTestFinished(() => deliverer.stop(0))
      return deliverer
    },
    async deliverAll(more = {}) {
      const deliverer = await harness.deliver(more)
      await untilIdle(deliverer)
      await deliverer.stop()
    },
    advance: duration => h.call('clock.set', { body: { advance: duration } }),
  }
  return harness
}

export async function untilIdle(deliverer: Deliverer, patience?: Patience): Promise<void> {
  await until(async () => {
    const { underWay, isDue } = await deliverer.remaining()
    return underWay === 0 && !isDue
  }, patience)
}
