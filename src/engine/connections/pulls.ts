/** Pulls data from the simulated providers: what they return, and what a write records about the pull. */
import { DEVICE_MODELS } from '../../catalogue/devices.ts'
import { providerNamed } from '../../catalogue/providers.ts'
import type { HistoryRequest, SyntheticHistory } from '../../connectors/synthetic/person.ts'
import { ownedId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import type { EpochMs } from '../../core/time.ts'
import type { DataWrite, SpooledData } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext } from '../context.ts'

/** Number of whole days before the current one that a link brings. */
export const HISTORY_DAYS = 30

type PullRequest = Pick<HistoryRequest, 'provider' | 'now' | 'days' | 'resources'>

/**
 * Returns the data that the provider has about the user; for a seeded person, the data of that person's life. Ingestion bounds are not
 * applied yet.
 */
export async function historyAt(
  engine: EngineContext,
  user: UserRecord,
  request: PullRequest,
): Promise<SyntheticHistory> {
  const { syntheticHistory } = await import('../../connectors/synthetic/person.ts')
  const { userId } = user
  const timeZone = user.fallbackTimeZone?.value ?? null
  const person = await engine.store.people.find(userId)
  if (!person) return syntheticHistory({ seed: engine.seed, userId, timeZone, ...request })
  const { courseOf, streamSeedOf } = await import('../../connectors/synthetic/people.ts')
  return syntheticHistory({
    seed: streamSeedOf(person),
    userId,
    timeZone,
    course: courseOf(person, userId, timeZone),
    ...request,
  })
}

export interface Pulled {
  readonly user: UserRecord
  /** A slug of the catalogue. */
  readonly provider: string
  /** `historical`: everything, after a link; `refresh`: what is new. */
  readonly kind: 'historical' | 'refresh'
  readonly from: EpochMs
  readonly to: EpochMs
  /** The requested resources; absent: all that the provider supplies. See docs/interface/connections.md#connections-4. */
  readonly resources?: readonly string[]
}

/** Returns the parts of a `DataWrite` that every pull has. Spread them into it; a link has connections of its own. */
export function pullOf(
  engine: EngineContext,
  pulled: Pulled,
): Required<Omit<DataWrite, 'at' | 'completed' | 'events' | 'live' | keyof SpooledData>> {
  const { user, kind, from, to } = pulled
  const provider = providerNamed(pulled.provider)
  const resources = pulled.resources ?? provider?.supportedResources ?? []
  const model = DEVICE_MODELS[pulled.provider]
  const device = model && {
    deviceId: ownedId(user.userId, 'device', pulled.provider),
    provider: pulled.provider,
    sourceType: provider?.sourceTypes[0] ?? 'unknown',
    appId: null,
    ...model,
  }
  return {
    teamId: user.teamId,
    importing: null,
    connections: [],
    consumeToken: null,
    pull: { provider: pulled.provider, kind, resources, from, to, traceId: randomUuid(engine.random) },
    devices: device ? [device] : [],
  }
}
