/** A linked person whose data is at a fake provider, and the stored part of it. The file that uses it replaces the live connectors. */

import type { EngineContext } from '../../../src/engine/context.ts'
import { type PullReport, pullConnection } from '../../../src/engine/live/pulling/pull.ts'
import type { LiveKey } from '../../../src/store/live/connections.ts'
import { Items } from '../../providers/pulled-connector.ts'
import { TEST_PROVIDER } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive } from './live-harness.ts'

export const PACE = { tries: 4, firstMs: 2, mostMs: 10 }

export interface PullHarness {
  readonly live: LiveHarness
  readonly items: Items
  readonly key: LiveKey
  readonly context: EngineContext
  pull(options?: PullNow): Promise<PullReport>
  /** Returns `resource time value` of all samples of the person, sorted. */
  stored(): Promise<string[]>
  /** Returns the types of all events of the team, oldest first. */
  events(): Promise<string[]>
}

export interface PullNow {
  readonly engine?: EngineContext
  readonly holder?: string
  readonly signal?: AbortSignal
  readonly untilDone?: boolean
}

export async function openPull(): Promise<PullHarness> {
  const items = new Items()
  const live = await openLive({ standIn: { handle: items.handle } })
  await live.link()
  const { h, user_id } = live
  const key = { userId: user_id, provider: TEST_PROVIDER }
  const { context } = h.engine
  return {
    live,
    items,
    key,
    context,
    pull: ({ engine = context, holder = 'a', signal, untilDone = true } = {}) =>
      pullConnection(engine, key, { holder, signal, untilDone, pace: PACE }),
    async stored() {
      const found: string[] = []
      for (const resource of ['steps', 'heartrate']) {
        const query = { resource, provider: null, from: 0, to: Number.MAX_SAFE_INTEGER }
        for await (const { columns } of context.store.samples.scan(user_id, query)) {
          const { start, value } = columns
          for (const [row, at] of [...start].entries()) found.push(`${resource} ${at} ${value[row]}`)
        }
      }
      return found.sort()
    },
    async events() {
      const { data } = await h.call('event.list', { query: { limit: 100, order: 'desc' } })
      return data.map(each => each.event_type).reverse()
    },
  }
}
