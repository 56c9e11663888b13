/** Finds out why a part of a sample does not count in the merge of an amount. See docs/interface/merging.md#merging-3. */
import type { EpochMs } from '../../../core/time.ts'
import { Spans } from '../merge/cover.ts'
import { DAY_TOTAL_MS, GAP_MS } from '../merge/sample-times.ts'
import type { LeftOutCode } from './left-out.ts'
import type { SourceNames } from './sources.ts'

interface Covering {
  readonly names: SourceNames
  readonly spans: Spans
}

export interface Uncounted {
  readonly code: LeftOutCode
  readonly rule: string
  readonly reason: string
}

/** The sources of one quantity, from the best one to the worst. */
export class AmountCover {
  private readonly better: Covering[] = []
  private own: Covering | null = null
  private done: EpochMs = Number.NEGATIVE_INFINITY

  /** Begins the next source. Its samples follow in order of time. */
  next(names: SourceNames): void {
    if (this.own) this.better.push(this.own)
    this.own = { names, spans: new Spans() }
    this.done = Number.NEGATIVE_INFINITY
  }

  /** Returns why a sample of the source does not count in full. Must be called once for each sample. */
  add(start: EpochMs, end: EpochMs, isReplaced: boolean): Uncounted {
    const isTotal = end - start >= DAY_TOTAL_MS
    const isRepeated = start < this.done
    if (!isTotal) {
      this.own?.spans.append(start, end, GAP_MS)
      this.done = Math.max(this.done, end)
    }
    if (isTotal) {
      const reason = 'the total of a day, and other samples cover enough of it'
      return { code: 'day_total', rule: 'merging-5', reason }
    }
    if (isReplaced) {
      return { code: 'replaced_by_total', rule: 'merging-5', reason: 'the total of the day counts instead' }
    }
    const by = this.better.find(({ spans }) => spans.overlap(start, Math.max(end, start + 1)))
    if (by) return { code: 'covered', rule: 'merging-3', reason: `${sourceText(by.names)} covers that time` }
    const overlap = 'an earlier sample of the same source covers that time'
    if (isRepeated) return { code: 'overlap', rule: 'merging-3', reason: overlap }
    return { code: 'covered', rule: 'merging-3', reason: 'a better source has a sample at that time' }
  }
}

/** Returns a source for people: `apple_health_kit watch`. */
export function sourceText({ provider, sourceType, app, device }: SourceNames): string {
  return [provider, sourceType, app && `(app ${app})`, device && `(device ${device})`].filter(Boolean).join(' ')
}
