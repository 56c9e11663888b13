/** Records of an export as samples, collected by series. */
import { resourceNamed } from '../../catalogue/resources.ts'
import type { SourceType } from '../../catalogue/source-types.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../core/time.ts'
import type { XmlAttributes } from './apple-attributes.ts'
import { BloodPressurePairs } from './apple-blood-pressure.ts'
import { SleepSegments } from './apple-sleep.ts'
import { APPLE_PROVIDER, type SourceTypes } from './apple-source.ts'
import type { TimeReader } from './apple-time.ts'
import { RECORD_RULES, type RecordRule, type SampleRule } from './apple-types.ts'
import { type Conversion, conversionOf, convert, MM_HG } from './apple-units.ts'
import type { SkipCounts } from './skip-counts.ts'

/** Samples of one series handed over at once. */
const BATCH_SAMPLES = 4096
const MAX_CACHED_TYPES = 4096

/** What is done with one record type, and the batches it fills. */
interface Lane {
  /** The type identifier, fit for a message. */
  readonly label: string
  readonly rule: RecordRule | null
  /** Whether the resource keeps an end; a sample at an instant has none. */
  readonly interval: boolean
  readonly builders: Map<string, SampleBatchBuilder>
}

/** Times before it are no health data but a clock that was never set. */
const EARLIEST_MS: EpochMs = 0

/**
 * Takes each top-level record once. What cannot be stored goes to `skips` under a reason that names the record type and never
 * the value. Full batches are put into `batches`; `finish` puts the rest there.
 */
export class AppleRecords {
  readonly batches: SampleBatch[] = []
  readonly sleep: SleepSegments
  private readonly pressure = new BloodPressurePairs()
  private readonly lanes = new Map<string, Lane>()
  /** By series: several record types fill the same one. */
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly time: TimeReader
  private readonly sources: SourceTypes
  private readonly skips: SkipCounts
  private readonly latestMs: EpochMs
  private start: EpochMs = 0
  private end: EpochMs = 0
  private offset = 0
  private endOffset = 0

  constructor(time: TimeReader, sources: SourceTypes, skips: SkipCounts, now: EpochMs) {
    this.time = time
    this.sources = sources
    this.skips = skips
    this.latestMs = now + DAY_MS
    this.sleep = new SleepSegments(skips)
  }

  add(attributes: XmlAttributes): void {
    const lane = this.laneOf(attributes)
    if (lane.rule === null) {
      this.skips.add(`${lane.label} is not imported`)
      return
    }
    if (!this.readTimes(attributes, lane.label)) return
    const rule = lane.rule
    if (rule.reads === 'sleep') {
      this.addSleep(attributes, lane)
      return
    }
    if (rule.reads === 'pressure') {
      this.addPressure(attributes, lane, rule.part)
      return
    }
    const type = rule.reads === 'category' ? rule.categories.get(attributes.getWord('value') ?? '') : rule.type
    if (type === undefined) {
      this.skips.add(`${lane.label} has a category that is not known`)
      return
    }
    const value = this.valueOf(attributes, lane, rule)
    if (value === undefined) return
    this.push(this.builderOf(lane, rule.resource, type, this.sources.of(attributes)), {
      start: this.start,
      end: lane.interval ? this.end : this.start,
      value,
      offset: this.offset,
      text: rule.text,
    })
  }

  /** Puts what is left into `batches`. */
  finish(): void {
    this.skips.add('diastolic readings joined with their systolic reading', this.pressure.joined)
    this.skips.add('blood pressure readings without their other half', this.pressure.unpaired)
    for (const builder of this.builders.values()) if (builder.n > 0) this.batches.push(builder.take())
  }

  private laneOf(attributes: XmlAttributes): Lane {
    const type = attributes.getWord('type') ?? ''
    const known = this.lanes.get(type)
    if (known !== undefined) return known
    const rule = RECORD_RULES.get(type) ?? null
    const interval = rule !== null && 'resource' in rule && resourceNamed(rule.resource)?.kind === 'interval'
    const lane: Lane = { label: typeLabel(type), rule, interval, builders: new Map() }
    if (this.lanes.size < MAX_CACHED_TYPES) this.lanes.set(type, lane)
    return lane
  }

