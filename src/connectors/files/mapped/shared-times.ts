/** Determines how many of a file's rows share their time with rows that have other values, in bounded memory. */

/** Maximum number of times in memory. Beyond this number, only some of the times, chosen by hash, are observed. */
const MOST_TIMES = 50_000
/**
 * Minimum number and fraction of rows that must share their time to count as many. Smaller numbers are normal, because a clock change
 * repeats an hour and some readings are repeated.
 */
const MANY_ROWS = 10
const MANY_SHARE = 0.1

interface Time {
  readonly reading: number
  rows: number
  /** Position of the first row with another reading. */
  other: string | null
}

export class SharedTimes {
  private readonly times = new Map<number, Time>()
  /** One in this many times is observed. */
  private step = 1

  see(key: string, reading: string, position: string): void {
    const time = hashText(key)
    if (time % this.step !== 0) return
    const known = this.times.get(time)
    if (known !== undefined) {
      known.rows++
      known.other ??= known.reading === hashText(reading) ? null : position
      return
    }
    this.times.set(time, { reading: hashText(reading), rows: 1, other: null })
    if (this.times.size > MOST_TIMES) this.observeHalf()
  }

  /** Returns the fraction of rows whose time has several readings, from 0 to 1. */
  share(): number {
    return this.counted().share
  }

  /** Returns the percentage of rows whose time has several readings, and the position of the first one; null if there are not many. */
  shared(): { readonly percent: number; readonly position: string } | null {
    const { sharing, share, position } = this.counted()
    if (position === null || sharing < MANY_ROWS || share < MANY_SHARE) return null
    return { percent: Math.round(share * 100), position }
  }

  private counted(): { readonly sharing: number; readonly share: number; readonly position: string | null } {
    let rows = 0
    let sharing = 0
    let position: string | null = null
    for (const time of this.times.values()) {
      rows += time.rows
      if (time.other === null) continue
      sharing += time.rows
      position ??= time.other
    }
    return { sharing, share: rows === 0 ? 0 : sharing / rows, position }
  }

  private observeHalf(): void {
    this.step *= 2
    for (const time of this.times.keys()) if (time % this.step !== 0) this.times.delete(time)
  }
}

/** Returns a hash with 52 well-distributed bits. */
function hashText(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x9e3779b1)
    high = Math.imul(high ^ code, 0x5f356495)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return (high >>> 12) * 0x1_0000_0000 + (low >>> 0)
}
