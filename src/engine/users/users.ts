/** Creates, finds, lists and deletes users, and undoes deletions. See docs/interface/users.md. */
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { invalid, ServiceError } from '../../core/errors.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant } from '../../core/time.ts'
import { usualSpelling } from '../../core/zones.ts'
import type { ConnectionRecord } from '../../store/data-write.ts'
import type { Fallback, UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

/** How long a deletion can be undone, in milliseconds. See docs/interface/limits.md#limits-1. */
export const GRACE_PERIOD_MS = 7 * DAY_MS

type UserView = ReplyBody<Operations['user.get']>

/** Returns a provider's name, slug and logo. For a provider that was removed from the catalogue, the name is the slug. */
export function providerSummary(
  providers: ProviderRegistry,
  slug: string,
): { name: string; slug: string; logo: string } {
  const provider = providers.find(slug)
  return { name: provider?.name ?? slug, slug, logo: provider?.logo ?? '' }
}

/** Returns a user in the API's format. */
export function userView(
  { providers }: EngineContext,
  user: UserRecord,
  connections: readonly ConnectionRecord[],
): UserView {
  const { fallbackTimeZone, fallbackBirthDate } = user
  return {
    user_id: user.userId,
    team_id: user.teamId,
    client_user_id: user.clientUserId,
    created_on: formatInstant(user.createdOn),
    connected_sources: connections.map(each => ({
      provider: providerSummary(providers, each.provider),
      created_on: formatInstant(each.createdOn),
      source: providerSummary(providers, each.provider),
    })),
    fallback_time_zone: fallbackTimeZone && {
      id: fallbackTimeZone.value,
      source_slug: fallbackTimeZone.sourceSlug,
      updated_at: formatInstant(fallbackTimeZone.updatedAt),
    },
    fallback_birth_date: fallbackBirthDate && {
      value: fallbackBirthDate.value,
      source_slug: fallbackBirthDate.sourceSlug,
      updated_at: formatInstant(fallbackBirthDate.updatedAt),
    },
    ingestion_start: user.ingestionStart,
    ingestion_end: user.ingestionEnd,
  }
}

/** Returns a team's active user. Throws the same 404 `User not found` for another team's user, a deleted user and an unknown user. */
export async function activeUser(engine: EngineContext, teamId: TeamId, userId: UserId): Promise<UserRecord> {
  const user = await engine.store.users.find(teamId, userId)
  if (!user || user.deletedAt !== null) throw new ServiceError('user_not_found', 'User not found')
  return user
}

/** Returns a value that was set through the interface, and the time when it was set. */
export const fallback = (value: string | null | undefined, at: EpochMs): Fallback | null =>
  value ? { value, sourceSlug: 'manual', updatedAt: at } : null

/** Throws 422 for a date of birth in the future. Tomorrow is allowed, because the user's time zone may be a day ahead. */
export function requirePast(date: string | null | undefined, loc: readonly string[], now: EpochMs): void {
  if (!date || date <= formatDate(now + DAY_MS)) return
  throw invalid([{ loc, msg: 'must not be in the future', type: 'value_error' }])
}

export const createUser: Handler<'user.create'> = async (engine, { body }, call) => {
  requirePast(body.fallback_birth_date, ['body', 'fallback_birth_date'], call.now)
  const user: UserRecord = {
    userId: randomUuid(engine.random) as UserId,
    teamId: call.team.teamId,
    clientUserId: body.client_user_id,
    createdOn: call.now,
    fallbackTimeZone: fallback(body.fallback_time_zone && usualSpelling(body.fallback_time_zone), call.now),
    fallbackBirthDate: fallback(body.fallback_birth_date, call.now),
    ingestionStart: body.ingestion_start ?? null,
    ingestionEnd: body.ingestion_end ?? null,
    deletedAt: null,
  }
  call.about('user_id', user.userId)
  return call.settle(
    () => engine.store.users.create(user),
    outcome => {
      if (outcome.kind === 'created') return ok(userView(engine, user, []))
      throw outcome.kind === 'full' ? teamIsFull(outcome.limit) : nameTaken(outcome.by)
    },
  )
}

function nameTaken(by: Pick<UserRecord, 'userId' | 'createdOn'>): ServiceError {
  const existing = { user_id: by.userId, created_on: formatInstant(by.createdOn) }
  const message = 'Client user id already exists.'
  return new ServiceError('client_user_id_taken', message, {
    body: { detail: { error_type: 'INVALID_REQUEST', error_message: message, ...existing }, ...existing },
    suggestions: [`The user with this ID is ${existing.user_id}, created on ${existing.created_on}.`],
  })
}

export const getUser: Handler<'user.get'> = async (engine, { params }, call) => {
  const user = await engine.store.users.find(call.team.teamId, params.user_id)
  if (!user || (user.deletedAt !== null && graceIsOver(user.deletedAt, call.now))) {
    throw new ServiceError('user_not_found', 'Not found')
  }
  if (user.deletedAt !== null) throw new ServiceError('user_deleted', 'You have scheduled this user for deletion.')
  return ok(await loadUserView(engine, user))
}

export const resolveUser: Handler<'user.resolve'> = async (engine, { params }, call) => {
  const user = await engine.store.users.byClientId(call.team.teamId, params.client_user_id)
  if (!user) throw new ServiceError('user_not_found', 'User not found')
  return ok(await loadUserView(engine, user))
}

export const listUsers: Handler<'user.list'> = async (engine, { query }, call) => {
  const { users, total } = await engine.store.users.list(call.team.teamId, query.offset, query.limit)
  const connections = await engine.store.connections.ofUsers(users.map(user => user.userId))
  return ok({
    users: users.map(user => userView(engine, user, connections.get(user.userId) ?? [])),
    total,
    offset: query.offset,
    limit: query.limit,
  })
}

export const deleteUser: Handler<'user.delete'> = async (engine, { params }, call) => {
  const user = await engine.store.users.find(call.team.teamId, params.user_id)
  if (!user) throw new ServiceError('user_not_found', 'The user does not or no longer exists in this team')
  const purgeAt = call.now + GRACE_PERIOD_MS
  const deleted = await engine.store.users.delete(call.team.teamId, params.user_id, call.now, purgeAt)
  if (deleted) return ok({ success: true })
  if (user.deletedAt !== null && graceIsOver(user.deletedAt, call.now)) {
    throw new ServiceError('user_not_found', 'The user does not or no longer exists in this team')
  }
  throw new ServiceError('user_deleted', 'The user has been scheduled for deletion as per your previous request')
}

export const undoDeleteUser: Handler<'user.undo_delete'> = async (engine, { body }, call) => {
  const { teamId } = call.team
  const userId = body.user_id ?? (await engine.store.users.latestDeletion(teamId, body.client_user_id as string))
  const outcome = userId
    ? await engine.store.users.undoDelete(teamId, userId, call.now - GRACE_PERIOD_MS, call.now)
    : 'unknown'
  if (typeof outcome === 'object') throw teamIsFull(outcome.limit)
  switch (outcome) {
    case 'unknown':
      throw new ServiceError('user_not_found', 'User not found')
    case 'restored':
      return ok({ success: true })
    case 'taken':
      throw refused('A new user has been created with the same client_user_id, so the deletion cannot be undone.')
    case 'expired':
      throw refused('The 7-day grace period of the deletion is over, so it cannot be undone.')
    case 'active':
      throw refused('The user is not deleted, so there is nothing to undo.')
  }
}

export async function loadUserView(engine: EngineContext, user: UserRecord): Promise<UserView> {
  const connections = await engine.store.connections.ofUsers([user.userId])
  return userView(engine, user, connections.get(user.userId) ?? [])
}

export function teamIsFull(limit: number): ServiceError {
  return new ServiceError('quota_exceeded', `The team has reached its limit of ${limit} active users.`, {
    suggestions: ['Delete a user, or have an operator raise the limit: svc engine team set NAME --max-users N'],
  })
}

/** Returns whether a deletion can no longer be undone, so that the user is treated as removed. */
export function graceIsOver(deletedAt: EpochMs, now: EpochMs): boolean {
  return deletedAt <= now - GRACE_PERIOD_MS
}

function refused(message: string): ServiceError {
  return new ServiceError('undo_refused', message, {
    body: { detail: { error_type: 'INVALID_REQUEST', error_message: message } },
  })
}
