/** First answers by idempotency key as rows. Those about a user are removed with the user; the others belong to the team. */
import type { EpochMs } from '../../../core/time.ts'
import {
  type Answer,
  type AnswerKey,
  type AnswerStore,
  type KeptAnswer,
  type KeyedCall,
  KeyTaken,
} from '../../answer.ts'
import type { Connection } from '../connection.ts'
import { Part } from '../part.ts'

/** Number of old answers that one call removes. */
const FORGOTTEN_AT_ONCE = 100

interface AnswerRow {
  readonly call_id: string
  readonly request_hash: string
  readonly status: number | null
  readonly answer: Uint8Array | null
}

export class SqliteAnswers extends Part implements AnswerStore {
  find(key: AnswerKey, notBefore: EpochMs) {
    return this.db.read(() => findAnswer(this.db, key, notBefore))
  }

  keep(call: KeyedCall, answer: Answer) {
    return this.db.writeAside(() => putAnswer(this.db, call, answer))
  }
}

/**
 * Returns the connection of one keyed call: a write that changes something also writes the row. `answerTo` returns the answer that follows
 * from the outcome of the write, or null if that is not known yet.
 */
export function answeringConnection(
  db: Connection,
  call: KeyedCall,
  answerTo: (outcome: unknown) => Answer | null,
): { readonly db: Connection; readonly hasChanged: () => boolean } {
  let hasChanged = false
  let changes = 0
  const view: Connection = Object.create(db)
  view.run = (sql, ...values) => {
    const changed = db.run(sql, ...values)
    changes += changed
    return changed
  }
  view.write = async <T>(body: () => T): Promise<T> => {
    let changed = false
    const result = await db.write(() => {
      const known = findAnswer(db, call, call.forgetBefore)
      if (known !== null && known.callId !== call.callId) throw new KeyTaken()
      changes = 0
      const outcome = body()
      changed = changes > 0
      const answer = changed ? answerTo(outcome) : null
      if (changed && (known === null || answer !== null)) putAnswer(db, call, answer)
      return outcome
    })
    hasChanged ||= changed
    return result
  }
  return { db: view, hasChanged: () => hasChanged }
}

const TABLES = {
  user: { table: 'user_answer', columns: 'user_id, key_hash', holders: 'user', holder: 'user_id' },
  team: { table: 'team_answer', columns: 'team_id, key_hash', holders: 'team', holder: 'team_id' },
} as const

function placeOf({ userId, teamId }: AnswerKey) {
  return userId === null ? { ...TABLES.team, owner: teamId } : { ...TABLES.user, owner: userId }
}

function findAnswer(db: Connection, key: AnswerKey, notBefore: EpochMs): KeptAnswer | null {
  const { table, columns, owner } = placeOf(key)
  const row = db.get<AnswerRow>(
    `SELECT call_id, request_hash, status, answer FROM ${table} WHERE (${columns})=(?,?) AND created_at>=?`,
    owner,
    key.keyHash,
    notBefore,
  )
  if (!row) return null
  const { status, answer } = row
  return {
    callId: row.call_id,
    requestHash: row.request_hash,
    answer: status === null || answer === null ? null : { status, sealed: answer },
  }
}

/** Stores an answer, and removes some old ones while it is at it. Nothing is stored for a user that no longer exists. */
function putAnswer(db: Connection, call: KeyedCall, answer: Answer | null): void {
  const { table, columns, holders, holder, owner } = placeOf(call)
  db.run(
    `DELETE FROM ${table} WHERE (${columns}) IN
       (SELECT ${columns} FROM ${table} WHERE created_at<? ORDER BY created_at LIMIT ?)`,
    call.forgetBefore,
    FORGOTTEN_AT_ONCE,
  )
  db.run(
    `INSERT INTO ${table} (${columns}, call_id, request_hash, created_at, status, answer)
     SELECT ?,?,?,?,?,?,? FROM ${holders} WHERE ${holder}=?
     ON CONFLICT (${columns}) DO UPDATE SET call_id=excluded.call_id, request_hash=excluded.request_hash,
       created_at=excluded.created_at, status=excluded.status, answer=excluded.answer
     WHERE ${table}.call_id=excluded.call_id OR ${table}.created_at<?`,
    owner,
    call.keyHash,
    call.callId,
    call.requestHash(),
    call.createdAt,
    answer?.status ?? null,
    answer?.sealed ?? null,
    owner,
    call.forgetBefore,
  )
  const about = call.userId === null && answer !== null ? call.about() : null
  if (about === null) return
  db.run(
    'UPDATE team_answer SET user_id=(SELECT user_id FROM user WHERE user_id=?) WHERE team_id=? AND key_hash=? AND call_id=?',
    about,
    call.teamId,
    call.keyHash,
    call.callId,
  )
}
