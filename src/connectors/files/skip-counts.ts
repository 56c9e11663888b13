/** Counts the records that an import did not store, by reason, with the first positions of each reason. */
import { getOrInsert } from '../../core/maps.ts'
import type { ImportItem } from './importer.ts'

/** Maximum number of reasons, because a hostile file could create any number. */
const MAX_REASONS = 1000
const OTHER = 'other record types are not imported'
/** Maximum number of positions per reason. */
export const MOST_POSITIONS = 3

interface Skipped {
  count: number
  readonly places: string[]
}

/** Counts by reason. A reason's only words from the file are type identifiers and units of a known form. */
export class SkipCounts {
  private readonly known = new Map<string, Skipped>()

  /** Adds skipped records. `position` is a record's position in the file, such as `line 12`, `byte 4711` or `record 3`; never a value. */
  add(reason: string, count = 1, position?: string): void {
    if (count === 0) return
    const skipped = this.of(reason)
    skipped.count += count
    if (position !== undefined && skipped.places.length < MOST_POSITIONS) skipped.places.push(position)
  }

  *items(): Generator<ImportItem> {
    for (const [reason, { count, places }] of this.known) yield { kind: 'skipped', reason, count, places }
  }

  private of(reason: string): Skipped {
    const name = this.known.has(reason) || this.known.size < MAX_REASONS ? reason : OTHER
    return getOrInsert(this.known, name, () => ({ count: 0, places: [] }))
  }
}
