/** Causes historical events by backfilling the resource, in the same way as after a link. */
import { resourceEvent } from '../../catalogue/event-types.ts'
import { isLinkable, type Provider } from '../../catalogue/providers.ts'
import type { SpooledData } from '../../store/data-write.ts'
import { listUserConnections } from '../connections/connections.ts'
import { describePull, HISTORY_DAYS, simulatedHistory } from '../connections/pulls.ts'
import { withinBounds } from '../intake/ingestion.ts'
import { type Cause, cannot, type TriggerCause } from './cause.ts'
import { linkAccount } from './connections.ts'
import { badPath, givenText, refuseGiven } from './given.ts'

/** The provider's paths in the body. */
const PROVIDER = ['data.provider', 'data.source.provider'] as const

export const backfill: Cause = async wanted => {
  const { engine, user, type, given, call, count } = wanted
  const resource = resourceEvent(type)?.resource
  if (resource === undefined) throw new Error(`no resource of ${type}`)
  refuseGiven(given, PROVIDER)
  const until = wanted.at ?? call.now
  if (until > call.now)
    throw cannot('The end of a backfill must not be in the future.', 'Choose an earlier --at, or leave it out.')
  const { provider, isConnected } = await findProvider(wanted, resource)
  const pulled = { provider: provider.slug, resources: [resource] }
  const history = await simulatedHistory(engine, user, { ...pulled, provider, now: until, days: HISTORY_DAYS })
  const { from } = history
  const { data } = withinBounds(user, history)
  if (isNothing(data)) {
    throw cannot(
      `${provider.name} has no ${resource} from the ${HISTORY_DAYS} days before that time within the user's ingestion bounds.`,
      'Choose another --at, or write only the event with --only-event.',
    )
  }
  if (!isConnected) await linkAccount(wanted, provider, { until, resources: [resource] })
  const again = isConnected ? count : count - 1
  for (let i = 0; i < again; i++) {
    await engine.store.data.write(user.userId, {
      at: call.now,
      ...data,
      ...describePull(engine, { ...pulled, user, kind: 'historical', from, to: until }),
      events: { kind: 'historical', provider: provider.slug, from, to: until },
    })
  }
}

function isNothing({ batches, summaries, streams }: SpooledData): boolean {
  return summaries.length + streams.length === 0 && !batches.some(({ n }) => n > 0)
}

/** Returns a simulated provider that supplies the resource. Prefers a provider that the user has connected to one that can be linked. */
async function findProvider(
  wanted: TriggerCause,
  resource: string,
): Promise<{ readonly provider: Provider; readonly isConnected: boolean }> {
  const { engine, user, given, type } = wanted
  const connections = await listUserConnections(engine, user.userId)
  const live = connections.filter(each => each.isLive).map(each => each.provider)
  const connected = connections
    .filter(each => each.status === 'connected' && !each.isDemo && !each.isLive)
    .map(each => each.provider)
  const supplies = (each: Provider | undefined): each is Provider =>
    each?.supportedResources.includes(resource) === true
  const named = givenText(given, 'provider') ?? givenText(given, 'source', 'provider')
  if (named !== undefined) {
    const provider = engine.providers.find(named)
    const path = given[0]?.path ?? PROVIDER[0]
    if (!provider) throw badPath(path, 'must be one of the known providers. `svc provider list` shows the providers')
    if (!supplies(provider)) throw badPath(path, `must be a provider that supplies ${resource}`)
    if (live.includes(named)) throw badPath(path, 'must be a simulated provider: the user has a live connection to it')
    const isConnected = connected.includes(named)
    if (!isConnected && !isLinkable(provider)) throw badPath(path, 'must be a provider that can be linked')
    return { provider, isConnected }
  }
  const known = connected.map(engine.providers.find).find(supplies)
  if (known) return { provider: known, isConnected: true }
  const taken = connections.map(each => each.provider)
  const linkable = engine.providers.all.find(each => isLinkable(each) && supplies(each) && !taken.includes(each.slug))
  if (linkable) return { provider: linkable, isConnected: false }
  throw cannot(
    `No provider that can be linked supplies ${resource}, so no data change causes ${type}.`,
    `\`svc event trigger ${type} --user USER --only-event\` writes only the event.`,
  )
}
