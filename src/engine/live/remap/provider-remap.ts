/** Reads kept raw responses of a live provider again with today's mapping. */
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { allowedNames, invalid, ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { LiveKey } from '../../../store/live/connections.ts'
import type { UserRecord } from '../../../store/user.ts'
import { listUserConnections, suppliedResources } from '../../connections/connections.ts'
import type { EngineContext, Handler, TeamCall } from '../../context.ts'
import { type ReadAgain, RemapRun } from '../../intake/remap/remap-run.ts'
import { activeUser } from '../../users/users.ts'
import { settableConnector } from '../oauth-apps/app-checks.ts'
import { findLiveApp, type LiveApp } from '../oauth-apps/live-app.ts'
import { notSetUp } from '../oauth-apps/oauth-apps.ts'
import { readAgain } from './read-again.ts'

const CONNECTIONS_AT_ONCE = 500

export const remapProvider: Handler<'provider.remap'> = async (engine, { params, query, body }, call) => {
  const { provider } = params
  const { user_id: userId, collection } = body
  const { teamId } = call.team
  if (userId !== undefined) await activeUser(engine, teamId, userId)
  await settableConnector(engine, provider, ['path', 'provider'])
  const live = await findLiveApp(engine, teamId, provider)
  if (live === null) throw notSetUp(provider)
  if (collection !== undefined) checkCollection(live.connector, collection)
  const run = new RemapRun(engine, call, query, ['provider', provider, body])
  const readingOf = (each: UserId) =>
    findReading(engine, call, { run, live, key: { userId: each, provider }, collection })
  if (userId !== undefined) {
    if ((await engine.store.live.pulls.find({ userId, provider })) === null) throw notConnected(provider)
    const reading = await readingOf(userId)
    return reading === null ? run.report() : run.only(reading.user, reading.read)
  }
  for await (const each of connectedUsers(engine, teamId, provider)) {
    const reading = await readingOf(each)
    if (reading !== null) await run.user(reading.user, reading.read)
  }
  return run.report()
}

interface Reading {
  readonly user: UserRecord
  readonly read: () => Promise<ReadAgain>
}

interface ReadingOptions {
  readonly run: RemapRun
  readonly live: LiveApp
  readonly key: LiveKey
  readonly collection: string | undefined
}

/** Returns how a connection's stored responses are read again; null if there are none. */
async function findReading(
  engine: EngineContext,
  call: TeamCall,
  { run, live, key, collection }: ReadingOptions,
): Promise<Reading | null> {
  const { userId, provider } = key
  const user = await engine.store.users.byId(userId)
  const connection = (await listUserConnections(engine, userId)).find(each => each.provider === provider && each.isLive)
  if (user?.deletedAt !== null || !connection) return null
  const all = await engine.store.live.pulls.rawHeads(key)
  const heads = collection === undefined ? all : all.filter(each => each.collection === collection)
  if (heads.length === 0) return null
  const resources = await suppliedResources(engine, connection)
  const read = async (): Promise<ReadAgain> => {
    const { leftOut, ...found } = await readAgain(engine, { key, user, live, resources, signal: call.signal }, heads)
    for (const [reason, count] of leftOut) run.leaveOut({ user_id: userId, import_id: null, reason, count })
    return found
  }
  return { user, read }
}

/** Yields the users of the team's live connections to a provider. */
async function* connectedUsers({ store }: EngineContext, teamId: TeamId, provider: string): AsyncGenerator<UserId> {
  for (let after: LiveKey | null = null; ; ) {
    const page: LiveKey[] = await store.live.pulls.list(teamId, provider, after, CONNECTIONS_AT_ONCE)
    for (const { userId } of page) yield userId
    after = page.at(-1) ?? null
    if (after === null) return
  }
}

function checkCollection({ collections, provider }: LiveConnector, given: string): void {
  const names = collections.map(({ name }) => name)
  if (names.includes(given)) return
  const msg = `"${given}" is not one of the collections of ${provider}.${allowedNames(given, names, '`svc provider status` lists them')}`
  throw invalid([{ loc: ['body', 'collection'], msg, type: 'enum' }])
}

function notConnected(provider: string): ServiceError {
  return new ServiceError('not_found', `The user has no live connection to ${provider}.`, {
    suggestions: ['`svc provider status` lists the live connections.'],
  })
}
