/** The row of a webhook endpoint, and the endpoint that it stands for. */
import type { TeamId } from '../../../core/ids.ts'
import type { EndpointRecord } from '../../webhook.ts'
import { damaged, storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'
import { PlainRows } from '../plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../record-names.ts'

type EndpointRow = AsRow<Omit<EndpointRecord, 'eventTypes'>> & { readonly event_types: string }

const ENDPOINTS = new PlainRows<EndpointRow>('endpoint', [
  'team_id',
  'endpoint_id',
  'url',
  'url_set_by',
  'description',
  'event_types',
  'header_prefix',
  'concurrency',
  'rate_limit',
  'secret',
  'former_secret',
  'former_until',
  'created_at',
  'updated_at',
  'disabled_at',
  'disabled_reason',
  'failing_since',
])

/** Returns all endpoints of a team, oldest first. */
export function endpointsOf(db: Connection, teamId: TeamId): EndpointRecord[] {
  return ENDPOINTS.all(db, 'WHERE team_id=? ORDER BY created_at, endpoint_id', teamId).map(fromRow)
}

/** Returns the enabled endpoints of all teams. */
export function enabledEndpoints(db: Connection): EndpointRecord[] {
  return ENDPOINTS.all(db, 'WHERE disabled_at IS NULL ORDER BY created_at, endpoint_id').map(fromRow)
}

export function findEndpoint(db: Connection, teamId: TeamId, endpointId: string): EndpointRecord | null {
  const row = ENDPOINTS.get(db, 'WHERE team_id=? AND endpoint_id=?', teamId, endpointId)
  return row ? fromRow(row) : null
}

/** Stores the endpoint as a whole, in the place of what was there under its id. */
export function putEndpoint(db: Connection, endpoint: EndpointRecord): void {
  ENDPOINTS.replace(db, asRow({ ...endpoint, eventTypes: JSON.stringify(endpoint.eventTypes) }))
}

function fromRow(row: EndpointRow): EndpointRecord {
  return { ...asRecord(row), eventTypes: patternsOf(row.event_types) }
}

/** Returns the types that an endpoint asks for, from its row. */
export function patternsOf(text: string): string[] {
  const place = () => ({ what: 'the event types of a webhook endpoint', userId: null })
  const patterns = storedJson<string[]>(text, place)
  if (Array.isArray(patterns) && patterns.every(each => typeof each === 'string')) return patterns
  throw damaged(place())
}
