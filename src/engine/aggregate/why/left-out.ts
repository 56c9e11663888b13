/** Counts the data that a number leaves out, by source and reason. See docs/interface/why.md#why-3. */
import type { LEFT_OUT_REASONS, WhyLeftOut } from '../../../contract/aggregates/why.ts'
import { getOrInsert } from '../../../core/maps.ts'
import type { SourceNames } from './sources.ts'

export type LeftOutCode = (typeof LEFT_OUT_REASONS)[number]

interface Counted {
  readonly source: SourceNames
  readonly code: LeftOutCode
  readonly reason: string
  readonly rule: string
  rows: number
  value: number | null
}

export class LeftOut {
  private readonly entries = new Map<SourceNames, Map<string, Counted>>()

  /** Adds one row, or a part of one. `value` is the amount that is left out, or null. */
  add(source: SourceNames, code: LeftOutCode, rule: string, reason: string, value: number | null): void {
    const own = getOrInsert(this.entries, source, () => new Map<string, Counted>())
    const entry = getOrInsert(own, reason, (): Counted => ({ source, code, reason, rule, rows: 0, value: null }))
    entry.rows++
    if (value !== null) entry.value = (entry.value ?? 0) + value
  }

  list(): WhyLeftOut[] {
    return [...this.entries.values()]
      .flatMap(own => [...own.values()])
      .map(({ source, code, reason, rule, rows, value }) => ({
        code,
        reason,
        rule,
        provider: source.provider,
        source_type: source.sourceType,
        app_id: source.app,
        device_id: source.device,
        rows,
        value,
      }))
  }
}
