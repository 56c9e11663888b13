/**
 * The mapping threads. A team's pulls from a provider use one thread, so that pages that are slow or end the thread do not delay others. No
 * team or provider can occupy all threads.
 */
import type { PulledPage, PullRequest } from '../../connectors/connector.ts'
import type { TokenSession } from '../../connectors/provider-session.ts'
import type { Mapping, MappingOwner } from '../../engine/live/mapping/mapping.ts'
import { MappingThread } from './mapping-thread.ts'

/** Number of threads. A thread starts with its first pull. */
const THREADS = 4
const MOST_OF_ONE = THREADS / 2

interface AssignedPull {
  readonly owner: MappingOwner
  readonly thread: MappingThread
}

export class MappingThreads implements Mapping {
  private readonly threads: readonly MappingThread[]
  private readonly running = new Set<AssignedPull>()

  constructor(makeThread = () => new MappingThread()) {
    this.threads = Array.from({ length: THREADS }, makeThread)
  }

  async *pull(owner: MappingOwner, session: TokenSession, pullRequest: PullRequest): AsyncGenerator<PulledPage> {
    const assigned = { owner, thread: this.threadFor(owner) }
    this.running.add(assigned)
    try {
      yield* assigned.thread.pull(owner, session, pullRequest)
    } finally {
      this.running.delete(assigned)
    }
  }

  /** Ends the threads. Pulls in progress are interrupted. */
  async close(): Promise<void> {
    await Promise.all(this.threads.map(thread => thread.close()))
  }

  private threadFor({ teamId, provider }: MappingOwner): MappingThread {
    const running = [...this.running]
    const isOfTeam = ({ owner }: AssignedPull): boolean => owner.teamId === teamId
    const isOfProvider = ({ owner }: AssignedPull): boolean => owner.provider === provider
    const own = running.find(each => isOfTeam(each) && isOfProvider(each))
    if (own) return own.thread
    const ofTeam = new Set(running.filter(isOfTeam).map(({ thread }) => thread))
    const ofProvider = new Set(running.filter(isOfProvider).map(({ thread }) => thread))
    const mayHave = (taken: ReadonlySet<MappingThread>, thread: MappingThread): boolean =>
      taken.size < MOST_OF_ONE || taken.has(thread)
    const pullsOf = (thread: MappingThread): number => running.filter(each => each.thread === thread).length
    const [best] = this.threads
      // the two may have used different threads until now
      .filter(thread => mayHave(ofTeam, thread) && (mayHave(ofProvider, thread) || ofTeam.size >= MOST_OF_ONE))
      .sort((a, b) => pullsOf(a) - pullsOf(b))
    return best as MappingThread // a team can use some of the threads, but not all
  }
}
