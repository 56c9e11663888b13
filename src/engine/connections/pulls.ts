/** Pulls data from simulated providers, and describes each pull for the write. */
import { DEVICE_MODELS } from '../../catalogue/devices.ts'
import type { Provider } from '../../catalogue/provider.ts'
import type { SimulatedLife } from '../../connectors/synthetic/connector.ts'
import { ownedId, type UserId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { DataWrite, SpooledData } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext } from '../context.ts'

/** Number of whole days before the current day that are fetched after a link. */
export const HISTORY_DAYS = 30

/** The requested part of a provider's data about a person. */
export interface ProviderHistory extends SpooledData {
  readonly from: EpochMs
}

interface AskedHistory {
  readonly provider: Provider
  readonly now: EpochMs
  /** Number of whole local days before the current day. */
  readonly days: number
  /** If absent, all resources that the provider supplies. */
  readonly resources?: readonly string[]
}

/**
 * Returns a simulated provider's data about the user. For a seeded person, the data comes from that person's simulated life. Ingestion
 * bounds are not yet applied.
 */
export async function simulatedHistory(
  engine: EngineContext,
  user: UserRecord,
  { provider, now, days, resources }: AskedHistory,
): Promise<ProviderHistory> {
  const { HISTORY, simulatedConnector, simulatedSession } = await import('../../connectors/synthetic/connector.ts')
  const { userId } = user
  const timeZone = user.fallbackTimeZone?.value ?? null
  const connector = simulatedConnector(provider, await findLife(engine, userId, timeZone))
  const from = now - days * DAY_MS
  const history = {
    batches: [] as SampleBatch[],
    summaries: [] as SummaryRecord[],
    streams: [] as StreamRecord[],
    from,
  }
  const asked = { collection: HISTORY, window: { from, to: now }, resources: resources ?? connector.resources }
  for await (const page of connector.pull(simulatedSession({ authorizeUrl: '' }), {
    userId,
    timeZone,
    now,
    ...asked,
  })) {
    history.from = page.from ?? from
    history.batches.push(...page.batches)
    for (const record of page.records) {
      history.summaries.push(...record.summaries)
      history.streams.push(...record.streams)
    }
  }
  return history
}

async function findLife(engine: EngineContext, userId: UserId, timeZone: string | null): Promise<SimulatedLife> {
  const person = await engine.store.people.find(userId)
  if (!person) return { seed: engine.seed }
  const { createCourse, streamSeed } = await import('../../connectors/synthetic/people.ts')
  return { seed: streamSeed(person), course: createCourse(person, userId, timeZone) }
}

export interface Pulled {
  readonly user: UserRecord
  /** A slug from the catalogue. */
  readonly provider: string
  /** `historical` fetches everything after a link; `refresh` fetches only new data. */
  readonly kind: 'historical' | 'refresh'
  readonly from: EpochMs
  readonly to: EpochMs
  /** The requested resources. If absent, all resources that the provider supplies. See docs/interface/connections.md#connections-4. */
  readonly resources?: readonly string[]
}

/** Returns the properties that every pull's `DataWrite` has. Callers spread them into it. A link sets its own connections. */
export function describePull(
  engine: EngineContext,
  pulled: Pulled,
): Required<Omit<DataWrite, 'at' | 'completed' | 'events' | 'live' | keyof SpooledData>> {
  const { user, kind, from, to } = pulled
  const provider = engine.providers.find(pulled.provider)
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
