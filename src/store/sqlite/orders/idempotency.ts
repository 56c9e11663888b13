/** First answers by idempotency key: what a repeated call is answered with. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { RememberedAnswer } from '../../order.ts'
import { storedJson } from '../checksums/damage.ts'
import type { Connection } from '../connection.ts'

/** Of an answer that is about nobody. */
const NOBODY = ''
/** Old answers that one call takes away. */
const FORGOTTEN_AT_ONCE = 100

interface AnswerRow {
  readonly user_id: string
  readonly request_hash: string
  readonly created_at: number
  readonly status: number
  readonly body: string
}

/** What a call about a user who is deleted brought is not said again: it would tell of the user. */
export function findAnswer(
  connection: Connection,
  teamId: TeamId,
  keyHash: string,
  notBefore: EpochMs,
): RememberedAnswer | null {
  const row = connection.get<AnswerRow>(
    `SELECT user_id, request_hash, created_at, status, body FROM idempotency AS i
     WHERE team_id=? AND key_hash=? AND created_at>=? AND (status<>200 OR EXISTS (
       SELECT 1 FROM user WHERE user.user_id=i.user_id AND deleted_at IS NULL))`,
    teamId,
    keyHash,
    notBefore,
  )
  if (!row) return null
  return {
    teamId,
    keyHash,
    requestHash: row.request_hash,
    userId: row.user_id === NOBODY ? null : (row.user_id as UserId),
    createdAt: row.created_at,
    status: row.status,
    body: storedJson<Record<string, unknown>>(row.body, () => ({ what: 'a first answer that is kept', userId: null })),
  }
}

/**
 * Takes some old answers away on the way; one under the same key that is not old stays. An answer about a user who is not there,
 * or not there any more, is nobody's.
 */
export function putAnswer(connection: Connection, answer: RememberedAnswer, forgetBefore: EpochMs): void {
  connection.run(
    `DELETE FROM idempotency WHERE (team_id, key_hash) IN
       (SELECT team_id, key_hash FROM idempotency WHERE created_at<? ORDER BY created_at LIMIT ?)`,
    forgetBefore,
    FORGOTTEN_AT_ONCE,
  )
  connection.run(
    `INSERT INTO idempotency (team_id, key_hash, user_id, request_hash, created_at, status, body)
     VALUES (?,?,coalesce((SELECT user_id FROM user WHERE user_id=?),''),?,?,?,?)
     ON CONFLICT (team_id, key_hash) DO UPDATE SET user_id=excluded.user_id, request_hash=excluded.request_hash,
       created_at=excluded.created_at, status=excluded.status, body=excluded.body WHERE created_at<?`,
    answer.teamId,
    answer.keyHash,
    answer.userId ?? NOBODY,
    answer.requestHash,
    answer.createdAt,
    answer.status,
    JSON.stringify(answer.body),
    forgetBefore,
  )
}
