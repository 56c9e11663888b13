/** Stores corrections of merges as rows: pairs of sessions that a person declared the same or different. */
import type { UserId } from '../../../core/ids.ts'
import { SessionGroups } from '../../session-groups.ts'
import { type MatchOutcome, MOST_SESSION_MATCHES, type SessionKind, type SessionMatch } from '../../session-match.ts'
import { part, read, writeAbout } from '../part.ts'
import { SESSION_MATCHES, type SessionMatchRow } from '../rows/tables.ts'
import { command, many, run, type Steps } from '../steps.ts'
import { requireActive } from '../users/users.ts'

const MATCHES_OF_USER = SESSION_MATCHES.query('WHERE user_id=? ORDER BY declared_at DESC, kind, first_id, second_id')
const REMOVE_MATCH = command('DELETE FROM session_match WHERE user_id=? AND first_id=? AND second_id=?')

export class SessionMatchStore extends part({
  list: read(listMatches),
  declare: writeAbout(declareMatch),
  remove: writeAbout(removeMatch),
}) {}

/** Returns the user's corrections, newest first. */
function* listMatches(userId: UserId): Steps<SessionMatch[]> {
  return (yield* many(MATCHES_OF_USER, [userId])).map(fromRow)
}

function fromRow(row: SessionMatchRow): SessionMatch {
  const { kind, firstId, secondId, isSame, declaredAt } = SESSION_MATCHES.record(row)
  return { kind: kind as SessionKind, firstId, secondId, isSame: isSame === 1, declaredAt }
}

/**
 * Adds a correction of an active user, or replaces the one of the same pair. One that is already there is returned as it is. Throws
 * ServiceError `user_not_found` if the user was deleted in the meantime.
 */
function* declareMatch(userId: UserId, match: SessionMatch): Steps<MatchOutcome> {
  yield* requireActive(userId)
  const all = yield* listMatches(userId)
  const present = all.find(each => isPair(each, match))
  if (present?.isSame === match.isSame) return { kind: 'declared', match: present }
  const others = all.filter(each => each !== present)
  if (others.length >= MOST_SESSION_MATCHES) return { kind: 'full' }
  if (isContradicted(match, others)) return { kind: 'contradicts' }
  const { kind, firstId: first_id, secondId: second_id, isSame, declaredAt: declared_at } = match
  yield* SESSION_MATCHES.put({ user_id: userId, kind, first_id, second_id, is_same: isSame ? 1 : 0, declared_at })
  return { kind: 'declared', match }
}

/** Removes the correction of two sessions. Returns whether there was one. */
function* removeMatch(
  userId: UserId,
  { firstId, secondId }: Pick<SessionMatch, 'firstId' | 'secondId'>,
): Steps<boolean> {
  return (yield* run(REMOVE_MATCH, [userId, firstId, secondId])) > 0
}

function isPair(a: SessionMatch, b: SessionMatch): boolean {
  return a.kind === b.kind && a.firstId === b.firstId && a.secondId === b.secondId
}

/** Returns whether other corrections together imply the opposite: if A is the same as B, and B as C, then A is not different from C. */
function isContradicted({ firstId, secondId, isSame }: SessionMatch, others: readonly SessionMatch[]): boolean {
  const groups = new SessionGroups()
  for (const each of others) if (each.isSame) groups.join(each.firstId, each.secondId)
  for (const each of others) if (!each.isSame) groups.keepApart(each.firstId, each.secondId)
  return isSame ? groups.areApart(firstId, secondId) : groups.group(firstId) === groups.group(secondId)
}
