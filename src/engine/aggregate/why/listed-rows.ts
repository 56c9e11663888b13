/** Keeps the oldest rows of many, in order of time. */

export class OldestRows<Row> {
  private rows: Row[] = []
  /** Number of all rows that were added. */
  total = 0
  private readonly limit: number
  private readonly compare: (a: Row, b: Row) => number

  constructor(limit: number, compare: (a: Row, b: Row) => number) {
    this.limit = limit
    this.compare = compare
  }

  add(row: Row): void {
    this.total++
    this.rows.push(row)
    // cut rarely, so that adding a row costs little on average
    if (this.rows.length > 2 * this.limit + 1000) this.rows = this.list()
  }

  /** Returns the oldest rows, up to the limit. */
  list(): Row[] {
    return this.rows.sort(this.compare).slice(0, this.limit)
  }
}
