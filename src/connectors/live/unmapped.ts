/** Counts the values of a provider that have no place here, by the provider's name of their kind. */

/** Maximum number of kinds. A provider's answer must not be able to fill the progress of a connection. */
const MOST_KINDS = 200
const OTHERS = 'others'

export class Unmapped {
  private readonly counts = new Map<string, number>()

  /** Counts values of a kind. The kind never holds a value. */
  count(kind: string, n = 1): void {
    if (n === 0) return
    const kept = this.counts.has(kind) || this.counts.size < MOST_KINDS ? kind : OTHERS
    this.counts.set(kept, (this.counts.get(kept) ?? 0) + n)
  }

  /** Returns the counts so far, and starts again at zero. */
  take(): Readonly<Record<string, number>> {
    const counts = Object.fromEntries(this.counts)
    this.counts.clear()
    return counts
  }
}
