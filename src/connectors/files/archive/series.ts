/** Rules that make samples of the numbers in a record. */
import { kindsOfSamples, type SuppliedKinds } from '../../../catalogue/supplied-kinds.ts'
import type { TextColumn } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Column, PartRecord } from './record.ts'
import type { ArchiveRun } from './run.ts'

/** One value of a record. */
export interface SeriesRule {
  readonly column: Column
  /** Name in the REST path. */
  readonly resource: string
  /** Factor and divisor to the resource's unit. */
  readonly times?: number
  readonly per?: number
  /** A column to subtract from the value. A record without it has no value. */
  readonly minus?: Column
  /** The sample's `type`, which shows its kind. */
  readonly type?: string
  /** Numbers with which the provider says that nothing was measured. */
  readonly none?: readonly number[]
  /** A second value of the sample (diastolic). */
  readonly second?: Column
}

/** Returns a rule. */
export function rule(column: Column, resource: string, more: Partial<SeriesRule> = {}): SeriesRule {
  return { column, resource, ...more }
}

/** The time of samples, and what they say about their source. */
export interface SampleContext {
  readonly start: EpochMs
  readonly end?: EpochMs
  /** Offset in seconds east of UTC; null if unknown. */
  readonly offset: number | null
  readonly sourceType?: string
  readonly text?: Readonly<Partial<Record<TextColumn, string>>>
}

const NO_TEXT = {}

/** Adds the samples that the rules make of a record. Skips values that stand for no measurement. */
export function addSeries(
  run: ArchiveRun,
  rules: readonly SeriesRule[],
  record: PartRecord,
  context: SampleContext,
): void {
  for (const rule of rules) {
    const { resource, none, type, second } = rule
    const raw = record.number(rule.column)
    if (raw === undefined) continue
    if (none?.includes(raw)) {
      run.skip(`${run.family} values that stand for no measurement`)
      continue
    }
    const base = rule.minus === undefined ? 0 : record.number(rule.minus)
    const other = second === undefined ? undefined : record.number(second)
    if (base === undefined || (second !== undefined && other === undefined)) continue
    const value = scaled(raw - base, rule)
    const { start, end = start, offset, sourceType, text: own = NO_TEXT } = context
    const text = type === undefined ? own : { ...own, type }
    // written out, because spreading an object is many times slower
    const sample = { start, end, value, offset, text }
    run.sample(resource, other === undefined ? sample : { ...sample, second: other }, sourceType)
  }
}

/** Converts a value to its resource's unit, without the errors of binary fractions. */
export function scaled(
  value: number,
  { times = 1, per = 1, minus }: Pick<SeriesRule, 'times' | 'per' | 'minus'>,
): number {
  if (times === 1 && per === 1 && minus === undefined) return value
  return Math.round(((value * times) / per) * 1e6) / 1e6
}

/** Returns the kinds of the samples that an archive's rules make. */
export function kindsOfSeries(provider: string, rules: Iterable<Pick<SeriesRule, 'resource' | 'type'>>): SuppliedKinds {
  return kindsOfSamples(
    [...rules].map(({ resource, type }) => ({
      resource,
      text: type === undefined ? {} : { type },
      covers: 'interval' as const,
      provider,
      sourceType: 'unknown',
    })),
  )
}
