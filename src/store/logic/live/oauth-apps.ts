/** Stores OAuth apps as rows, one per team and provider. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { OAuthAppRecord } from '../../live/oauth-apps.ts'
import { PROVIDER_SETUP } from '../../tables/live.ts'
import { part, read, write } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { command, exists, lock, many, one, query, run, type Steps } from '../steps.ts'

/** Fields that are neither secrets nor search keys. */
type Document = Omit<OAuthAppRecord, 'teamId' | 'provider' | 'sealed' | 'notificationHash' | 'createdOn' | 'updatedAt'>

interface OAuthAppRow {
  readonly team_id: string
  readonly provider: string
  readonly document: string
  readonly sealed: Uint8Array
  readonly notification_hash: string
  readonly created_on: number
  readonly updated_at: number
}

const OAUTH_APPS = new PlainRows<OAuthAppRow>(PROVIDER_SETUP)
const FIND_OAUTH_APP = OAUTH_APPS.query('WHERE team_id=? AND provider=?')
const OAUTH_APPS_OF_TEAM = OAUTH_APPS.query('WHERE team_id=? ORDER BY provider')
const ALL_OAUTH_APPS = OAUTH_APPS.query('ORDER BY provider, team_id')
const IS_SET_UP = query('SELECT 1 FROM provider_setup WHERE team_id=? AND provider=?')
const LOCK_OAUTH_APP = query(
  dialect => `SELECT provider FROM provider_setup WHERE team_id=? AND provider=? ${dialect.lockingRows}`,
)
const LIVE_COUNT = query<{ readonly n: number }>(
  'SELECT count(*) AS n FROM live_connection WHERE team_id=? AND provider=?',
)
const REMOVALS = ['provider_budget', 'provider_subscription', 'provider_notification', 'provider_setup'].map(table =>
  command(`DELETE FROM ${table} WHERE team_id=? AND provider=?`),
)

/** Statements that end pauses, because the new OAuth app may have a different client ID or URL. */
const UNBLOCK = [
  command('UPDATE provider_budget SET blocked_until=NULL WHERE team_id=? AND provider=?'),
  command(
    `UPDATE person_budget SET blocked_until=NULL
    WHERE user_id IN (SELECT user_id FROM user WHERE team_id=?) AND provider=? AND blocked_until IS NOT NULL`,
  ),
]

export class OAuthAppStore extends part({
  put: write(putOAuthApp),
  find: read(findOAuthApp),
  list: read(listOAuthApps),
  remove: write(removeOAuthApp),
}) {}

/** Locks an OAuth app until the transaction ends, so that it cannot be removed in the meantime. */
export function* lockOAuthApp(teamId: string, provider: string): Steps<void> {
  yield* lock(LOCK_OAUTH_APP, [teamId, provider])
}

/** Locks the OAuth app. Throws ServiceError `conflict` if it no longer exists. */
export function* requireOAuthApp(teamId: string, provider: string): Steps<void> {
  yield* lockOAuthApp(teamId, provider)
  if (yield* exists(IS_SET_UP, [teamId, provider])) return
  throw new ServiceError('conflict', `${provider} is no longer set up for this team.`, {
    suggestions: [`Set it up again: svc provider setup ${provider} --client-id ID --client-secret-stdin`],
  })
}

/** Creates or replaces an OAuth app, and ends any pause that the provider requested. */
function* putOAuthApp(oauthApp: OAuthAppRecord): Steps<void> {
  yield* OAUTH_APPS.put(toRow(oauthApp))
  for (const ending of UNBLOCK) yield* run(ending, [oauthApp.teamId, oauthApp.provider])
}

function* findOAuthApp(teamId: TeamId, provider: string): Steps<OAuthAppRecord | null> {
  const row = yield* one(FIND_OAUTH_APP, [teamId, provider])
  return row ? fromRow(row) : null
}

/** Returns the OAuth apps of a team, or of every team (null), by provider. */
function* listOAuthApps(teamId: TeamId | null): Steps<OAuthAppRecord[]> {
  const rows = teamId === null ? yield* many(ALL_OAUTH_APPS) : yield* many(OAUTH_APPS_OF_TEAM, [teamId])
  return rows.map(fromRow)
}

/**
 * Removes an OAuth app with its budgets, subscriptions and waiting notifications. Returns 0 if the OAuth app was removed, or null if there
 * is none. If the team's live connections prevent the removal, changes nothing and returns their number.
 */
function* removeOAuthApp(teamId: TeamId, provider: string): Steps<number | null> {
  yield* lockOAuthApp(teamId, provider)
  if (!(yield* exists(IS_SET_UP, [teamId, provider]))) return null
  const connections = (yield* one(LIVE_COUNT, [teamId, provider]))?.n ?? 0
  if (connections > 0) return connections
  for (const removal of REMOVALS) yield* run(removal, [teamId, provider])
  return 0
}

function toRow({
  teamId,
  provider,
  sealed,
  notificationHash,
  createdOn,
  updatedAt,
  ...document
}: OAuthAppRecord): OAuthAppRow {
  return {
    team_id: teamId,
    provider,
    document: JSON.stringify(document satisfies Document),
    sealed,
    notification_hash: notificationHash,
    created_on: createdOn,
    updated_at: updatedAt,
  }
}

function fromRow(row: OAuthAppRow): OAuthAppRecord {
  return {
    ...storedJson<Document>(row.document, () => ({ what: 'an OAuth app', userId: null })),
    teamId: row.team_id as TeamId,
    provider: row.provider,
    sealed: row.sealed,
    notificationHash: row.notification_hash,
    createdOn: row.created_on,
    updatedAt: row.updated_at,
  }
}
