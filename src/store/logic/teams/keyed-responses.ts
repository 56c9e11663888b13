/**
 * Stores first responses by idempotency key as rows. Responses about a user are removed together with the user. All others belong to the
 * team.
 */
import type { EpochMs } from '../../../core/time.ts'
import {
  type KeptResponse,
  type KeyedCall,
  KeyTaken,
  type ResponseKey,
  type StoredResponse,
} from '../../keyed-response.ts'
import { agingRows, removeOldRows } from '../aging.ts'
import { type Database, withWrites } from '../database.ts'
import { onDatabase, part, read, writeAside } from '../part.ts'
import { type Counted, command, counting, exists, facts, one, query, run, type Steps, send } from '../steps.ts'
import { lockUser } from '../users/lock.ts'

/** Number of old responses that a call removes. */
const FORGOTTEN_AT_ONCE = 100

interface ResponseRow {
  readonly call_id: string
  readonly request_hash: string
  readonly status: number | null
  readonly answer: Uint8Array | null
}

export class ResponseStore extends part({
  find: read(findResponse),
  keep: writeAside(keepResponse),
  removeOld: onDatabase(removeOldResponses),
}) {}

/** Removes the responses that were created before a real time. Returns their number. */
async function removeOldResponses(db: Database, before: EpochMs, signal?: AbortSignal): Promise<number> {
  const ofUsers = await removeOldRows(db, OF_USERS.old, before, signal)
  return ofUsers + (await removeOldRows(db, OF_TEAMS.old, before, signal))
}

/**
 * Returns the database for one keyed call. A write that changes something also writes the row. `responseTo` returns the response for the
 * write's result, or null if it is not yet known.
 */
export function idempotentDatabase(
  db: Database,
  call: KeyedCall,
  responseTo: (outcome: unknown) => StoredResponse | null,
): { readonly db: Database; readonly hasChanged: () => boolean } {
  let hasChanged = false
  const write = async <T>(transaction: () => Steps<T>): Promise<T> => {
    const { result, changes } = await db.write(() => runKeyed(call, responseTo, transaction()))
    hasChanged ||= changes > 0
    return result
  }
  return { db: withWrites(db, { write }), hasChanged: () => hasChanged }
}

function* runKeyed<T>(
  call: KeyedCall,
  responseTo: (outcome: unknown) => StoredResponse | null,
  transaction: Steps<T>,
): Steps<Counted<T>> {
  if (call.userId !== null) yield* lockUser(call.userId)
  const known = yield* findResponse(call, call.forgetBefore)
  if (known !== null && known.callId !== call.callId) throw new KeyTaken()
  const counted = yield* counting(transaction)
  if (counted.changes === 0) return counted
  const response = responseTo(counted.result)
  if (known === null || response !== null) yield* putResponse(call, response)
  return counted
}

/** Returns the statements for a table of responses, depending on who owns its rows. */
function buildStatements(holder: 'user' | 'team') {
  const table = `${holder}_answer`
  const key = `${holder}_id, key_hash`
  return {
    find: query<ResponseRow>(
      `SELECT call_id, request_hash, status, answer FROM ${table} WHERE (${key})=(?,?) AND created_at>=?`,
    ),
    old: agingRows(table, 'created_at'),
    forget: command(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE created_at<? ORDER BY created_at LIMIT ?)`,
    ),
    hasHolder: query(`SELECT 1 FROM ${holder} WHERE ${holder}_id=?`),
    forgetOwn: command(`DELETE FROM ${table} WHERE (${key})=(?,?) AND created_at<?`),
    put: command(
      `INSERT INTO ${table} (${key}, call_id, request_hash, created_at, status, answer) VALUES (?,?,?,?,?,?,?)
       ON CONFLICT (${key}) DO UPDATE SET call_id=excluded.call_id, request_hash=excluded.request_hash,
         created_at=excluded.created_at, status=excluded.status, answer=excluded.answer
       WHERE ${table}.call_id=excluded.call_id`,
    ),
  }
}

const OF_USERS = buildStatements('user')
const OF_TEAMS = buildStatements('team')
const NAME_USER = command('UPDATE team_answer SET user_id=? WHERE team_id=? AND key_hash=? AND call_id=?')

function chooseStatements({ userId, teamId }: ResponseKey) {
  return userId === null ? { statements: OF_TEAMS, owner: teamId } : { statements: OF_USERS, owner: userId }
}

/** Returns the response stored under the key, or null if there is none or it is older than `notBefore`. */
function* findResponse(key: ResponseKey, notBefore: EpochMs): Steps<KeptResponse | null> {
  const { statements, owner } = chooseStatements(key)
  const row = yield* one(statements.find, [owner, key.keyHash, notBefore])
  if (!row) return null
  const { status, answer: response } = row
  return {
    callId: row.call_id,
    requestHash: row.request_hash,
    response: status === null || response === null ? null : { status, sealed: response },
  }
}

/** Stores a call's response, unless another call holds the key. */
function* keepResponse(call: KeyedCall, response: StoredResponse): Steps<void> {
  if (call.userId !== null) yield* lockUser(call.userId)
  yield* putResponse(call, response)
}

/** Stores a response, and removes some old ones. Stores nothing for a user who no longer exists. */
function* putResponse(call: KeyedCall, response: StoredResponse | null): Steps<void> {
  const { statements, owner } = chooseStatements(call)
  // where a call about one user must not depend on all machines, only due work removes the responses of other owners
  if (!(yield* facts()).isRemote) yield* run(statements.forget, [call.forgetBefore, FORGOTTEN_AT_ONCE])
  if (!(yield* exists(statements.hasHolder, [owner]))) return
  // a separate statement, because Citus does not support comparing times in ON CONFLICT
  yield* send(statements.forgetOwn, [owner, call.keyHash, call.forgetBefore])
  yield* run(statements.put, [
    owner,
    call.keyHash,
    call.callId,
    call.requestHash(),
    call.createdAt,
    response?.status ?? null,
    response?.sealed ?? null,
  ])
  const about = call.userId === null && response !== null ? call.about() : null
  if (about === null) return
  yield* lockUser(about)
  // a separate statement, because Citus may store the user's row and the team's row on different machines
  const isKnown = yield* exists(OF_USERS.hasHolder, [about])
  yield* run(NAME_USER, [isKnown ? about : null, call.teamId, call.keyHash, call.callId])
}
