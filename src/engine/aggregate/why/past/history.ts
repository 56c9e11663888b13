/** What the store keeps about changes of a user's data, as far as an earlier time depends on it. */
import type { TeamId, UserId } from '../../../../core/ids.ts'
import type { EpochMs } from '../../../../core/time.ts'
import type { AuditEntry } from '../../../../store/audit.ts'
import type { KeptEvents, PastImport } from '../../../../store/history.ts'
import type { Store } from '../../../../store/port.ts'
import { Uncertainty } from './uncertainty.ts'

export interface PastAsked {
  readonly store: Pick<Store, 'history' | 'audit' | 'connections' | 'samples' | 'summaries' | 'sessionMatches'>
  readonly teamId: TeamId
  readonly userId: UserId
  /** The time that is asked about. */
  readonly at: EpochMs
  readonly signal: AbortSignal | undefined
}

/** Most entries of the audit trail that are read for one operation. */
const MOST_ENTRIES = 10_000

/** A user's imports, events and other changes. */
export class History {
  readonly uncertain = new Uncertainty()
  readonly asked: PastAsked
  readonly imports: readonly PastImport[]
  private readonly kept: KeptEvents

  private constructor(asked: PastAsked, imports: readonly PastImport[], kept: KeptEvents) {
    this.asked = asked
    this.imports = imports
    this.kept = kept
  }

  static async open(asked: PastAsked): Promise<History> {
    const { store, userId } = asked
    const [imports, kept] = [await store.history.imports(userId), await store.history.keptEvents(userId)]
    const history = new History(asked, imports, kept)
    await history.noteReplacements()
    return history
  }

  /**
   * Returns the last time at which data of a provider may have come in without an event that contains it; null if there was none. `name` is
   * the name of the resource or summary in events.
   */
  silentUntil(provider: string, name: string): EpochMs | null {
    const { since, announcements } = this.kept
    const times = announcements.filter(each => each.provider === provider && each.name === name).map(({ at }) => at)
    if (since !== null) times.push(since)
    return times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b))
  }

  /** Whether a provider's data may have been replaced without an event after one time and up to another. */
  mayBeSilent(provider: string, name: string, after: EpochMs, until: EpochMs): boolean {
    return this.kept.announcements.some(
      each => each.provider === provider && each.name === name && each.at > after && each.at <= until,
    )
  }

  /** Notes the live pulls and deletions after the time that may have removed data of a resource or summary without a trace. */
  async noteRemovals(name: string, ...names: readonly string[]): Promise<void> {
    const { store, userId, at } = this.asked
    const live = ((await store.connections.ofUsers([userId])).get(userId) ?? []).filter(({ isLive }) => isLive)
    for (const { provider, resource, lastAttemptAt } of await store.history.pulls(userId)) {
      const isLive = live.some(each => each.provider === provider)
      if (isLive && resource === name && lastAttemptAt !== null && lastAttemptAt > at)
        this.uncertain.add(lastAttemptAt, `pulls from ${provider} after it may have removed or replaced data`)
    }
    for (const { importId, at: began, undoneAt, hasEvents, names: brought } of this.imports) {
      const isBetween = began <= at && undoneAt !== null && undoneAt > at
      if (isBetween && !hasEvents && [name, ...names].some(each => brought.includes(each)))
        this.uncertain.add(undoneAt, `import ${importId} was undone after it, and its data is not kept`)
    }
  }

  /** Notes the last call of an operation on the user after the time. */
  async noteCalls(operation: string, reason: string): Promise<void> {
    const [last] = await this.callsAfter(operation)
    if (last) this.uncertain.add(last.at, reason)
  }

  /** Returns the successful calls of an operation on the user after the time, newest first. */
  async callsAfter(operation: string, since = this.asked.at + 1): Promise<readonly AuditEntry[]> {
    const { store, teamId, userId } = this.asked
    const entries = await store.audit.list({ teamId, operation, since, before: null, limit: MOST_ENTRIES })
    const oldest = entries.at(-1)
    if (oldest && entries.length === MOST_ENTRIES)
      this.uncertain.add(oldest.at, 'the audit trail has too many entries after it to be read')
    return entries.filter(({ object, outcome }) => object['user_id'] === userId && outcome === 'ok')
  }

  /** Notes changes that replaced the whole store, or ended a connection with its records, after the time. */
  private async noteReplacements(): Promise<void> {
    const { store, at } = this.asked
    for (const operation of ['snapshot.restore', 'engine.reset', 'recording.replay']) {
      const asked = { teamId: null, operation, since: at + 1, before: null, limit: 1 }
      const [last] = await store.audit.list(asked)
      if (last) this.uncertain.add(last.at, 'the whole store was replaced after it')
    }
    await this.noteCalls('user.disconnect', 'a connection was removed after it, with what was known about its pulls')
  }
}
