/** Lists work that is due at live providers as tasks: notifications, pulls, revocations and subscriptions. Also runs cleanup work. */
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TeamId, UserId } from '../../core/ids.ts'
import { DAY_MS, SECOND_MS } from '../../core/time.ts'
import type { TokenSetRecord } from '../../store/live/token-sets.ts'
import type { EngineContext } from '../context.ts'
import { FairTasks } from './fair-tasks.ts'
import type { LiveKind, LiveTask, RanLive } from './live-task.ts'
import { dueNotifications, processNotified } from './notifications/notified.ts'
import { FURTHEST_MS } from './pulling/progress.ts'
import { pullConnection } from './pulling/pull.ts'
import { RAW_KEPT_MS } from './pulling/raw-responses.ts'
import { revokeEach } from './revoke.ts'
import { ensureSubscriptions } from './subscriptions.ts'

/** How long notification IDs are stored, so that repeated notifications are recognized. */
const KNOWN_MS = 7 * DAY_MS
const MOST_PULLS = 500
const MOST_REVOCATIONS = 1_000
const MOST_REMEMBERED = 10_000
/** How often a run checks whether waiting tasks can start alongside the running ones. */
const LOOK_MS = SECOND_MS

export class DueLive {
  private readonly teams = new LRUCache<UserId, TeamId>({ max: MOST_REMEMBERED })
  private readonly engine: EngineContext

  constructor(engine: EngineContext) {
    this.engine = engine
  }

  /** Returns the work that is due now. Notifications come first, because someone is waiting for the data that they announce. */
  async tasks(): Promise<readonly LiveTask[]> {
    const { engine } = this
    const notified = (await dueNotifications(engine)).map(
      (each): LiveTask => ({
        name: `notification ${each.teamId} ${each.provider} ${each.accountId}`,
        kind: 'notification',
        teamId: each.teamId,
        provider: each.provider,
        async run(options) {
          const isDone = await processNotified(engine, each, { holder: randomUUID(), ...options })
          return ranEntry('notification', isDone ? each.records.length : 0)
        },
      }),
    )
    const pulls: LiveTask[] = []
    for (const key of await engine.store.live.pulls.due(engine.wall.now(), null, MOST_PULLS)) {
      const teamId = await this.findTeamId(key.userId)
      if (teamId === null) continue
      pulls.push({
        name: `pull ${key.userId} ${key.provider}`,
        kind: 'live_pull',
        teamId,
        provider: key.provider,
        async run(options) {
          const { outcome } = await pullConnection(engine, key, { holder: randomUUID(), ...options })
          return ranEntry('live_pull', outcome !== 'busy' && outcome !== 'none' ? 1 : 0)
        },
      })
    }
    return [...notified, ...pulls]
  }

  /** Returns the periodic work: token sets to revoke, and the subscriptions of each OAuth app. */
  async maintenance(): Promise<readonly LiveTask[]> {
    const { engine } = this
    const { tokenSets, oauthApps } = engine.store.live
    const ending = new Map<string, TokenSetRecord[]>()
    for (const tokenSet of await tokenSets.revoking(engine.wall.now(), null, MOST_REVOCATIONS)) {
      const name = `revocation ${tokenSet.teamId} ${tokenSet.provider}`
      ending.set(name, [...(ending.get(name) ?? []), tokenSet])
    }
    const revocations = [...ending].flatMap(([name, some]): LiveTask[] => {
      const [first] = some
      if (first === undefined) return []
      const { teamId, provider } = first
      const run: LiveTask['run'] = async ({ signal }) => ranEntry('revocation', await revokeEach(engine, some, signal))
      return [{ name, kind: 'revocation', teamId, provider, run }]
    })
    const subscriptions = (await oauthApps.list(null)).map((oauthApp): LiveTask => {
      const { teamId, provider } = oauthApp
      const name = `subscription ${teamId} ${provider}`
      const run: LiveTask['run'] = async ({ signal }) =>
        ranEntry('subscription', await ensureSubscriptions(engine, signal, [oauthApp]))
      return { name, kind: 'subscription', teamId, provider, run }
    })
    return [...revocations, ...subscriptions]
  }

