/** Collects positions and counts of the rows that a salvage could not copy, without any values. */

/** A position at which rows are missing in the new folder. */
export interface RowLoss {
  readonly table: string
  readonly userId: string | null
  /** Description of the position, such as `samples of heartrate on 2026-01-02`. */
  readonly place: string
  readonly reason: string
  /** Number of missing rows. */
  readonly count: number
}

/** Maximum number of positions that are listed. Further ones are only counted. */
const MOST_NAMED = 1_000

export interface TableReport {
  readonly table: string
  readonly copied: number
  readonly left_out: number
  readonly unreadable_pages: number
}

export class Losses {
  readonly named: RowLoss[] = []
  /** Users whose data may have changed because of the losses. */
  readonly users = new Set<string>()
  /** Number of rebuilt rows, by kind. */
  readonly rebuilt = new Map<string, number>()
  private readonly tables = new Map<string, { copied: number; leftOut: number; pages: number }>()

  add(loss: RowLoss): void {
    this.of(loss.table).leftOut += loss.count
    if (loss.userId !== null) this.users.add(loss.userId)
    if (this.named.length < MOST_NAMED) this.named.push(loss)
  }

  rebuild(what: string, userId: string | null): void {
    this.rebuilt.set(what, (this.rebuilt.get(what) ?? 0) + 1)
    if (userId !== null) this.users.add(userId)
  }

  copied(table: string, count: number): void {
    this.of(table).copied += count
  }

  pages(table: string, count: number): void {
    this.of(table).pages += count
  }

  get leftOut(): number {
    return this.sum(each => each.leftOut)
  }

  get unreadablePages(): number {
    return this.sum(each => each.pages)
  }

  get report(): TableReport[] {
    return [...this.tables]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([table, { copied, leftOut, pages }]) => ({ table, copied, left_out: leftOut, unreadable_pages: pages }))
  }

  private sum(figure: (each: { copied: number; leftOut: number; pages: number }) => number): number {
    return [...this.tables.values()].reduce((sum, each) => sum + figure(each), 0)
  }

  private of(table: string): { copied: number; leftOut: number; pages: number } {
    let found = this.tables.get(table)
    if (!found) {
      found = { copied: 0, leftOut: 0, pages: 0 }
      this.tables.set(table, found)
    }
    return found
  }
}
