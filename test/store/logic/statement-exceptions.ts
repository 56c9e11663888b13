/**
 * The statements about rows of users that do not name a user. A store that is spread over several machines sends each of them to all machines,
 * so each has its reason: a list, a search, a scan for due work, statistics, or a look-up by team.
 */

export interface Exception {
  /** Relative to src/store/logic. */
  readonly file: string
  /** Part of the text of one or more statements. */
  readonly has: string
  readonly reason: string
}

const DUE = 'Due scan: due work of all users, earliest first.'
const CLOCK = 'Due scan: the clock was set back, and what was put off to a later time is due now.'
const CLAIMS = 'Due scan: finds waiting deliveries of an endpoint, of whichever user.'
const LEASES = 'Due scan: ends the leases of a deliverer that has stopped, of all users.'
const OF_ENDPOINT =
  'List: the endpoint is disabled or deleted, and its deliveries to any user change with it, a slice at a time.'
const QUEUES = 'Statistics: how many deliveries wait, are under way, or are dead.'
const EVENT_ORDER = 'List: events of a team, in the order of their arrival.'
const RARE = 'List: events of a team with deliveries in a rare state.'
const JOB_LIST = 'List: the jobs of a team, a page at a time.'
const USER_LIST = 'List: the users of a team.'
const COMPLETION = 'Search: names or ids of users of a team that begin with a text.'
const PREFIX = 'Search: the id comes alone, and its first bytes are those of its user.'
const BY_NAME = 'Look-up by team: a client_user_id leads to its user.'
const ACCOUNT = 'Look-up by team: an account of a provider leads to the users of the team that have connected it.'
const OWNER = 'Look-up by team: the id comes alone, and its first bytes are those of its user.'
const RESPONSES = 'Look-up by team: the first answer to a call that names no user.'
const OLD_RESPONSES =
  'Due scan: removes answers that are too old, of whichever user; never in a call over several machines.'
const ORDERS = 'List: the lab orders of a team, or those with the given ids.'
const BYTES = 'Statistics: how much the users of a team store.'
const TEAM_FIGURES = 'Statistics: connections, imports and orders of a team.'

const OLD_ROWS = 'Due scan: removes what is kept for a limited time, of whichever user.'
const PULLS = 'Due scan: live connections of all users that are to be pulled, the earliest of each team first.'
const FAR_PULLS =
  'Due scan: live connections of all users that were put off too far, by a clock or a provider that was wrong.'
const UNBLOCK = 'List: a new set-up of a provider ends the pauses of the people of its team.'
const LIVE_LIST = 'List: the live connections of a team, a page at a time.'

const CHECK = 'Check: reads everything, a page at a time.'