  private async findTeamId(userId: UserId): Promise<TeamId | null> {
    const known = this.teams.get(userId)
    if (known !== undefined) return known
    const user = await this.engine.store.users.byId(userId)
    if (user) this.teams.set(userId, user.teamId)
    return user?.teamId ?? null
  }
}

function ranEntry(kind: LiveKind, count: number): readonly RanLive[] {
  return count > 0 ? [{ kind, count }] : []
}

/** Removes expired rows, and makes rows due that were postponed too far. Does not wait for any provider. */
export async function maintainLive(
  engine: EngineContext,
  signal: AbortSignal | undefined,
): Promise<readonly RanLive[]> {
  signal?.throwIfAborted()
  const { pulls, notifications } = engine.store.live
  const now = engine.wall.now()
  await notifications.removeOld(now - KNOWN_MS)
  // a clock may have been ahead, or a provider may have requested an unlimited pause
  await notifications.hasten(now + FURTHEST_MS, now)
  for (const key of await pulls.notBefore(now + FURTHEST_MS, MOST_PULLS)) await pulls.hasten(key, null, now)
  return ranEntry('raw_answer', await pulls.removeRaw(now - RAW_KEPT_MS))
}

/** Returns whether any team has an OAuth app. Without one, no live work is ever due. */
async function hasOAuthApps({ store }: Pick<EngineContext, 'store'>): Promise<boolean> {
  return (await store.live.oauthApps.list(null)).length > 0
}

/** Runs all due work, each task once. Throws the signal's reason, and any store error. */
export async function runLiveDue(engine: EngineContext, signal: AbortSignal | undefined): Promise<RanLive[]> {
  if (!(await hasOAuthApps(engine))) return []
  const counts = new Map<LiveKind, number>()
  const count = (ran: readonly RanLive[]): void => {
    for (const { kind, count: more } of ran) counts.set(kind, (counts.get(kind) ?? 0) + more)
  }
  count(await maintainLive(engine, signal))
  let failure: { readonly error: unknown } | undefined
  let wake = (): void => {}
  const fair = new FairTasks({
    untilDone: true,
    ran: count,
    failed: (_task, error) => {
      failure ??= { error }
    },
    ended: () => wake(),
  })
  const due = new DueLive(engine)
  const tried = new Set<string>()
  const stopped = (): void => wake()
  signal?.addEventListener('abort', stopped)
  try {
    let waiting = await due.maintenance()
    for (;;) {
      signal?.throwIfAborted()
      if (failure) throw failure.error
      if (waiting.length === 0) waiting = (await due.tasks()).filter(({ name }) => !tried.has(name))
      for (const { name } of waiting) tried.add(name)
      waiting = startTasks(fair, waiting)
      if (waiting.length + fair.tasks().length === 0) break
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, LOOK_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    signal?.removeEventListener('abort', stopped)
    fair.stop(signal?.reason)
    await fair.idle()
  }
  return [...counts].map(([kind, n]) => ({ kind, count: n }))
}

/**
 * Starts tasks, and returns those that are still waiting. Notifications come first, because a pull would block notifications for its
 * connection.
 */
function startTasks(fair: FairTasks, waiting: readonly LiveTask[]): readonly LiveTask[] {
  const shareOf = ({ teamId, provider }: LiveTask): string => `${teamId} ${provider}`
  const notified = new Set(
    [...waiting, ...fair.tasks()].flatMap(task => (task.kind === 'notification' ? [shareOf(task)] : [])),
  )
  const isLater = (task: LiveTask): boolean => task.kind === 'live_pull' && notified.has(shareOf(task))
  return [...fair.start(waiting.filter(task => !isLater(task))), ...waiting.filter(isLater)]
}
