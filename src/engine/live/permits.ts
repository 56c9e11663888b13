/**
 * Manages permits for requests to a provider, which come from a budget that all processes share. A process takes several permits at once,
 * and keeps them for as long as the store counts them.
 */
import { LRUCache } from 'lru-cache'
import type { RequestLimit } from '../../connectors/live/live-connector.ts'
import { ProviderError } from '../../connectors/provider-session.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import { type EpochMs, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { type BudgetLimit, LONGEST_PAUSE_MS } from '../../store/live/budgets.ts'
import type { EngineContext } from '../context.ts'
import { paused } from './backoff.ts'

/** Maximum number of permits per store request, so that a limit that allows many permits needs only a few requests. */
const MOST_AT_ONCE = { least: 16, most: 64, shareOfLimit: 1 / 50 }
/** Longest wait within a pull. If a longer wait is needed, the pull ends and is due again later. */
const MOST_WAIT_MS = 5 * MINUTE_MS
const LEAST_WAIT_MS = 5
const MOST_REMEMBERED = 10_000
/** Lifetime of permits for a provider without limits. They expire too, so that a pause requested by the provider is noticed. */
const MOST_KEPT_MS = 2_000
/** Maximum extension of a window, because requests take time to arrive. */
const MOST_SLACK_MS = 1_000
/** How often a waiting caller queries the store again, because a new OAuth app ends a pause. */
const LOOK_AGAIN_MS = 10 * SECOND_MS
const SLACK = 0.1
/** How long a connection count is accurate enough for limits that depend on it. */
const COUNT_MS = MINUTE_MS

/** The owner of the budget. */
export interface BudgetOwner {
  readonly teamId: TeamId
  readonly provider: string
  readonly limits: readonly RequestLimit[]
  /** Null for requests of the app itself. */
  readonly userId: UserId | null
}

/** This process's permits from one budget. */
interface Purse {
  left: number
  validUntil: EpochMs
  wanted: number
  asking: Promise<number> | null
  /**
   * End of a pause that the provider requested from this process. Permits that arrive during the pause are held until then. The pause is
   * written to the store a moment later.
   */
  blockedUntil: EpochMs
  /** When the provider requested the pause, by the monotonic clock. */
  blockedAt: number
}

export class Permits {
  private readonly purses = new LRUCache<string, Purse>({ max: MOST_REMEMBERED })
  private readonly counts = new LRUCache<string, number>({ max: MOST_REMEMBERED, ttl: COUNT_MS })

  /**
   * Takes one permit, and waits for it if necessary. Throws ProviderError `rate_limited` if the wait would be too long, and the signal's
   * reason.
   */
  async take(engine: EngineContext, owner: BudgetOwner, signal: AbortSignal | undefined): Promise<void> {
    const { provider, userId } = owner
    const began = engine.wall.now()
    const ofPerson = userId !== null && owner.limits.some(({ scope }) => scope === 'person')
    for (;;) {
      const until = ofPerson ? await this.takeFrom(engine, owner, userId, signal) : Number.POSITIVE_INFINITY
      await this.takeFrom(engine, owner, null, signal)
      // the person's permit may have expired while waiting for the app's permit
      if (engine.wall.now() < until) break
    }
    const ms = engine.wall.now() - began
    if (ms > 0) engine.observe?.({ kind: 'budget_wait', provider, ms })
  }

  /** Blocks all requests for a while, because the provider requested a pause. */
  async block(engine: EngineContext, owner: BudgetOwner, until: EpochMs): Promise<void> {
    // if every limit is per person, one person's refusal does not affect other people
    const isOfPerson = owner.limits.length > 0 && owner.limits.every(({ scope }) => scope === 'person')
    const whose = isOfPerson ? owner.userId : null
    const purse = this.findPurse(budgetName(owner, whose))
    purse.left = 0
    // immediately, because other callers may already be querying the store
    purse.blockedUntil = Math.max(purse.blockedUntil, until)
    purse.blockedAt = performance.now()
    await engine.store.live.budgets.block(owner.teamId, owner.provider, whose, until)
  }

