/** What an import did not store, counted by reason, with the first places of each. */
import type { ImportItem } from './importer.ts'

/** A hostile file must not be able to make up reasons without end. */
const MAX_REASONS = 1000
const OTHER = 'other record types are not imported'
/** How many places are named for a reason. */
export const MOST_PLACES = 3

interface Skipped {
  count: number
  readonly places: string[]
}

/** Reasons are sentences of ours; the only words of the file in them are type identifiers of a known form. */
export class SkipCounts {
  private readonly known = new Map<string, Skipped>()

  /** `place` says where in the file: `line 12`, `byte 4711`, `record 3`; never a value. */
  add(reason: string, count = 1, place?: string): void {
    if (count === 0) return
    const skipped = this.of(reason)
    skipped.count += count
    if (place !== undefined && skipped.places.length < MOST_PLACES) skipped.places.push(place)
  }

  *items(): Generator<ImportItem> {
    for (const [reason, { count, places }] of this.known) yield { kind: 'skipped', reason, count, places }
  }

  private of(reason: string): Skipped {
    const name = this.known.has(reason) || this.known.size < MAX_REASONS ? reason : OTHER
    let skipped = this.known.get(name)
    if (skipped === undefined) {
      skipped = { count: 0, places: [] }
      this.known.set(name, skipped)
    }
    return skipped
  }
}
