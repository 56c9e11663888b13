/**
 * Pulls a live connection: the history in windows, newest first, then new data at the provider's pace. Progress is stored with the last
 * page of a window, so stopping at any point repeats at most one window, which does no harm.
 */
import { ProviderError, type ProviderErrorKind } from '../../../connectors/provider-session.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { CollectionProgress, LiveKey } from '../../../store/live/connections.ts'
import type { EngineContext } from '../../context.ts'
import { pauseAfter, uniform } from '../backoff.ts'
import { failLive } from '../failures.ts'
import { ensurePersonSubscriptions } from '../notifications/person-subscriptions.ts'
import { LeaseLost } from './lease.ts'
import { type LeaseOptions, type LivePerson, leaseConnection } from './live-person.ts'
import { afterWindow, isRefused, nextStep } from './progress.ts'
import { bringNothing, bringWindow, earliestDue, type WindowPull } from './pulled-pages.ts'
import { type Stepped, stepsUntilFailure } from './steps-at-once.ts'

/** Time after which a pull ends, once its window is complete, if others are waiting. */
const SLICE_MS = 20 * SECOND_MS
const RETRY = { firstMs: MINUTE_MS, mostMs: 6 * HOUR_MS }
/** How long to wait before retrying a collection that was refused because of a missing scope. */
const REFUSED_MS = DAY_MS
/** Maximum number of a person's collections that are pulled at once. Their transactions are synced together. */
const MOST_AT_ONCE = 4
/** Fraction of the interval over which polls are spread. */
const SPREAD = 0.1

export interface PullOptions extends LeaseOptions {
  /** Whether the pull continues until nothing is due. Otherwise, it ends after a while so that others can run. */
  readonly untilDone: boolean
}

/**
 * A pull's outcome. `done`: nothing is due any more. `unfinished`: some work is left for later, after a failure or a stop. `failed`: the
 * connection is now in error. `busy`: another process is pulling it. `none`: there is nothing to pull.
 */
export type PullOutcome = 'done' | 'unfinished' | 'failed' | 'busy' | 'none'

export interface PullReport {
  readonly outcome: PullOutcome
  /** Number of records received, plus samples that belong to no record. */
  readonly received: number
  /** Kind of the last failure. */
  readonly failure: ProviderErrorKind | null
}

/** Pulls a connection's due collections. Never throws ProviderError. Throws any store error. */
export async function pullConnection(engine: EngineContext, key: LiveKey, options: PullOptions): Promise<PullReport> {
  const person = await leaseConnection(engine, key, options)
  if (typeof person === 'string') return { outcome: person, received: 0, failure: null }
  const pull = new Pull(engine, person, options)
  let report: PullReport
  try {
    const outcome = await pull.run()
    report = pull.report(outcome)
    if (outcome !== 'failed') await subscribe(engine, person)
  } catch (error) {
    // another process has taken over or the caller stopped the pull; in both cases, due work stays due
    if (!(error instanceof LeaseLost) && !person.lease.signal.aborted) throw error
    report = pull.report('unfinished')
  } finally {
    await person.lease.release()
  }
  engine.observe?.({ kind: 'pull', provider: key.provider, outcome: report.outcome, records: report.received })
  return report
}

/** Maintains the person's subscriptions. If the token set is lost, the next pull notices it. */
async function subscribe(engine: EngineContext, person: LivePerson): Promise<void> {
  try {
    await ensurePersonSubscriptions(engine, person, person.lease.record.subscriptions)
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
  }
}

class Pull {
  private received = 0
  private failure: ProviderErrorKind | null = null
  /** Number of collections that failed since the last successful response. */
  private consecutiveFailures = 0
  private readonly began = performance.now()
  private readonly engine: EngineContext
  private readonly person: LivePerson
  private readonly options: Pick<PullOptions, 'untilDone'>

  constructor(engine: EngineContext, person: LivePerson, options: Pick<PullOptions, 'untilDone'>) {
    this.engine = engine
    this.person = person
    this.options = options
  }

  report(outcome: PullOutcome): PullReport {
    return { outcome, received: this.received, failure: this.failure }
  }

  async run(): Promise<PullOutcome> {
    const { lease, raw } = this.person
    for (;;) {
      const failed = await stepsUntilFailure({
        // stored responses are distinguished by their collection
        most: raw === null ? MOST_AT_ONCE : 1,
        next: underWay => (this.goesOn() ? this.nextDue(underWay) : null),
        step: (name, signal) => this.step(name, signal),
      })
      lease.signal.throwIfAborted()
      for (const { name, failure } of failed) {
        if (!(failure?.error instanceof ProviderError)) throw failure?.error
        const outcome = await this.failed(failure.error, name, failure.pull)
        if (outcome !== null) return outcome
      }
      if (this.nextDue(new Set()) === null) return this.failure === null ? 'done' : 'unfinished'
      if (!this.goesOn()) return 'unfinished'
    }
  }

  private goesOn(): boolean {
    if (this.person.lease.signal.aborted) return false
    return this.options.untilDone || performance.now() - this.began <= SLICE_MS
  }

