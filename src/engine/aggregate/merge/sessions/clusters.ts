/** Groups the sessions that several sources recorded of the same night or workout. See docs/interface/merging.md#merging-10. */
import type { EpochMs } from '../../../../core/time.ts'
import type { TimeSlice } from '../../../../core/time-slice.ts'
import { IntervalIndex } from './interval-index.ts'
import { compareTimes, hasEnds, type Session } from './session.ts'

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
 * shares the most. So sessions that only resemble a third one stay apart. `sources` has the sessions of each source, best first.
 */
export async function clustersOf(
  sources: readonly (readonly Session[])[],
  compare: (better: Session, other: Session) => Comparison,
  slice: TimeSlice,
  signal: AbortSignal | undefined,
): Promise<readonly Cluster[]> {
  const clusters: Head[] = []
  const index = new IntervalIndex<Head>()
  for (const sessions of sources) {
    const added: Head[] = []
    for (const session of sessions) {
      let [best, of]: [Match | null, Head | null] = [null, null]
      if (hasEnds(session)) {
        for (const head of index.near(session)) {
          const found = compare(head.members[0].session, session)
          if (found.isSame && isBetter(found, head, best, of)) [best, of] = [found, head]
          if (slice.isOver) await slice.rest(signal)
        }
      }
      if (of === null) added.push({ start: session.start, end: session.end, members: [{ session, match: null }] })
      else of.members.push({ session, match: best })
      if (slice.isOver) await slice.rest(signal)
    }
    for (const head of added) {
      clusters.push(head)
      if (hasEnds(head)) index.add(head)
    }
  }
  return clusters.map(({ members }) => members).sort(([a], [b]) => compareTimes(a.session, b.session))
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
