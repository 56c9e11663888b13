/** What is due at live providers, as tasks: pulls and notifications. Beside them, what looks after grants, subscriptions and raw answers. */
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TeamId, UserId } from '../../core/ids.ts'
import { DAY_MS } from '../../core/time.ts'
import type { EngineContext } from '../context.ts'
import { dueNotifications, processNotified } from './notifications/notified.ts'
import { pullConnection } from './pulling/pull.ts'
import { RAW_KEPT_MS } from './pulling/raw-answers.ts'
import { revokeDue } from './revoke.ts'
import type { Pace } from './session.ts'
import { ensureSubscriptions } from './subscriptions.ts'

export type LiveKind = 'live_pull' | 'notification' | 'revocation' | 'subscription' | 'raw_answer'

/** Number of tasks of one kind that ran. */
export interface RanLive {
  readonly kind: LiveKind
  readonly count: number
}

export interface LiveTask {
  /** Differs for all tasks that are due at the same time. */
  readonly name: string
  readonly kind: 'live_pull' | 'notification'
  readonly teamId: TeamId
  /** How many are done with it at once: notifications about one account. */
  readonly size: number
  /** Returns whether it was done. Throws what the store throws. */
  run(options: TaskOptions): Promise<boolean>
}

export interface TaskOptions {
  readonly signal: AbortSignal | undefined
  /** Whether a pull goes on until nothing is due; otherwise it makes room for others after a while. */
  readonly untilDone: boolean
  readonly pace?: Pace | undefined
}

/** How long ids of notifications are kept, so that a repetition is known. */
const KNOWN_MS = 7 * DAY_MS
const MOST_PULLS = 500
const MOST_REMEMBERED = 10_000
const AT_ONCE = 8

export class DueLive {
  private readonly teams = new LRUCache<UserId, TeamId>({ max: MOST_REMEMBERED })
  private readonly engine: EngineContext

  constructor(engine: EngineContext) {
    this.engine = engine
  }

  /** Returns what is due now: notifications first, because somebody waits for what they announce. */
  async tasks(): Promise<readonly LiveTask[]> {
    const { engine } = this
    const notified = (await dueNotifications(engine)).map(
      (each): LiveTask => ({
        name: `notification ${each.teamId} ${each.provider} ${each.accountId}`,
        kind: 'notification',
        teamId: each.teamId,
        size: each.records.length,
        run: ({ signal, pace }) => processNotified(engine, each, { holder: randomUUID(), signal, pace }),
      }),
    )
    const pulls: LiveTask[] = []
    for (const key of await engine.store.live.pulls.due(engine.wall.now(), null, MOST_PULLS)) {
      const teamId = await this.teamOf(key.userId)
      if (teamId === null) continue
      pulls.push({
        name: `pull ${key.userId} ${key.provider}`,
        kind: 'live_pull',
        teamId,
        size: 1,
        async run(options) {
          const { outcome } = await pullConnection(engine, key, { holder: randomUUID(), ...options })
          return outcome !== 'busy' && outcome !== 'none'
        },
      })
    }
    return [...notified, ...pulls]
  }

  private async teamOf(userId: UserId): Promise<TeamId | null> {
    const known = this.teams.get(userId)
    if (known !== undefined) return known
    const user = await this.engine.store.users.byId(userId)
    if (user) this.teams.set(userId, user.teamId)
    return user?.teamId ?? null
  }
}

/** Ends access that is to be ended, sees to subscriptions, and removes what is kept for a time only. Throws the signal's reason. */
export async function maintainLive(engine: EngineContext, signal: AbortSignal | undefined): Promise<RanLive[]> {
  const { pulls, notifications } = engine.store.live
  const now = engine.wall.now()
  await notifications.removeOld(now - KNOWN_MS)
  const ran: RanLive[] = [
    { kind: 'raw_answer', count: await pulls.removeRaw(now - RAW_KEPT_MS) },
    { kind: 'revocation', count: await revokeDue(engine, null, signal) },
    { kind: 'subscription', count: await ensureSubscriptions(engine, signal) },
  ]
  return ran.filter(({ count }) => count > 0)
}

/** Whether any team has a set-up: without one, nothing of this is ever due. */
async function hasSetups({ store }: Pick<EngineContext, 'store'>): Promise<boolean> {
  return (await store.live.setups.list(null)).length > 0
}

/** Does all that is due, each thing once. Throws the signal's reason, and what the store throws. */
export async function runLiveDue(engine: EngineContext, signal: AbortSignal | undefined): Promise<RanLive[]> {
  if (!(await hasSetups(engine))) return []
  const maintained = await maintainLive(engine, signal)
  const counts = new Map<LiveKind, number>()
  const tried = new Set<string>()
  const due = new DueLive(engine)
  for (;;) {
    signal?.throwIfAborted()
    const fresh = (await due.tasks()).filter(({ name }) => !tried.has(name))
    if (fresh.length === 0) break
    // a pull would keep the notifications about its connection waiting
    const notified = fresh.filter(({ kind }) => kind === 'notification')
    const waiting = (notified.length > 0 ? notified : fresh).values()
    const work = async (): Promise<void> => {
      for (const task of waiting) {
        signal?.throwIfAborted()
        tried.add(task.name)
        const isDone = await task.run({ signal, untilDone: true })
        if (isDone) counts.set(task.kind, (counts.get(task.kind) ?? 0) + task.size)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  return [...maintained, ...[...counts].map(([kind, count]) => ({ kind, count }))]
}
