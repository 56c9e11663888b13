/** A store with one user and a provider that is set up, and the links and pages that tests write to it. */
import type { TeamId, UserId } from '../../../src/core/ids.ts'
import type { SampleInput, SeriesKey } from '../../../src/core/sample.ts'
import type { CollectionProgress } from '../../../src/store/live/connections.ts'
import type { OAuthAppRecord } from '../../../src/store/live/oauth-apps.ts'
import type { LiveRecord, LiveWrite } from '../../../src/store/live/pulls.ts'
import type { Store } from '../../../src/store/port.ts'
import { buildBatch, storeWithUser, TEAM, USER, writing } from '../user-store.ts'

export const PROVIDER = 'oura'
export const KEY = { userId: USER, provider: PROVIDER }
/** Real time. */
export const NOW = Date.UTC(2026, 0, 10)
/** Engine time. */
export const AT = Date.UTC(2026, 0, 1)
export const MINUTE = 60_000
export const HEARTRATE: SeriesKey = { resource: 'heartrate', type: null, provider: PROVIDER, sourceType: 'ring' }

export function buildOAuthApp(more: Partial<OAuthAppRecord> = {}): OAuthAppRecord {
  return {
    teamId: TEAM,
    provider: PROVIDER,
    clientId: 'client',
    redirectUrl: null,
    scopes: ['daily'],
    authorizeUrl: null,
    tokenUrl: null,
    apiUrl: null,
    settings: {},
    keepsRaw: false,
    sealed: Buffer.from('sealed-setup-secret'),
    notificationHash: 'ab'.repeat(32),
    createdOn: NOW,
    updatedAt: NOW,
    ...more,
  }
}

export function buildProgress(more: Partial<CollectionProgress> = {}): CollectionProgress {
  return {
    reached: NOW,
    until: NOW,
    goal: null,
    isComplete: false,
    empty: 0,
    dueAt: NOW,
    failures: 0,
    lastError: null,
    lastPullAt: null,
    received: 0,
    unmapped: {},
    ...more,
  }
}

export async function link(
  store: Store,
  grantId = 'grant-1',
  { userId, teamId }: { readonly userId: UserId; readonly teamId: TeamId } = { userId: USER, teamId: TEAM },
): Promise<void> {
  const connection = {
    userId,
    provider: PROVIDER,
    createdOn: AT,
    externalUserId: `account of ${grantId}`,
    region: null,
  }
  const outcome = await store.links.connect(
    userId,
    writing([], {
      teamId,
      at: AT,
      connections: [{ ...connection, link: { scopes: null, isDemo: false } }],
      live: {
        tokenSet: { grantId, sealed: Buffer.from(`sealed-${grantId}`), keyId: 'key', expiresAt: NOW + 60 * MINUTE },
        progress: { sleep: buildProgress(), heartrate: buildProgress() },
        dueAt: NOW,
        at: NOW,
      },
    }),
    { onlyUserOf: null },
  )
  if (outcome.kind !== 'written') throw new Error(outcome.kind)
}

/** The team has an OAuth app, and the user a live connection. */
export async function linkedStore(dataDir?: string): Promise<Store> {
  const store = await storeWithUser(dataDir)
  await store.live.oauthApps.put(buildOAuthApp())
  await link(store)
  return store
}

/** The same, leased by `puller`. */
export async function pullingStore(dataDir?: string): Promise<Store> {
  const store = await linkedStore(dataDir)
  await store.live.pulls.lease(KEY, { holder: 'puller', now: NOW, until: NOW + MINUTE })
  return store
}

export const buildSamples = (samples: readonly SampleInput[], series = HEARTRATE) => [buildBatch(series, samples)]

export function buildRecord(id: string, version: string, samples: readonly SampleInput[]): LiveRecord {
  return { id, version, batches: buildSamples(samples), summaries: [], streams: [] }
}

export const deleted = (id: string): LiveRecord => ({
  id,
  version: '',
  batches: [],
  summaries: [],
  streams: [],
  isDeleted: true,
})

export function buildPage(records: readonly LiveRecord[], more: Partial<LiveWrite> = {}): LiveWrite {
  return {
    holder: 'puller',
    teamId: TEAM as TeamId,
    at: AT,
    realNow: NOW,
    collection: 'sleep',
    records,
    batches: [],
    events: 'none',
    pull: {
      provider: PROVIDER,
      kind: 'historical',
      resources: ['heartrate', 'sleep'],
      from: AT - 7 * 24 * 60 * MINUTE,
      to: AT,
      traceId: 'trace',
    },
    raw: [],
    ...more,
  }
}

/** Returns [start, value] of all stored samples of heart rate. */
export async function heartrateIn(store: Store): Promise<number[][]> {
  const everything = { resource: 'heartrate', provider: null, from: 0, to: 2 * NOW }
  const { slices } = await store.samples.page(USER, everything, null, 1_000)
  return slices.flatMap(({ columns }) => [...columns.start].map((start, i) => [start, columns.value[i] as number]))
}

/** The first bytes of every encrypted value. */
export const SEALED = 'sealed-'

/** Writes rows to every table of live providers. */
export async function fillLive(store: Store, teamId: TeamId = TEAM, userId: UserId = USER): Promise<void> {
  const { oauthApps, pulls, budgets, notifications, subscriptions } = store.live
  const [key, of] = [
    { userId, provider: PROVIDER },
    { teamId, provider: PROVIDER },
  ]
  const sealed = (text: string) => Buffer.from(`${SEALED}${text}`)
  await oauthApps.put(buildOAuthApp({ teamId, sealed: sealed('setup') }))
  await link(store, 'grant-1', { userId, teamId })
  const request = { limits: [{ most: 9, windowMs: MINUTE }], wanted: 2, now: NOW }
  for (const owner of [null, userId]) await budgets.take(teamId, PROVIDER, owner, request)
  const times = { receivedAt: NOW, dueAt: NOW, tries: 0 }
  await notifications.add([{ ...of, notificationId: 'n', ...times, sealed: sealed('notification') }])
  const subscription = { remoteId: 'r', expiresAt: null, dueAt: NOW, failures: 0, lastError: null }
  await subscriptions.put({ ...of, name: 'update:sleep', ...subscription, sealed: sealed('subscription') })
  await pulls.lease(key, { holder: 'puller', now: NOW, until: NOW + MINUTE })
  const raw = [{ answerId: 'a', collection: 'sleep', at: NOW, sealed: sealed('answer'), pullId: 'pull' }]
  const records = [buildRecord('r1', 'v1', [{ start: AT, value: 60 }])]
  await pulls.bring(
    key,
    buildPage(records, {
      teamId,
      raw,
      progress: buildProgress({ lastPullAt: NOW }),
      follows: () => ({ dueAt: NOW + MINUTE, completed: [] }),
    }),
  )
  await pulls.release(key, 'puller')
}
