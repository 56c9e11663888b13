/** Groups the sessions that several sources recorded of the same night or workout. See docs/interface/merging.md#merging-10. */
import type { EpochMs } from '../../../../core/time.ts'
import type { TimeSlice } from '../../../../core/time-slice.ts'
import type { Corrections } from './corrections.ts'
import { IntervalIndex } from './interval-index.ts'
import { compareTimes, hasEnds, overlap, type Session } from './session.ts'

/** Why two sessions are the same. */
export interface Match {
  /** Common time as a share of the shorter one. */
  readonly overlap: number
  readonly reason: () => string
}

/** How sessions of two sources compare. */
export interface Comparison extends Match {
  /** Whether they are the same night or workout. */
  readonly isSame: boolean
}

export interface Member {
  readonly session: Session
  /** Null for the session that the others are compared with. */
  readonly match: Match | null
}

/** The same night or workout in one or several sources, the best source first. */
export type Cluster = readonly [Member, ...Member[]]

/**
 * Returns clusters of sessions. A session joins the session of a better source that is the same; if there are several, the one with which it
 * shares the most. So sessions that only resemble a third one stay apart. Corrections come first. `sources` has the sessions of each source,
 * best first.
 */
export async function clustersOf(
  sources: readonly (readonly Session[])[],
  compare: (better: Session, other: Session) => Comparison,
  corrections: Corrections,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Cluster[]> {
  const clusters: Head[] = []
  const index = new IntervalIndex<Head>()
  const byGroup = new Map<string, Head>()
  for (const sessions of sources) {
    const added: Head[] = []
    for (const session of sessions.toSorted(compareTimes)) {
      let [best, of]: [Match | null, Head | null] = [null, null]
      const declared = corrections.isEmpty ? undefined : byGroup.get(corrections.group(session))
      if (declared) [best, of] = [declaredMatch(declared, session, corrections), declared]
      else if (hasEnds(session)) {
        for (const head of index.near(session)) {
          const found = compare(head.members[0].session, session)
          const fits = found.isSame && !corrections.areApart(head.members[0].session, session)
          if (fits && isBetter(found, head, best, of)) [best, of] = [found, head]
          if (slice.isOver) await slice.rest(signal)
        }
      }
      const head: Head = of ?? { start: session.start, end: session.end, members: [{ session, match: null }] }
      if (of === null) added.push(head)
      else {
        head.members.push({ session, match: best })
        corrections.join(head.members[0].session, session)
      }
      if (!corrections.isEmpty) byGroup.set(corrections.group(session), head)
      if (slice.isOver) await slice.rest(signal)
    }
    for (const head of added) {
      clusters.push(head)
      if (hasEnds(head)) index.add(head)
    }
  }
  return clusters.map(({ members }) => members).sort(([a], [b]) => compareTimes(a.session, b.session))
}

function declaredMatch({ members: [{ session: head }] }: Head, session: Session, corrections: Corrections): Match {
  return { overlap: overlap(head, session), reason: () => corrections.reason(session) ?? 'declared the same' }
}

/** A cluster with the times of its best session. */
interface Head {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly members: [Member, ...Member[]]
}

function isBetter(found: Match, head: Head, best: Match | null, of: Head | null): boolean {
  if (best === null || of === null || found.overlap !== best.overlap)
    return best === null || found.overlap > best.overlap
  return compareTimes(head.members[0].session, of.members[0].session) < 0
}
