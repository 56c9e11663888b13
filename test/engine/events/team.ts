/** A team with a user, endpoints and events, for tests of events. */
import { Readable } from 'node:stream'
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import type { EndpointRecord } from '../../../src/store/webhook.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

export interface Team {
  readonly h: Harness
  readonly userId: UserId
  push(items: readonly object[], userId?: UserId): Promise<void>
  /** Stores an endpoint that subscribes to these types, without a call. */
  endpoint(endpointId: string, eventTypes: readonly string[], more?: Partial<EndpointRecord>): Promise<void>
  /** Returns the bodies of all events, oldest first. */
  bodies(type?: string): Promise<readonly Body[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a body is what the type of the event says
type Body = { readonly event_type: string; readonly data: any }

export async function openTeam(): Promise<Team> {
  const h = await openHarness()
  const userId = (await h.call('user.create', { body: { client_user_id: 'ada' } })).user_id as UserId
  return {
    h,
    userId,
    async push(items, whose = userId) {
      const stream = Readable.from([Buffer.from(JSON.stringify(items))])
      await h.call('samples.push', { params: { user_id: whose }, body: { kind: 'stream' as const, stream } })
    },
    endpoint: (endpointId, eventTypes, more = {}) =>
      h.engine.context.store.webhooks.add({
        endpointId,
        teamId: h.team.teamId as TeamId,
        url: `https://hooks.example/${endpointId}`,
        urlSetBy: 'operator',
        description: '',
        eventTypes,
        headerPrefix: null,
        concurrency: 10,
        rateLimit: null,
        secret: new Uint8Array(32),
        formerSecret: null,
        formerUntil: null,
        createdAt: NOON,
        updatedAt: NOON,
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        ...more,
      }),
    async bodies(type) {
      const query = { order: 'asc' as const, payload: true, limit: 500, ...(type === undefined ? {} : { type }) }
      const { data } = await h.call('event.list', { query })
      return data.map(each => each.payload as Body)
    },
  }
}

export const heart = (minute: number, value: number, more: object = {}) => ({
  resource: 'heartrate',
  timestamp: new Date(NOON - 3_600_000 + minute * 60_000).toISOString(),
  value,
  ...more,
})
