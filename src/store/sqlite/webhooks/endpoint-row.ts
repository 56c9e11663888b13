/** The row of a webhook endpoint, and the endpoint that it stands for. */
import type { TeamId } from '../../../core/ids.ts'
import type { DisabledReason, EndpointRecord, UrlSetBy } from '../../webhook.ts'
import { damaged, storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'

interface EndpointRow {
  readonly team_id: string
  readonly endpoint_id: string
  readonly url: string
  readonly url_set_by: UrlSetBy | null
  readonly description: string
  readonly event_types: string
  readonly header_prefix: string | null
  readonly concurrency: number
  readonly rate_limit: number | null
  readonly secret: Uint8Array
  readonly former_secret: Uint8Array | null
  readonly former_until: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly disabled_at: number | null
  readonly disabled_reason: DisabledReason | null
  readonly failing_since: number | null
}

const COLUMNS = [
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
].join(', ')

/** Returns all endpoints of a team, oldest first. */
export function endpointsOf(connection: Connection, teamId: TeamId): EndpointRecord[] {
  const sql = `SELECT ${COLUMNS} FROM endpoint WHERE team_id=? ORDER BY created_at, endpoint_id`
  return connection.all<EndpointRow>(sql, teamId).map(fromRow)
}

/** Returns the enabled endpoints of all teams. */
export function enabledEndpoints(connection: Connection): EndpointRecord[] {
  const sql = `SELECT ${COLUMNS} FROM endpoint WHERE disabled_at IS NULL ORDER BY created_at, endpoint_id`
  return connection.all<EndpointRow>(sql).map(fromRow)
}

export function findEndpoint(connection: Connection, teamId: TeamId, endpointId: string): EndpointRecord | null {
  const sql = `SELECT ${COLUMNS} FROM endpoint WHERE team_id=? AND endpoint_id=?`
  const row = connection.get<EndpointRow>(sql, teamId, endpointId)
  return row ? fromRow(row) : null
}

/** Stores the endpoint as a whole, in the place of what was there under its id. */
export function putEndpoint(connection: Connection, endpoint: EndpointRecord): void {
  connection.run(
    `INSERT OR REPLACE INTO endpoint (${COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    endpoint.teamId,
    endpoint.endpointId,
    endpoint.url,
    endpoint.urlSetBy,
    endpoint.description,
    JSON.stringify(endpoint.eventTypes),
    endpoint.headerPrefix,
    endpoint.concurrency,
    endpoint.rateLimit,
    endpoint.secret,
    endpoint.formerSecret,
    endpoint.formerUntil,
    endpoint.createdAt,
    endpoint.updatedAt,
    endpoint.disabledAt,
    endpoint.disabledReason,
    endpoint.failingSince,
  )
}

function fromRow(row: EndpointRow): EndpointRecord {
  return {
    endpointId: row.endpoint_id,
    teamId: row.team_id as TeamId,
    url: row.url,
    urlSetBy: row.url_set_by,
    description: row.description,
    eventTypes: patternsOf(row.event_types),
    headerPrefix: row.header_prefix,
    concurrency: row.concurrency,
    rateLimit: row.rate_limit,
    secret: row.secret,
    formerSecret: row.former_secret,
    formerUntil: row.former_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
  }
}

/** Returns the types that an endpoint asks for, from its row. */
export function patternsOf(text: string): string[] {
  const place = () => ({ what: 'the event types of a webhook endpoint', userId: null })
  const patterns = storedJson<string[]>(text, place)
  if (Array.isArray(patterns) && patterns.every(each => typeof each === 'string')) return patterns
  throw damaged(place())
}
