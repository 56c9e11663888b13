/** How the tables are spread over the machines of a Citus cluster. On plain PostgreSQL nothing of this is used. */

/** By user, so that everything about one user is on one machine. */
const BY_USER = [
  'connection',
  'link_token',
  'person',
  'user_info',
  'insurance',
  'device',
  'pull',
  'user_rate',
  'lab_order',
  'job',
  'user_answer',
  'series',
  'chunk',
  'summary',
  'stream',
  'import',
  'import_before',
  'continuous_state',
  'continuous_row',
  'continuous_task',
  'outbox',
  'event_waiting',
  'delivery',
  'failed_attempt',
]
/** By team: what finds users of a team, and the order of its events. */
const BY_TEAM = ['account', 'tombstone', 'team_answer', 'team_event', 'team_order', 'audit']
/** Small tables that statements about users join: every machine has them whole. */
const EVERYWHERE = [
  'setting',
  'team',
  'api_key',
  'endpoint',
  'source_priority',
  'continuous_query',
  'team_lab_test',
  'delivery_slice',
]

/** What is spread by user and by team in each version after the first. */
const OF_LATER_VERSIONS: readonly { readonly byUser: readonly string[]; readonly byTeam: readonly string[] }[] = [
  {
    byUser: ['live_connection', 'live_record', 'person_budget', 'provider_grant', 'raw_answer'],
    byTeam: ['provider_setup', 'provider_budget', 'provider_notification', 'provider_subscription'],
  },
  { byUser: ['delivery_exchange'], byTeam: [] },
]

const byUser = (table: string): string =>
  `SELECT create_distributed_table('${table}', 'user_id', colocate_with => '"user"')`
const byTeam = (table: string): string =>
  `SELECT create_distributed_table('${table}', 'team_id', colocate_with => 'directory')`

/**
 * Returns the statements that distribute the tables that the step from this version to the next one creates. What is not named stays on the
 * coordinator.
 */
export function distribution(version: number): string[] {
  if (version > 0) {
    const later = OF_LATER_VERSIONS[version - 1]
    return [...(later?.byUser ?? []).map(byUser), ...(later?.byTeam ?? []).map(byTeam)]
  }
  return [
    `SELECT create_distributed_table('"user"', 'user_id')`,
    ...BY_USER.map(byUser),
    `SELECT create_distributed_table('directory', 'team_id')`,
    ...BY_TEAM.map(byTeam),
    ...EVERYWHERE.map(table => `SELECT create_reference_table('${table}')`),
  ]
}
