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

/** Returns the statements that distribute the tables of a new database. What is not named stays on the coordinator. */
export function distribution(): string[] {
  return [
    `SELECT create_distributed_table('"user"', 'user_id')`,
    ...BY_USER.map(table => `SELECT create_distributed_table('${table}', 'user_id', colocate_with => '"user"')`),
    `SELECT create_distributed_table('directory', 'team_id')`,
    ...BY_TEAM.map(table => `SELECT create_distributed_table('${table}', 'team_id', colocate_with => 'directory')`),
    ...EVERYWHERE.map(table => `SELECT create_reference_table('${table}')`),
  ]
}
