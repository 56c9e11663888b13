/** What an import did not store, counted by reason. */

/** A hostile file must not be able to make up reasons without end. */
const MAX_REASONS = 1000
const OTHER = 'other record types are not imported'

/** Reasons are sentences of ours; the only words of the file in them are type identifiers that passed `typeName`. */
export class SkipCounts {
  private readonly counts = new Map<string, number>()

  add(reason: string, count = 1): void {
    if (count === 0) return
    const known = this.counts.get(reason)
    if (known !== undefined) this.counts.set(reason, known + count)
    else if (this.counts.size < MAX_REASONS) this.counts.set(reason, count)
    else this.counts.set(OTHER, (this.counts.get(OTHER) ?? 0) + count)
  }

  entries(): IterableIterator<[string, number]> {
    return this.counts.entries()
  }
}
