/**
 * Creates demo connections, which provide a synthetic person's summaries, add new ones over time, and end after 7 days. See
 * docs/interface/connections.md#connections-12.
 */
import type { Provider } from '../../catalogue/provider.ts'
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { SUMMARY_KINDS } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, HOUR_MS } from '../../core/time.ts'
import type { SpooledData } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { describePull, HISTORY_DAYS, simulatedHistory } from '../connections/pulls.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { withinBounds } from '../intake/ingestion.ts'
import { activeUser } from '../users/users.ts'

/** How long a demo lasts after the user's first demo connection, in milliseconds. */
export const DEMO_LIFETIME_MS = 7 * DAY_MS
/** How often a demo gets new data, in milliseconds. */
export const DEMO_DATA_MS = 2 * HOUR_MS

export const linkDemo: Handler<'link.demo'> = async (engine, { body }, call) => {
  const user = await activeUser(engine, call.team.teamId, body.user_id)
  const provider = engine.providers.find(body.provider) as Provider
  const { userId } = user
  const { now } = call
  const { data, from } = await demoData(engine, { user, provider, now, days: HISTORY_DAYS })
  const pulled = { user, provider: provider.slug, resources: demoResources(provider) }
  const begin = () =>
    engine.store.links.connectDemo(
      userId,
      {
        at: now,
        ...data,
        ...describePull(engine, { ...pulled, kind: 'historical', from, to: now }),
        events: { kind: 'historical', provider: provider.slug, from, to: now },
        connections: [
          {
            userId,
            provider: provider.slug,
            createdOn: now,
            externalUserId: null,
            region: null,
            link: { scopes: null, isDemo: true },
          },
        ],
      },
      { dataAt: now + DEMO_DATA_MS, endAt: now + DEMO_LIFETIME_MS },
    )
  return call.settle(begin, outcome => {
    if (outcome.kind !== 'real_user') {
      return ok({ success: true, detail: `Connected user ${userId} to provider ${provider.slug}` })
    }
    throw new ServiceError('bad_request', 'The user has a real connection, and a demo needs a user without one.', {
      suggestions: ['Create another user for the demo. After 7 days that user and all data are removed.'],
    })
  })
}

/** Adds the data that is new since the job became due, and schedules the next run. Returns whether the job was still due. */
export async function runDemoData(
  engine: EngineContext,
  job: { readonly userId: UserId; readonly provider: string; readonly dueAt: EpochMs },
  now: EpochMs,
): Promise<boolean> {
  const { userId } = job
  const user = await engine.store.links.demoUser(userId)
  const provider = engine.providers.find(job.provider)
  if (!user || !provider) {
    await engine.store.links.dropDemoData(userId, job.provider)
    return true
  }
  // the current day has more data by now, and nights that began before the last run have ended
  const days = Math.min(HISTORY_DAYS, 2 + Math.ceil(Math.max(0, now - job.dueAt) / DAY_MS))
  const { data, from } = await demoData(engine, { user, provider, now, days })
  const pulled = { user, provider: provider.slug, resources: demoResources(provider) }
  return engine.store.links.bringDemoData(
    userId,
    provider.slug,
    {
      at: now,
      ...data,
      ...describePull(engine, { ...pulled, kind: 'refresh', from, to: now }),
      events: { kind: 'daily' },
    },
    now + DEMO_DATA_MS,
  )
}

/** Removes an expired demo's user with all data. Returns whether the removal was still due. */
export async function runDemoEnd(
  engine: EngineContext,
  userId: UserId,
  { now, signal }: { readonly now: EpochMs; readonly signal?: AbortSignal | undefined },
): Promise<boolean> {
  if (!(await engine.store.links.endDemo(userId, now))) return false
  await engine.store.users.purge(userId, now, signal)
  return true
}

async function demoData(
  engine: EngineContext,
  asked: { readonly user: UserRecord; readonly provider: Provider; readonly now: EpochMs; readonly days: number },
): Promise<{ readonly data: SpooledData; readonly from: EpochMs }> {
  const { user, provider, now, days } = asked
  const { batches, summaries, from } = await simulatedHistory(engine, user, { provider, now, days })
  const shown = demoSummaries(provider).length > 0 ? [] : batches
  return { data: withinBounds(user, { batches: shown, summaries, streams: [] }).data, from }
}

/** Returns a demo's resources: only summaries, or samples if the provider has no summaries. */
function demoResources(provider: Provider): readonly string[] {
  const kinds = demoSummaries(provider)
  return kinds.length > 0 ? kinds : provider.supportedResources
}

function demoSummaries(provider: Provider): readonly string[] {
  return provider.supportedResources.filter(each => (SUMMARY_KINDS as readonly string[]).includes(each))
}
