/** Applies what people declare about sessions: that two are the same, or are not. See docs/interface/merging.md#merging-16. */

import { type EpochMs, formatDate } from '../../../../core/time.ts'
import { SessionGroups } from '../../../../store/session-groups.ts'
import type { SessionMatch } from '../../../../store/session-match.ts'
import { hasEnds, type Session } from './session.ts'

/** The corrections that count in one merge, and the groups of sessions that it has made until now. */
export class Corrections {
  /** Whether no correction counts, so that there is nothing to look up. */
  readonly isEmpty: boolean
  /** Sessions that were declared the same. */
  private readonly declared = new SessionGroups()
  /** The same groups, and those that rules have made from them. */
  private readonly groups = new SessionGroups()
  /** When a stored session was last declared the same as another one, by ID. */
  private readonly declaredAt = new Map<string, EpochMs>()

  /** A correction counts if both sessions are among these, and have usable ends. */
  constructor(matches: readonly SessionMatch[], sessions: Iterable<Session>) {
    const ids = new Set<string>()
    if (matches.length > 0) for (const session of sessions) if (hasEnds(session)) ids.add(session.row.id)
    const counting = matches.filter(({ firstId, secondId }) => ids.has(firstId) && ids.has(secondId))
    this.isEmpty = counting.length === 0
    for (const { firstId, secondId, isSame, declaredAt } of counting) {
      if (!isSame) continue
      for (const groups of [this.declared, this.groups]) groups.join(firstId, secondId)
      for (const id of [firstId, secondId])
        this.declaredAt.set(id, Math.max(declaredAt, this.declaredAt.get(id) ?? declaredAt))
    }
    for (const { firstId, secondId, isSame } of counting) if (!isSame) this.groups.keepApart(firstId, secondId)
  }

  /** Returns the group of a session. All stored sessions of a joined night are in one group. */
  group({ row }: Session): string {
    return this.groups.group(row.id)
  }

  areTogether(a: Session, b: Session): boolean {
    return !this.isEmpty && this.group(a) === this.group(b)
  }

  /** Returns whether a session that belongs with the one was declared different from a session that belongs with the other. */
  areApart(a: Session, b: Session): boolean {
    return !this.isEmpty && this.groups.areApart(a.row.id, b.row.id)
  }

  /** Records that a rule has joined two sessions, which must not be apart. */
  join(a: Session, b: Session): void {
    if (!this.isEmpty) this.groups.join(a.row.id, b.row.id)
  }

  /** Returns whether two sessions were declared the same, directly or through others. */
  areDeclaredSame(a: Session, b: Session): boolean {
    if (this.isEmpty) return false
    const own = new Set(storedIds(a).map(id => this.declared.group(id)))
    return storedIds(b).some(id => own.has(this.declared.group(id)))
  }

  /** Returns why a session is in a group although no rule joined it, or null if it was not declared the same as another one. */
  reason(session: Session): string | null {
    const times = storedIds(session).flatMap(id => this.declaredAt.get(id) ?? [])
    return times.length === 0 ? null : `declared the same on ${formatDate(Math.max(...times))}`
  }
}

function storedIds({ parts, versions }: Session): readonly string[] {
  return [...parts.map(({ id }) => id), ...versions.map(({ row }) => row.id)]
}
