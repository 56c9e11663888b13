/** Tracks which times better sources cover: sorted time spans that do not touch, in epoch milliseconds, with exclusive ends. */
import type { EpochMs } from '../../../core/time.ts'

export class Spans {
  readonly starts: EpochMs[] = []
  readonly ends: EpochMs[] = []

  /** Adds a span that starts at or after the start of every earlier one. Spans that are at most `gapMs` apart become one. */
  append(start: EpochMs, end: EpochMs, gapMs: number): void {
    const last = this.ends.length - 1
    if (last < 0 || start - (this.ends[last] as number) > gapMs) {
      this.starts.push(start)
      this.ends.push(end)
    } else if (end > (this.ends[last] as number)) this.ends[last] = end
  }

  /** Whether a span overlaps [from, to). */
  overlap(from: EpochMs, to: EpochMs): boolean {
    const at = this.firstAfter(from)
    return at < this.starts.length && (this.starts[at] as number) < to
  }

  /** Whether one span contains [from, to). */
  contain(from: EpochMs, to: EpochMs): boolean {
    const at = this.firstAfter(from)
    return at < this.starts.length && (this.starts[at] as number) <= from && to <= (this.ends[at] as number)
  }

  /** Returns the first span that ends after a time. */
  firstAfter(time: EpochMs): number {
    let [low, high] = [0, this.ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.ends[middle] as number) <= time) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the spans that are in this list or in another one. */
  joinedWith(other: Spans): Spans {
    if (this.starts.length === 0) return other
    const joined = new Spans()
    for (let a = 0, b = 0; a < this.starts.length || b < other.starts.length; ) {
      const [one, at] =
        b === other.starts.length || (this.starts[a] as number) <= (other.starts[b] as number)
          ? [this, a++]
          : [other, b++]
      joined.append(one.starts[at] as number, one.ends[at] as number, 0)
    }
    return joined
  }
}

/** Reads the times between spans. Quick if the times that are asked for ascend. */
export class Uncovered {
  private at = 0
  private asked = Number.NEGATIVE_INFINITY
  private readonly spans: Spans

  constructor(spans: Spans) {
    this.spans = spans
  }

  /** Whether a span contains the time. */
  isCovered(time: EpochMs): boolean {
    this.skipTo(time)
    return this.at < this.spans.starts.length && (this.spans.starts[this.at] as number) <= time
  }

  /** Calls `found` with each part of [from, to) that no span contains, in order. */
  parts(from: EpochMs, to: EpochMs, found: (from: EpochMs, to: EpochMs) => void): void {
    const { starts, ends } = this.spans
    this.skipTo(from)
    let start = from
    for (let k = this.at; k < starts.length && (starts[k] as number) < to; k++) {
      if ((starts[k] as number) > start) found(start, starts[k] as number)
      start = Math.max(start, ends[k] as number)
    }
    if (start < to) found(start, to)
  }

  private skipTo(time: EpochMs): void {
    const { ends } = this.spans
    if (time < this.asked) this.at = 0
    this.asked = time
    while (this.at < ends.length && (ends[this.at] as number) <= time) this.at++
  }
}
