/** Converts between a webhook endpoint and its row. */
import type { TeamId } from '../../../core/ids.ts'
import { ENDPOINT } from '../../tables/events.ts'
import type { EndpointRecord } from '../../webhook.ts'
import { damaged, storedJson } from '../rows/damage.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { many, one, type Steps } from '../steps.ts'

type EndpointRow = AsRow<Omit<EndpointRecord, 'eventTypes'>> & { readonly event_types: string }

const ENDPOINTS = new PlainRows<EndpointRow>(ENDPOINT)

const ENDPOINTS_OF_TEAM = ENDPOINTS.query('WHERE team_id=? ORDER BY created_at, endpoint_id')
const ENABLED_ENDPOINTS = ENDPOINTS.query('WHERE disabled_at IS NULL ORDER BY created_at, endpoint_id')
const FIND_ENDPOINT = ENDPOINTS.query('WHERE team_id=? AND endpoint_id=?')

/** Returns all of a team's endpoints, oldest first. */
export function* listTeamEndpoints(teamId: TeamId): Steps<EndpointRecord[]> {
  return (yield* many(ENDPOINTS_OF_TEAM, [teamId])).map(fromRow)
}

/** Returns the enabled endpoints of all teams. */
export function* enabledEndpoints(): Steps<EndpointRecord[]> {
  return (yield* many(ENABLED_ENDPOINTS)).map(fromRow)
}

export function* findEndpoint(teamId: TeamId, endpointId: string): Steps<EndpointRecord | null> {
  const row = yield* one(FIND_ENDPOINT, [teamId, endpointId])
  return row ? fromRow(row) : null
}

/** Stores the whole endpoint, replacing any endpoint with the same ID. */
export function* putEndpoint(endpoint: EndpointRecord): Steps<void> {
  yield* ENDPOINTS.put(asRow({ ...endpoint, eventTypes: JSON.stringify(endpoint.eventTypes) }))
}

function fromRow(row: EndpointRow): EndpointRecord {
  return { ...asRecord(row), eventTypes: parsePatterns(row.event_types) }
}

/** Returns the types to which an endpoint subscribes, from its row. */
export function parsePatterns(text: string): string[] {
  const location = () => ({ what: 'the event types of a webhook endpoint', userId: null })
  const patterns = storedJson<string[]>(text, location)
  if (Array.isArray(patterns) && patterns.every(each => typeof each === 'string')) return patterns
  throw damaged(location())
}
