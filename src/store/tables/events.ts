/** Tables for events, the endpoints that receive them, and their deliveries. */
import type { DeliveryState } from '../event.ts'
import { table } from './table.ts'

/**
 * Events. `arrival` orders a team's events as they were committed, independently of the clock. 0 marks an event that is never shown and is
 * kept only to undo its import. In PostgreSQL, the order is stored in separate tables, and 1 means that the position is in them. Name and
 * compatibility date are stored with the event, so that it always renders to the same bytes.
 */
export const OUTBOX = table({
  name: 'outbox',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    sequence: 'number',
    event_id: 'text',
    team_id: 'text',
    type: 'text',
    at: 'number',
    series_id: 'number?',
    n: 'number',
    data: { type: 'blob?', counts: true },
    document: { type: 'text?', json: 'object or list', counts: true },
    rev: { type: 'number', default: 0 },
    arrival: { type: 'number', default: 0 },
    client_user_id: 'text?',
    compatibility_date: 'text?',
    checksum: 'number?',
  },
  key: ['user_id', 'sequence'],
  hasRowid: true,
  indexes: { outbox_by_event: '(user_id, event_id)' },
  sqliteIndexes: { outbox_by_arrival: '(team_id, arrival, sequence)' },
  aside: ['rev'],
  checksums: [{ blob: 'data', named: row => `event ${row.sequence}` }],
  needs: [
    {
      table: 'series',
      by: ['user_id', 'series_id'],
      unlessNull: 'series_id',
      label: "'events of series '||series_id",
      reason: 'their series is lost',
    },
  ],
})

/** Events that do not have a position in their team's order yet. They are given one after their commit (postgres/sequencer.ts). */
export const EVENT_WAITING = table({
  name: 'event_waiting',
  owner: 'user',
  life: 'derived',
  columns: { user_id: 'text', sequence: 'number', team_id: 'text', since: 'number' },
  key: ['user_id', 'sequence'],
  indexes: { event_waiting_by_time: '(since)' },
  onlyIn: 'postgres',
})

export const TEAM_EVENT = table({
  name: 'team_event',
  owner: 'team',
  life: 'derived',
  columns: { team_id: 'text', arrival: 'number', sequence: 'number', user_id: 'text' },
  key: ['team_id', 'arrival', 'sequence'],
  indexes: { team_event_by_user: 'UNIQUE (team_id, user_id, sequence)' },
  onlyIn: 'postgres',
})

/** The last position in each team's order. */
export const TEAM_ORDER = table({
  name: 'team_order',
  owner: 'team',
  life: 'derived',
  columns: { team_id: 'text', last: 'number' },
  key: ['team_id'],
  onlyIn: 'postgres',
})

/** Endpoints with sealed secrets. `url_set_by` determines which hosts the URL may name. Null if it is not known who set the URL. */
export const ENDPOINT = table({
  name: 'endpoint',
  owner: 'team',
  life: 'state',
  columns: {
    team_id: 'text',
    endpoint_id: 'text',
    url: 'text',
    description: 'text',
    event_types: { type: 'text', json: 'list' },
    header_prefix: 'text?',
    concurrency: 'number',
    rate_limit: 'number?',
    secret: 'blob',
    former_secret: 'blob?',
    former_until: 'number?',
    created_at: 'number',
    updated_at: { type: 'number', tellsChange: true },
    disabled_at: 'number?',
    disabled_reason: 'text?',
    failing_since: { type: 'number?', tellsChange: true },
    url_set_by: 'text?',
  },
  key: ['team_id', 'endpoint_id'],
  cluster: 'everywhere',
})

export const DELIVERY_STATES = ['waiting', 'delivered', 'dead', 'cancelled'] as const satisfies DeliveryState[]

/** Deliveries: one row for each event and each endpoint that receives it, written in the event's transaction. */
export const DELIVERY = table({
  name: 'delivery',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    sequence: 'number',
    endpoint_id: 'text',
    team_id: 'text',
    state: { type: 'text', oneOf: DELIVERY_STATES },
    attempts: { type: 'number', default: 0, tellsChange: true },
    round: { type: 'number', default: 0, tellsChange: true },
    due_at: { type: 'number', tellsChange: true },
    leased_by: 'text?',
    last_at: 'number?',
    last_status: 'number?',
    last_error: 'text?',
    last_ms: 'number?',
  },
  key: ['user_id', 'sequence', 'endpoint_id'],
  lease: 'leased_by',
  indexes: {
    delivery_first: "(endpoint_id, user_id, sequence) WHERE state='waiting' AND attempts=0 AND leased_by IS NULL",
    delivery_again: "(endpoint_id, due_at) WHERE state='waiting' AND attempts>0",
    delivery_leased: '(leased_by, endpoint_id, user_id) WHERE leased_by IS NOT NULL',
    delivery_dead: "(team_id, endpoint_id) WHERE state='dead'",
  },
  needs: [
    {
      table: 'outbox',
      by: ['user_id', 'sequence'],
      label: "'deliveries to endpoint '||endpoint_id",
      reason: 'their events are lost',
    },
    {
      table: 'endpoint',
      by: ['team_id', 'endpoint_id'],
      label: "'deliveries to endpoint '||endpoint_id",
      reason: 'the endpoint is lost',
    },
  ],
})

export const FAILED_ATTEMPT = table({
  name: 'failed_attempt',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    sequence: 'number',
    endpoint_id: 'text',
    number: 'number',
    at: 'number',
    status: 'number?',
    error: 'text',
    ms: 'number',
  },
  key: ['user_id', 'sequence', 'endpoint_id', 'number'],
})

/** The sealed request and response of an attempt. `at` is real time, and rows are removed a week later. */
export const DELIVERY_EXCHANGE = table({
  name: 'delivery_exchange',
  owner: 'user',
  life: 'passing',
  columns: {
    user_id: 'text',
    sequence: 'number',
    endpoint_id: 'text',
    number: 'number',
    at: 'number',
    sealed: 'blob',
  },
  key: ['user_id', 'sequence', 'endpoint_id', 'number'],
  hasRowid: true,
  indexes: { delivery_exchange_by_time: '(at)' },
})

/** The processes that deliver. */
export const DELIVERER = table({
  name: 'deliverer',
  owner: 'store',
  life: 'process',
  columns: { deliverer_id: 'text', alive_until: 'number' },
  key: ['deliverer_id'],
  cluster: 'coordinator',
})

/**
 * Slices of users for whom processes deliver. A slice is identified by the two hexadecimal digits with which its users' IDs begin. A free
 * slice has no row.
 */
export const DELIVERY_SLICE = table({
  name: 'delivery_slice',
  owner: 'store',
  life: 'process',
  columns: { slice: 'text', deliverer_id: 'text' },
  key: ['slice'],
  cluster: 'everywhere',
})
