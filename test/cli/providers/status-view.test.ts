/** The displayed state of live providers. */
import { describe, expect, test } from 'vitest'
import {
  collectionsView,
  connectionsView,
  type LiveStatus,
  providersView,
} from '../../../src/cli/providers/status-view.ts'
import type { View } from '../../../src/output/view.ts'

const AT = '2026-11-23T10:00:00+00:00'
const COLLECTION: LiveStatus['connections'][number]['collections'][number] = {
  name: 'daily_activity',
  state: 'polling',
  reached: AT,
  until: AT,
  goal: AT,
  due_at: AT,
  last_pull_at: AT,
  failures: 0,
  last_error: null,
  received: 12,
  unmapped: {},
}
const STATUS: LiveStatus = {
  providers: [
    {
      provider: 'oura',
      connections: 2,
      in_error: 1,
      in_history: 1,
      last_pull_at: AT,
      next_pull_at: null,
      delivery: 'polling',
      waiting_notifications: 0,
      limits: [
        { most: 5000, window_seconds: 300, used: 17 },
        { most: 100_000, window_seconds: 86_400, used: 18 },
      ],
      blocked_until: null,
      subscriptions: [
        { name: 'update:sleep', expires_at: AT, failures: 0, last_error: null },
        { name: 'update:workout', expires_at: null, failures: 2, last_error: 'unavailable' },
      ],
    },
  ],
  connections: [
    {
      user_id: 'user-1',
      provider: 'oura',
      status: 'connected',
      error_type: null,
      error_message: null,
      grant: { state: 'active', expires_at: AT, renewals: 3 },
      last_pull_at: AT,
      next_pull_at: AT,
      collections: [
        COLLECTION,
        {
          ...COLLECTION,
          name: 'heartrate',
          state: 'history',
          failures: 1,
          last_error: { kind: 'unavailable', message: 'Oura does not answer.', at: AT },
          unmapped: { 'heartrate.source': 2, 'heartrate.bpm out of range': 3 },
        },
      ],
      subscriptions: [],
    },
  ],
  next_cursor: null,
}

function shown<Row>({ rows, columns }: View<Row>): Record<string, unknown>[] {
  return rows.map(row => Object.fromEntries(columns.map(({ name, value }) => [name, value(row)])))
}

describe('the state of live providers', () => {
  test('shows which providers are only polled, the usage of limits, and failing subscriptions', () => {
    expect(shown(providersView(STATUS))).toEqual([
      expect.objectContaining({
        provider: 'oura',
        in_error: 1,
        delivery: 'polling only',
        requests: '17 of 5000 in 5 min, 18 of 100000 in 1 d',
        subscriptions: '2, 1 failing',
      }),
    ])
  })

  test('shows a connection’s history progress and failures', () => {
    expect(shown(connectionsView(STATUS))).toEqual([
      expect.objectContaining({ grant: 'active', history: '1 of 2', problems: 'heartrate: unavailable' }),
    ])
  })

  test('shows each collection’s next pull, and why it failed', () => {
    expect(shown(collectionsView(STATUS))).toEqual([
      expect.objectContaining({ user_id: 'user-1', name: 'daily_activity', unmapped: 0, last_error: null }),
      expect.objectContaining({ name: 'heartrate', unmapped: 5, last_error: 'unavailable: Oura does not answer.' }),
    ])
  })
})
