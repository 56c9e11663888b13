/** Rows that belong to something else and mean nothing without it. */

export interface Part {
  readonly table: string
  /** SQL condition that is true of a row whose owner is lost. */
  readonly condition: string
  /** SQL expression of a text that names the place. */
  readonly place: string
  readonly reason: string
}

const noSeries = (table: string): string =>
  `NOT EXISTS (SELECT 1 FROM series WHERE series.user_id=${table}.user_id AND series.series_id=${table}.series_id)`
const noQuery = (table: string): string =>
  `NOT EXISTS (SELECT 1 FROM continuous_query AS query WHERE query.query_id=${table}.query_id)`

/** In this order, because an event may be removed with its series, and a delivery with its event. */
export const PARTS: readonly Part[] = [
  {
    table: 'chunk',
    condition: noSeries('chunk'),
    place: "'samples of series '||series_id",
    reason: 'their series is lost',
  },
  {
    table: 'outbox',
    condition: `series_id IS NOT NULL AND ${noSeries('outbox')}`,
    place: "'events of series '||series_id",
    reason: 'their series is lost',
  },
  {
    table: 'import_before',
    condition:
      'NOT EXISTS (SELECT 1 FROM import WHERE import.user_id=import_before.user_id AND import.import_id=import_before.import_id)',
    place: "'what was there before import '||import_id",
    reason: 'the import is lost',
  },
  ...['continuous_state', 'continuous_task', 'continuous_row'].map(table => ({
    table,
    condition: noQuery(table),
    place: "'continuous query '||query_id",
    reason: 'the query is lost',
  })),
  {
    table: 'continuous_row',
    condition: `json_array_length(cells)<>(SELECT json_array_length(definition, '$.columns') FROM continuous_query AS query
      WHERE query.query_id=continuous_row.query_id)`,
    place: "'continuous query '||query_id",
    reason: 'the number of their cells is not that of the query',
  },
  {
    table: 'delivery',
    condition:
      'NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.user_id=delivery.user_id AND outbox.sequence=delivery.sequence)',
    place: "'deliveries to endpoint '||endpoint_id",
    reason: 'their events are lost',
  },
  {
    table: 'delivery',
    condition: `NOT EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id AND endpoint.endpoint_id=delivery.endpoint_id)`,
    place: "'deliveries to endpoint '||endpoint_id",
    reason: 'the endpoint is lost',
  },
  {
    table: 'live_connection',
    condition: `NOT EXISTS (SELECT 1 FROM connection
      WHERE connection.user_id=live_connection.user_id AND connection.provider=live_connection.provider)`,
    place: "'the live connection to '||provider",
    reason: 'the connection is lost',
  },
]
