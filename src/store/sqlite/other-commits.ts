/** Counts changes that a handle makes itself or sees from other handles. */

/** How long the result of a check for other handles' commits stays valid. */
const SEEN_WITHIN_MS = 50

export class OtherCommits {
  private readonly dataVersion: () => unknown
  private readonly own: { readonly count: number }
  private seen: unknown
  private commits = 0
  private lookedAt = Number.NEGATIVE_INFINITY

  constructor(dataVersion: () => unknown, own: { readonly count: number }) {
    this.dataVersion = dataVersion
    this.own = own
  }

  /** Returns the number of changes so far, or null if the last check was too long ago. */
  changes(): number | null {
    return performance.now() - this.lookedAt < SEEN_WITHIN_MS ? this.own.count + this.commits : null
  }

  /** Checks for other handles' commits that are visible to the open transaction, and returns the number of changes. */
  look(): number {
    const seen = this.dataVersion()
    if (seen !== this.seen) this.commits++
    this.seen = seen
    this.lookedAt = performance.now()
    return this.own.count + this.commits
  }
}