export const EXCEPTIONS: readonly Exception[] = [
  { file: 'emptying.ts', has: 'DELETE FROM', reason: 'The whole store is emptied, in one transaction.' },

  { file: 'check/pages.ts', has: ' > (?', reason: CHECK },
  { file: 'check/keyed-rows.ts', has: ' > (?', reason: CHECK },
  { file: 'check/users.ts', has: 'SELECT DISTINCT user_id FROM', reason: CHECK },
  { file: 'check/users.ts', has: 'SELECT count(*) AS users FROM user WHERE team_id=?', reason: CHECK },
  {
    file: 'check/names.ts',
    has: 'WHERE team_id=? AND user_id>=? AND user_id<=?',
    reason: 'Look-up by team: the names and accounts of a page of users.',
  },
  { file: 'users/accounts.ts', has: 'SELECT user_id FROM account WHERE team_id=?', reason: ACCOUNT },
  { file: 'users/owners.ts', has: 'SELECT user_id FROM directory WHERE team_id=?', reason: OWNER },
  { file: 'imports/import-files.ts', has: 'WHERE part=0 AND (at, user_id, import_id)>', reason: OLD_ROWS },
  { file: 'aging.ts', has: '<?', reason: OLD_ROWS },
  { file: 'jobs.ts', has: 'FROM job WHERE due_at<=?', reason: DUE },
  { file: 'jobs.ts', has: 'FROM job JOIN user USING (user_id) WHERE team_id=?', reason: JOB_LIST },
  { file: 'continuous/state.ts', has: 'SELECT user_id, kind FROM job WHERE due_at>?', reason: CLOCK },

  {
    file: 'continuous/queries.ts',
    has: 'FROM continuous_state JOIN job USING (user_id) WHERE query_id=?',
    reason: DUE,
  },
  {
    file: 'continuous/queries.ts',
    has: 'SELECT user_id FROM user «index user_by_id» WHERE team_id=?',
    reason: 'List: a new query runs for all users of the team.',
  },
  {
    file: 'continuous/queries.ts',
    has: 'SELECT user_id FROM continuous_state WHERE query_id=?',
    reason: 'List: the query is deleted, and all users with results of it get a job that removes them.',
  },

  { file: 'deliveries/backlog.ts', has: 'SELECT count(*) AS n FROM delivery', reason: QUEUES },
  { file: 'deliveries/backlog.ts', has: 'FROM delivery «index delivery_first» WHERE endpoint_id=?', reason: CLAIMS },
  { file: 'deliveries/backlog.ts', has: 'FROM delivery «index delivery_again» WHERE endpoint_id=?', reason: CLAIMS },
  { file: 'deliveries/backlog.ts', has: "UPDATE delivery SET due_at=? WHERE state='waiting'", reason: CLOCK },
  { file: 'deliveries/claims.ts', has: 'FROM delivery «index delivery_again» WHERE endpoint_id=?', reason: CLAIMS },
  { file: 'deliveries/claims.ts', has: 'leased_by IS NULL AND user_id>?', reason: CLAIMS },
  { file: 'deliveries/leases.ts', has: 'UPDATE delivery SET leased_by=NULL WHERE leased_by=?', reason: LEASES },
  {
    file: 'deliveries/leases.ts',
    has: 'SELECT user_id, sequence, endpoint_id FROM delivery WHERE leased_by=?',
    reason: LEASES,
  },
  { file: 'deliveries/slices.ts', has: 'SELECT DISTINCT substr(user_id, 1, 2) AS slice FROM delivery', reason: LEASES },
  { file: 'deliveries/leases.ts', has: 'SELECT count(*) AS n FROM delivery WHERE leased_by=?', reason: QUEUES },
  { file: 'webhooks/disabling.ts', has: "UPDATE delivery SET state='dead'", reason: OF_ENDPOINT },
  { file: 'webhooks/kept-deliveries.ts', has: 'FROM delivery WHERE (user_id, sequence)>(?,?)', reason: OF_ENDPOINT },
  {
    file: 'webhooks/kept-deliveries.ts',
    has: 'FROM failed_attempt WHERE (user_id, sequence)>(?,?)',
    reason: OF_ENDPOINT,
  },
  {
    file: 'webhooks/kept-deliveries.ts',
    has: 'FROM delivery_exchange WHERE (user_id, sequence)>(?,?)',
    reason: OF_ENDPOINT,
  },
  { file: 'webhooks/kept-deliveries.ts', has: 'SELECT count(*) AS n FROM delivery', reason: QUEUES },

  { file: 'events/positions.ts', has: 'SELECT arrival, sequence FROM outbox WHERE team_id=?', reason: EVENT_ORDER },
  { file: 'events/positions.ts', has: 'FROM outbox WHERE team_id=? AND arrival>0', reason: EVENT_ORDER },
  { file: 'events/list.ts', has: 'SELECT DISTINCT user_id, sequence FROM delivery WHERE team_id=?', reason: RARE },
  {
    file: 'events/positions.ts',
    has: 'SELECT max(arrival) AS last FROM outbox WHERE team_id=?',
    reason: 'Look-up by team: the last event, after which the next one gets its place in the order of the team.',
  },
  {
    file: 'events/retention.ts',
    has: "UPDATE job SET due_at=0 WHERE kind='retention' AND user_id IN (SELECT user_id FROM user WHERE team_id=?)",
    reason: 'Due scan: the team keeps events for fewer days now, and the job of each of its users is due.',
  },

  { file: 'imports/imports.ts', has: 'FROM user «index user_by_id» WHERE team_id=?', reason: TEAM_FIGURES },
  { file: 'live/figures.ts', has: 'FROM live_connection JOIN connection', reason: TEAM_FIGURES },
  { file: 'live/token-sets.ts', has: 'FROM provider_grant WHERE due_at<=?', reason: 'Due scan: grants to revoke.' },
  {
    file: 'live/moved.ts',
    has: 'FROM provider_grant WHERE state',
    reason: 'List: the grants of a store that was copied.',
  },
  {
    file: 'live/moved.ts',
    has: 'AS revisions FROM provider_grant',
    reason: 'Statistics: whether any grant has changed.',
  },
  { file: 'live/pulls.ts', has: 'FROM live_connection WHERE due_at<=?', reason: PULLS },
  { file: 'live/pulls.ts', has: 'FROM live_connection WHERE due_at>=?', reason: FAR_PULLS },
  { file: 'live/pulls.ts', has: 'FROM live_connection WHERE team_id=?', reason: LIVE_LIST },
  { file: 'live/oauth-apps.ts', has: 'UPDATE person_budget', reason: UNBLOCK },
  { file: 'live/raw.ts', has: 'DELETE FROM raw_answer WHERE at<?', reason: OLD_RESPONSES },
  { file: 'live/oauth-apps.ts', has: 'FROM live_connection WHERE team_id=?', reason: TEAM_FIGURES },
  { file: 'orders/list.ts', has: 'FROM lab_order AS o WHERE o.team_id=?', reason: ORDERS },
  { file: 'orders/list.ts', has: 'FROM lab_order AS o WHERE «aside» o.team_id=?', reason: ORDERS },
  {
    file: 'orders/list.ts',
    has: 'FROM lab_order «index lab_order_by_time» WHERE team_id=?',
    reason: 'List: the lab orders of a team are verified before they are listed.',
  },
  { file: 'orders/orders.ts', has: 'SELECT user_id FROM user WHERE user_id>=? AND user_id<?', reason: PREFIX },

  { file: 'users/life.ts', has: 'DELETE FROM directory WHERE team_id=? AND client_user_id=?', reason: BY_NAME },
  { file: 'users/life.ts', has: 'FROM connection WHERE user_id IN (SELECT user_id FROM user', reason: TEAM_FIGURES },
  { file: 'users/life.ts', has: 'FROM user «index user_by_id» CROSS JOIN lab_order', reason: TEAM_FIGURES },
  { file: 'users/team-counts.ts', has: 'SELECT provider, status, count(*) AS n', reason: TEAM_FIGURES },
  { file: 'users/names.ts', has: 'FROM user «index user_by_name» WHERE team_id=?', reason: COMPLETION },
  { file: 'users/names.ts', has: 'FROM user «index user_by_id» WHERE team_id=?', reason: COMPLETION },
  {
    file: 'users/pulls.ts',
    has: 'FROM user «index user_by_id» WHERE user_id>? AND team_id=?',
    reason: 'List: users of a team with their connections and pulls, a page at a time.',
  },
  { file: 'users/users.ts', has: 'FROM directory WHERE team_id=? AND client_user_id=?', reason: BY_NAME },
  {
    file: 'users/users.ts',
    has: 'FROM user «index user_by_name» WHERE team_id=? AND client_user_id=?',
    reason: BY_NAME,
  },
  {
    file: 'users/users.ts',
    has: 'FROM user WHERE team_id=? AND client_user_id=? AND deleted_at IS NOT NULL',
    reason: BY_NAME,
  },
  { file: 'users/users.ts', has: 'FROM user WHERE team_id=? AND deleted_at IS NULL ORDER BY', reason: USER_LIST },
  {
    file: 'users/users.ts',
    has: 'AND «position of lower(?) in lower(client_user_id)»>0',
    reason: 'Search: users of a team whose name contains a text.',
  },

  { file: 'teams/keyed-responses.ts', has: 'DELETE FROM user_answer', reason: OLD_RESPONSES },
  { file: 'teams/keyed-responses.ts', has: 'DELETE FROM team_answer', reason: OLD_RESPONSES },
  { file: 'teams/keyed-responses.ts', has: 'FROM team_answer WHERE (team_id, key_hash)=(?,?)', reason: RESPONSES },
  { file: 'teams/keyed-responses.ts', has: 'INSERT INTO team_answer', reason: RESPONSES },
  { file: 'teams/keyed-responses.ts', has: 'UPDATE team_answer SET user_id=', reason: RESPONSES },
  { file: 'teams/stored-bytes.ts', has: 'UPDATE user SET stored_bytes', reason: BYTES },
  { file: 'teams/stored-bytes.ts', has: 'FROM user WHERE team_id=?', reason: BYTES },
  {
    file: 'statistics.ts',
    has: 'FROM chunk WHERE (user_id, series_id, chunk_start) > (?,?,?)',
    reason: 'Statistics: the figures beside each blob, a page at a time.',
  },
  { file: 'statistics.ts', has: '(SELECT count(*) FROM outbox)', reason: 'Statistics: counts over the whole store.' },
]

/** The files that build statements from fixed pieces when they are needed, with the reason. */
export const BUILT_AT_RUN_TIME: Readonly<Record<string, string>> = {
  'logic/orders/list.ts': 'A list of orders may have any of 15 conditions.',
  'logic/teams/audit.ts': 'A query of the audit trail may have any of 4 conditions.',
}
