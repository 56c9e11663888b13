/** USER: a user_id or a client_user_id. */
import type { ServiceClient } from '../../client/client.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/ids.ts'

/**
 * Calls `use` with the user_id of a USER. A text that looks like a UUID is tried as a user_id first, which needs no extra call, and as a
 * client_user_id if there is no such user. Throws `user_not_found` and any error of `use`.
 */
export async function withUser<T>(
  client: ServiceClient,
  given: string,
  use: (userId: string) => Promise<T>,
): Promise<T> {
  if (given === '') throw new ServiceError('usage', 'USER is empty. Give a user_id or a client_user_id.')
  if (!isUuid(given)) return use(await resolveUser(client, given))
  try {
    return await use(given)
  } catch (error) {
    if (!isAbsent(error)) throw error
    let userId: string
    try {
      userId = await resolveUser(client, given)
    } catch {
      throw error
    }
    return use(userId)
  }
}

/** Returns the user_id for a client_user_id. */
async function resolveUser(client: ServiceClient, clientUserId: string): Promise<string> {
  const reply = await client.call('user.resolve', { params: { client_user_id: clientUserId } })
  if (reply.kind !== 'json') throw new ServiceError('bad_response', 'The response to user.resolve is not JSON.')
  return reply.body.user_id
}

/** Returns whether the error means that the requested user does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ServiceError && error.category === 'not_found'
}