  /** Returns a due collection that is not in progress: the one with the shortest history so far, so that all histories grow evenly. */
  private nextDue(underWay: ReadonlySet<string>): string | null {
    const now = this.engine.wall.now()
    const due = [...this.person.progress].filter(([name, { dueAt }]) => dueAt <= now && !underWay.has(name))
    const [first] = due.sort(([, a], [, b]) => b.reached - a.reached)
    return first?.[0] ?? null
  }

  /** Pulls a collection's next window. Returns the failure, if any. */
  private async step(name: string, signal: AbortSignal): Promise<Stepped> {
    const { person, engine } = this
    const collection = person.collections.find(each => each.name === name)
    const progress = person.progress.get(name)
    if (!collection || !progress) throw new Error('a collection without progress')
    const oldest = oldestWanted(person)
    const step = nextStep(collection, progress, { now: engine.wall.now(), oldest })
    const pullOf = (window: WindowPull['request']['window']): Omit<WindowPull, 'ended'> => ({
      collection,
      kind: step.kind,
      request: { window },
      events: progress.isComplete ? 'daily' : 'none',
      signal,
    })
    let current = step.windows[0] ?? { from: progress.until, to: progress.until }
    try {
      for (const window of step.windows) {
        current = window
        await this.window(pullOf(window), oldest)
      }
      return { name }
    } catch (error) {
      return { name, failure: { error, pull: pullOf(current) } }
    }
  }

  private async window(pull: Omit<WindowPull, 'ended'>, oldest: EpochMs): Promise<void> {
    const { engine, person } = this
    const { collection } = pull
    const brought = await bringWindow(engine, person, {
      ...pull,
      ended: yielded => {
        const before = person.progress.get(collection.name) as CollectionProgress // `step` found this collection
        const now = engine.wall.now()
        const nextAt = now + Math.round(collection.pollMs * (1 - SPREAD * uniform(engine.random)))
        return afterWindow(collection, before, yielded, { now, oldest, nextAt })
      },
    })
    this.received += brought.received
    this.consecutiveFailures = 0
  }

  /** Records a failure, and decides how to continue. Returns null if other collections can still be pulled. */
  private async failed(
    error: ProviderError,
    name: string,
    pull: Omit<WindowPull, 'ended'>,
  ): Promise<PullOutcome | null> {
    const { engine, person } = this
    const { kind, message } = error
    const before = person.progress.get(name) as CollectionProgress // `step` found this collection
    const now = engine.wall.now()
    this.failure = kind
    const failures = before.failures + 1
    const pauseMs = kind === 'scope_missing' ? REFUSED_MS : pauseAfter(failures, RETRY, engine.random)
    const dueAt = Math.ceil(now + Math.max(pauseMs, error.retryAfterMs ?? 0))
    const noted: CollectionProgress = { ...before, failures, dueAt, lastError: { kind, message, at: now } }
    if (isFatal(kind) || (kind === 'scope_missing' && this.isLastGranted(name))) {
      person.progress.set(name, noted)
      return this.stop(error, dueAt)
    }
    if (kind === 'scope_missing' || person.raw?.isEmpty === false) {
      // a resource that was only waiting for this collection may be complete now
      await bringNothing(engine, person, pull, noted)
      return null
    }
    person.progress.set(name, noted)
    // a missing response for one collection does not stop the others
    const isProviderAway = kind === 'rate_limited' || (kind === 'unavailable' && ++this.consecutiveFailures > 1)
    await this.note(isProviderAway ? dueAt : earliestDue(person.progress))
    return isProviderAway ? 'unfinished' : null
  }

  /** Returns whether the provider has already refused every other collection. */
  private isLastGranted(name: string): boolean {
    return [...this.person.progress].every(([other, progress]) => other === name || isRefused(progress))
  }

  /** Sets the connection to `error`, because only the person or the operator can resolve the failure. */
  private async stop(error: ProviderError, dueAt: EpochMs): Promise<PullOutcome> {
    const { engine, person } = this
    // if this process is killed before the connection is set to `error`, the next pull fails in the same way
    await this.note(dueAt)
    const { userId, teamId } = person.user
    await failLive(engine, { teamId, userId, provider: person.connector.provider }, error)
    await this.note(null)
    return 'failed'
  }

  private async note(dueAt: EpochMs | null): Promise<void> {
    const { person, engine } = this
    const key = { userId: person.user.userId, provider: person.connector.provider }
    const progress = Object.fromEntries(person.progress)
    const isNoted = await engine.store.live.pulls.note(key, { holder: person.lease.holder, progress, dueAt })
    if (!isNoted) throw new LeaseLost()
  }
}

function isFatal(kind: ProviderErrorKind): boolean {
  return kind === 'grant_lost' || kind === 'credentials'
}

/** Returns the earliest time for which the user's data is requested. Data before the ingestion bound is not stored. */
function oldestWanted({ user }: LivePerson): EpochMs {
  const start = user.ingestionStart === null ? undefined : parseDate(user.ingestionStart)
  return start === undefined ? Number.NEGATIVE_INFINITY : start - 2 * DAY_MS
}