  private async takeFrom(
    engine: EngineContext,
    owner: BudgetOwner,
    userId: UserId | null,
    signal: AbortSignal | undefined,
  ): Promise<EpochMs> {
    const purse = this.findPurse(budgetName(owner, userId))
    for (;;) {
      // from here on, use the store's pause, because another process may have ended it there
      if (performance.now() - purse.blockedAt > MOST_KEPT_MS) purse.blockedUntil = 0
      const pauseMs = purse.blockedUntil - engine.wall.now()
      if (pauseMs <= 0 && purse.left > 0 && engine.wall.now() < purse.validUntil) {
        purse.left--
        return purse.validUntil
      }
      signal?.throwIfAborted()
      const waitMs = pauseMs > 0 ? pauseMs : await this.asked(engine, owner, userId, purse)
      if (waitMs > MOST_WAIT_MS) {
        const message = `The request limit of ${owner.provider} is used up for the next ${Math.ceil(waitMs / 1000)} s.`
        throw new ProviderError('rate_limited', message, { retryAfterMs: Math.min(waitMs, LONGEST_PAUSE_MS) })
      }
      if (waitMs > 0) await paused(Math.min(waitMs, LOOK_AGAIN_MS), signal)
    }
  }

  /** Fills a purse. Callers that arrive in the meantime wait for the same store request. */
  private asked(engine: EngineContext, owner: BudgetOwner, userId: UserId | null, purse: Purse): Promise<number> {
    purse.asking ??= this.ask(engine, owner, userId, purse).finally(() => {
      purse.asking = null
    })
    return purse.asking
  }

  /** Fills a purse, and returns the time to wait if it stays empty. */
  private async ask(engine: EngineContext, owner: BudgetOwner, userId: UserId | null, purse: Purse): Promise<number> {
    const { teamId, provider } = owner
    const now = engine.wall.now()
    // if a caller used up the previous permits before they expired, take more of them
    const limits = await this.readLimits(engine, owner, userId)
    purse.wanted = purse.left === 0 && now < purse.validUntil ? Math.min(mostAtOnce(limits), purse.wanted * 2) : 1
    const request = { limits, wanted: purse.wanted, now }
    const share = await engine.store.live.budgets.take(teamId, provider, userId, request)
    purse.left = share.allowed
    purse.validUntil = Math.min(share.validUntil, now + MOST_KEPT_MS)
    return share.allowed > 0 ? 0 : Math.max(LEAST_WAIT_MS, share.waitMs)
  }

  /** Returns the limits for the app (null) or a person, including the increase for each connection. */
  async readLimits(
    engine: EngineContext,
    owner: Omit<BudgetOwner, 'userId'>,
    userId: UserId | null,
  ): Promise<readonly BudgetLimit[]> {
    const limits = owner.limits.filter(({ scope }) => scope === (userId === null ? 'app' : 'person'))
    const people = limits.some(({ mostForEachPerson = 0 }) => mostForEachPerson > 0)
      ? await this.countConnections(engine, owner.teamId, owner.provider)
      : 0
    return limits.map((limit: RequestLimit) => ({
      most: limit.most + people * (limit.mostForEachPerson ?? 0),
      windowMs: limit.windowMs + Math.round(Math.min(limit.windowMs * SLACK, MOST_SLACK_MS)),
    }))
  }

  private async countConnections(engine: EngineContext, teamId: TeamId, provider: string): Promise<number> {
    const name = `${teamId} ${provider}`
    const known = this.counts.get(name)
    if (known !== undefined) return known
    const figures = await engine.store.live.pulls.figures(teamId, engine.wall.now())
    const count = figures.find(each => each.provider === provider)?.connections ?? 0
    this.counts.set(name, count)
    return count
  }

  private findPurse(name: string): Purse {
    const known = this.purses.get(name)
    if (known) return known
    const purse: Purse = { left: 0, validUntil: 0, wanted: 1, asking: null, blockedUntil: 0, blockedAt: 0 }
    this.purses.set(name, purse)
    return purse
  }
}

function mostAtOnce(limits: readonly BudgetLimit[]): number {
  const { least, most, shareOfLimit } = MOST_AT_ONCE
  return Math.min(most, Math.max(least, ...limits.map(limit => Math.floor(limit.most * shareOfLimit))))
}

function budgetName({ teamId, provider }: Omit<BudgetOwner, 'userId'>, userId: UserId | null): string {
  return `${teamId} ${provider} ${userId ?? ''}`
}

/** Permits by the function that opens an engine's key. This function is the same in every context of one open engine. */
const permits = new WeakMap<EngineContext['masterKey'], Permits>()

/** Returns an open engine's permits, regardless of which store a call uses. */
export function sharedPermits({ masterKey }: EngineContext): Permits {
  const known = permits.get(masterKey) ?? new Permits()
  permits.set(masterKey, known)
  return known
}
