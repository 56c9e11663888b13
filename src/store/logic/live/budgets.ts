/** Stores request budgets as rows: one for a team's app, and one for each person. All processes use the same budgets. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { type BudgetRequest, type BudgetShare, type BudgetState, LONGEST_PAUSE_MS } from '../../live/budgets.ts'
import { part, read, writeAside } from '../part.ts'
import { storedJson } from '../rows/damage.ts'
import { type Command, command, exists, one, type Query, query, run, type Steps } from '../steps.ts'
import { lockUser } from '../users/lock.ts'
import { countUsed, type Taken, takeFrom } from './budget-windows.ts'

interface BudgetRow {
  readonly taken: string
  readonly blocked_until: number | null
}

/** Statements for one kind of budget. Their values are a team or user ID, and the provider. */
interface BudgetTable {
  readonly find: Query<BudgetRow>
  /**
   * Locks and reads in one statement. Otherwise, another process could add a row after a lock that finds none and before the read, and that
   * row would be changed without a lock.
   */
  readonly findLocked: Query<BudgetRow>
  readonly insert: Command
  readonly update: Command
}

function budgetTable(table: string, owner: string): BudgetTable {
  const isIt = `WHERE ${owner}=? AND provider=?`
  const find = `SELECT taken, blocked_until FROM ${table} ${isIt}`
  return {
    find: query(find),
    findLocked: query(dialect => `${find} ${dialect.lockingRows}`),
    // no ON CONFLICT: if another process has added the row in the meantime, the transaction runs again and counts that process's requests
    insert: command(`INSERT INTO ${table} (taken, blocked_until, ${owner}, provider) VALUES (?,?,?,?)`),
    update: command(`UPDATE ${table} SET taken=?, blocked_until=? ${isIt}`),
  }
}

const OF_APP = budgetTable('provider_budget', 'team_id')
const OF_PERSON = budgetTable('person_budget', 'user_id')
const USER_EXISTS = query('SELECT 1 FROM user WHERE user_id=?')

/** Ensures that the requests of all processes never exceed a limit in any of its windows. A null `userId` means the app's budget. */
export class BudgetStore extends part({
  take: writeAside(take),
  block: writeAside(block),
  state: read(readState),
}) {}

type Key = readonly [owner: string, provider: string]

function* take(teamId: TeamId, provider: string, userId: UserId | null, request: BudgetRequest): Steps<BudgetShare> {
  const { table, key, row } = yield* locked(teamId, provider, userId)
  const until = blockIn(row, request.now)
  if (until !== null) return { allowed: 0, validUntil: request.now, waitMs: until - request.now }
  const { share, taken } = takeFrom(takenIn(row), request)
  if (share.allowed > 0) yield* put(table, key, { row, taken, until })
  return share
}

/**
 * Blocks requests until this time, because the provider requested a pause. The pause lasts at most `LONGEST_PAUSE_MS`, and a new OAuth app
 * ends it (`putOAuthApp`).
 */
function* block(teamId: TeamId, provider: string, userId: UserId | null, until: EpochMs): Steps<void> {
  const { table, key, row } = yield* locked(teamId, provider, userId)
  yield* put(table, key, { row, taken: takenIn(row), until: Math.max(until, blockIn(row, until) ?? until) })
}

/** Returns when the current block ends. Returns null if there is no block, or if it is longer than a provider can request. */
function blockIn(row: BudgetRow | undefined, now: EpochMs): EpochMs | null {
  const until = row?.blocked_until ?? null
  return until !== null && until > now && until - now <= LONGEST_PAUSE_MS ? until : null
}

interface Budget {
  readonly table: BudgetTable
  readonly key: Key
  readonly row: BudgetRow | undefined
}

function* locked(teamId: TeamId, provider: string, userId: UserId | null): Steps<Budget> {
  if (userId !== null) yield* lockUser(userId)
  const table = userId === null ? OF_APP : OF_PERSON
  const key = [userId ?? teamId, provider] as const
  return { table, key, row: yield* one(table.findLocked, key) }
}

interface Change {
  readonly row: BudgetRow | undefined
  readonly taken: Taken
  readonly until: EpochMs | null
}

function* put(table: BudgetTable, key: Key, { row, taken, until }: Change): Steps<void> {
  const values = [JSON.stringify(taken), until, ...key]
  if (row) yield* run(table.update, values)
  // nothing may be written about a removed user
  else if (table === OF_APP || (yield* exists(USER_EXISTS, [key[0]]))) yield* run(table.insert, values)
}

function takenIn(row: BudgetRow | undefined): Taken {
  return row ? storedJson<Taken>(row.taken, () => ({ what: "a provider's budget", userId: null })) : {}
}

function* readState(
  teamId: TeamId,
  provider: string,
  { limits, now }: Pick<BudgetRequest, 'limits' | 'now'>,
): Steps<BudgetState> {
  const row = yield* one(OF_APP.find, [teamId, provider])
  return { used: countUsed(takenIn(row), limits, now), blockedUntil: blockIn(row, now) }
}
