/** A store in a new folder with one user, and the writes that tests make to it. */
import type { TeamId, UserId } from '../../src/core/ids.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SeriesKey } from '../../src/core/sample.ts'
import { openEngine } from '../../src/engine/open.ts'
import type { DataWrite } from '../../src/store/data-write.ts'
import type { Store } from '../../src/store/port.ts'
import { storeOptions } from '../kit/postgres/database.ts'
import { newStore } from '../kit/store/new-store.ts'

export const TEAM = '11111111-1111-4111-8111-111111111111' as TeamId
export const USER = '22222222-2222-4222-8222-222222222222' as UserId

export async function openStore(dataDir: string): Promise<Store> {
  const { context } = await openEngine({ dataDir, waitForLock: 'blocking', ...storeOptions(dataDir) })
  return context.store
}

export async function storeWithUser(dataDir?: string): Promise<Store> {
  const store = await openStore(dataDir ?? (await newStore()))
  await store.teams.local(async () => ({
    teamId: TEAM,
    name: 'local',
    createdOn: 0,
    rejectDuplicateConnection: false,
  }))
  await store.users.create({
    userId: USER,
    teamId: TEAM,
    clientUserId: 'a',
    createdOn: 0,
    fallbackTimeZone: null,
    fallbackBirthDate: null,
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  })
  return store
}

export function buildBatch(series: SeriesKey, samples: readonly SampleInput[]): SampleBatch {
  const builder = new SampleBatchBuilder(series)
  for (const sample of samples) builder.push(sample)
  return builder.take()
}

/** Builds a write of batches, like a push of samples. */
export const writing = (batches: readonly SampleBatch[], more: Partial<DataWrite> = {}): DataWrite => ({
  at: Date.UTC(2026, 0, 1),
  teamId: TEAM,
  batches,
  summaries: [],
  streams: [],
  events: { kind: 'daily' },
  connections: [],
  consumeToken: null,
  importing: null,
  ...more,
})