  private readTimes(attributes: XmlAttributes, label: string): boolean {
    const { time } = this
    if (!time.read(attributes, 'startDate')) return this.refuse(`${label} has a start that is not a time`)
    this.start = time.ms
    this.offset = time.offset
    if (!time.read(attributes, 'endDate')) return this.refuse(`${label} has an end that is not a time`)
    this.end = time.ms
    this.endOffset = time.offset
    const problem = timesProblem(this.start, this.end, this.latestMs)
    return problem === undefined || this.refuse(`${label} ${problem}`)
  }

  private refuse(reason: string): false {
    this.skips.add(reason)
    return false
  }

  private valueOf(attributes: XmlAttributes, lane: Lane, rule: SampleRule): number | undefined {
    if (rule.reads === 'duration') return Math.round(((this.end - this.start) / MINUTE_MS) * 1e6) / 1e6
    if (rule.reads !== 'quantity') return 1
    return this.quantityOf(attributes, lane, rule.units)
  }

  private quantityOf(
    attributes: XmlAttributes,
    lane: Lane,
    units: ReadonlyMap<string, Conversion>,
  ): number | undefined {
    const unit = attributes.getWord('unit')
    const conversion = unit === undefined ? undefined : conversionOf(units, unit)
    if (conversion === undefined) {
      this.skips.add(`${lane.label} is in a unit that is not known`)
      return undefined
    }
    const index = attributes.find('value')
    const value = index === -1 ? Number.NaN : attributes.number(index)
    if (!Number.isFinite(value)) {
      this.skips.add(`${lane.label} has a value that is not a finite number`)
      return undefined
    }
    return convert(value, conversion)
  }

  private addSleep(attributes: XmlAttributes, lane: Lane): void {
    const stage = attributes.getWord('value') ?? ''
    const source = this.sources.of(attributes)
    const { start, end, endOffset } = this
    this.sleep.add(lane.label, source, attributes.getWord('sourceName') ?? '', stage, start, end, endOffset)
  }

  private addPressure(attributes: XmlAttributes, lane: Lane, part: 'systolic' | 'diastolic'): void {
    const value = this.quantityOf(attributes, lane, MM_HG)
    if (value === undefined) return
    const sourceName = attributes.getWord('sourceName') ?? ''
    const source = this.sources.of(attributes)
    const reading = this.pressure.add(part, source, sourceName, this.start, this.offset, value)
    if (reading === undefined) return
    const { start, offset, systolic, diastolic } = reading
    const builder = this.builderOf(lane, 'blood_pressure', null, source)
    this.push(builder, { start, value: systolic, second: diastolic, offset })
  }

  private builderOf(lane: Lane, resource: string, type: string | null, sourceType: SourceType): SampleBatchBuilder {
    const key = type === null ? sourceType : `${sourceType}/${type}`
    const cached = lane.builders.get(key)
    if (cached !== undefined) return cached
    const seriesKey = `${resource}/${key}`
    const builder =
      this.builders.get(seriesKey) ?? new SampleBatchBuilder({ resource, type, provider: APPLE_PROVIDER, sourceType })
    this.builders.set(seriesKey, builder)
    lane.builders.set(key, builder)
    return builder
  }

  private push(builder: SampleBatchBuilder, sample: SampleInput): void {
    builder.push(sample)
    if (builder.n >= BATCH_SAMPLES) this.batches.push(builder.take())
  }
}

/** What is wrong with the times of a record, ready to follow its name; undefined when they are right. */
export function timesProblem(start: EpochMs, end: EpochMs, latestMs: EpochMs): string | undefined {
  if (end < start) return 'ends before it starts'
  if (start > latestMs) return 'starts more than a day in the future'
  if (start < EARLIEST_MS) return 'starts before 1970'
  return undefined
}

/** A type identifier of the file as a reason may name it: only what looks like one of Apple's. */
export function typeLabel(type: string): string {
  return /^HK[A-Za-z0-9_]{1,80}$/.test(type) ? type : 'a record type that is not of Apple Health'
}
