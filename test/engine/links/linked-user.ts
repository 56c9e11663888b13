/** A user with providers linked by password, for tests of connections. */
import type { UserId } from '../../../src/core/ids.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

export interface LinkedUser {
  readonly h: Harness
  readonly user_id: UserId
  readonly params: { readonly user_id: UserId }
}

export async function linkedUser(slugs: readonly string[], body: object = {}): Promise<LinkedUser> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', {
    body: { client_user_id: 'a', fallback_time_zone: 'Europe/Berlin', ...body },
  })
  for (const slug of slugs) await link(h, user_id, slug)
  return { h, user_id, params: { user_id } }
}

/** Links a password provider. */
export async function link(h: Harness, user_id: UserId, provider: string): Promise<void> {
  const { link_token: linkToken } = await h.call('link.token', { body: { user_id } })
  const body = { username: `${provider}-account`, password: 'pw' }
  const result = await h.call('link.password', { params: { provider }, body }, { linkToken })
  if (result.state !== 'success') throw new Error(`the link ended in ${result.error_type}`)
}

/** Returns the types of the user's events after the first `skip`. */
export async function eventTypes(h: Harness, user_id: UserId, skip = 0): Promise<string[]> {
  return (await h.engine.context.store.events.ofUser(user_id, skip, 10_000)).map(event => event.type)
}

/** Returns the number of the user's events so far. */
export async function eventCount(h: Harness, user_id: UserId): Promise<number> {
  return (await eventTypes(h, user_id)).length
}

/** Returns a JSON body as bytes, for a push. */
export function inBytes(body: object) {
  const stream = (async function* () {
    yield Buffer.from(JSON.stringify(body))
  })()
  return { kind: 'stream' as const, stream }
}
