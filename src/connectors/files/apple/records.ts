/** Turns the records of an export into samples, collected by series. */
import { type SampleBatch, SampleBatchBuilder, type SampleInput } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../../core/time.ts'
import { PressurePairs } from '../records/pressure-pairs.ts'
import { timesProblem } from '../sample-collector.ts'
import type { SkipCounts } from '../skip-counts.ts'
import { decodeXml, type XmlAttributes } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import { PLACES } from '../xml/names.ts'
import { handlerOf, NO_TYPE, type RecordHandler } from './record-handlers.ts'
import { SleepSegments } from './sleep.ts'
import { type SourceTypes, USER_ENTERED } from './source.ts'
import type { TimeReader } from './time.ts'
import { convert } from './units.ts'

/** Number of samples of one series that are handed over at once. */
const BATCH_SAMPLES = 4096

/** Maximum number of blood pressure values that wait for their other half. A century of hourly readings fits. */
const MAX_WAITING = 1_000_000
const JOINED = 'blood pressure values joined with their other half'
const ALONE = 'blood pressure values without their other half'

/** The record whose tag was read and whose children may follow. */
interface OpenRecord {
  /** Null: no record is open, or it was skipped. */
  handler: RecordHandler | null
  sourceType: string
  sourceName: string
  /** The discriminating type, or the sleep stage. */
  type: string | null
  value: number
  start: EpochMs
  end: EpochMs
  offset: number
  endOffset: number
  byte: number
}

/**
 * Takes each top-level record once: `open`, its children, `close`. Records that cannot be stored are counted in `skips`, under a reason
 * that names the record type and never the value. Full batches are put into `batches`; `finish` puts the rest there.
 */
export class AppleRecords {
  readonly batches: SampleBatch[] = []
  readonly sleep: SleepSegments
  /** Keyed by time and source; the places are byte positions. */
  private readonly pressure: PressurePairs<string, number>
  private readonly handlers = new InternedTexts(handlerOf)
  private readonly userEntered = new InternedTexts(key => decodeXml(key) === USER_ENTERED)
  /** Keyed by series, because several record types fill the same one. */
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly time: TimeReader
  private readonly sources: SourceTypes
  private readonly skips: SkipCounts
  private readonly latestMs: EpochMs
  private readonly current: OpenRecord = {
    handler: null,
    sourceType: 'unknown',
    sourceName: '',
    type: null,
    value: 0,
    start: 0,
    end: 0,
    offset: 0,
    endOffset: 0,
    byte: 0,
  }

  constructor(time: TimeReader, sources: SourceTypes, skips: SkipCounts, now: EpochMs) {
    this.time = time
    this.sources = sources
    this.skips = skips
    this.latestMs = now + DAY_MS
    this.sleep = new SleepSegments(skips)
    this.pressure = new PressurePairs(byte => skips.add(ALONE, 1, `byte ${byte}`), MAX_WAITING)
  }

  open(attributes: XmlAttributes): void {
    const { current } = this
    current.handler = null
    const handler = this.handlerOf(attributes)
    if (handler.reads === 'nothing') this.skip(handler.unused, attributes)
    else if (this.readTimes(attributes, handler.label) && this.readValue(attributes, handler)) {
      current.sourceType = this.sources.of(attributes)
      current.handler = handler
    }
  }

  /** Handles a child of the record, which may state that a person entered the value. */
  child(name: string, attributes: XmlAttributes): void {
    if (this.current.handler === null || name !== 'MetadataEntry') return
    const key = attributes.at(PLACES.key)
    if (key === -1) return
    const isKey = this.userEntered.of(attributes.window, attributes.valueFrom(key), attributes.valueTo(key))
    if (isKey && attributes.get('value') === '1') this.current.sourceType = this.sources.typedIn
  }

  close(): void {
    const { current } = this
    const { handler } = current
    if (handler === null) return
    current.handler = null
    if (handler.reads === 'sleep') this.sleep.add(handler.label, { ...current, stage: current.type ?? '' })
    else if (handler.part !== null) this.addPressure(handler, handler.part)
    else {
      this.push(this.builderOf(handler, current.type, current.sourceType), {
        start: current.start,
        end: handler.interval ? current.end : current.start,
        value: current.value,
        offset: current.offset,
        text: handler.text,
      })
    }
  }

  /** Puts the remaining samples into `batches`. */
  finish(): void {
    this.pressure.finish()
    for (const builder of this.builders.values()) if (builder.n > 0) this.batches.push(builder.take())
  }

  private handlerOf(attributes: XmlAttributes): RecordHandler {
    const index = attributes.at(PLACES.type)
    if (index === -1) return NO_TYPE
    return this.handlers.of(attributes.window, attributes.valueFrom(index), attributes.valueTo(index))
  }

  private readTimes(attributes: XmlAttributes, label: string): boolean {
    const { time, current } = this
    if (!time.read(attributes, attributes.at(PLACES.startDate)))
      return this.skip(`${label} has no valid start time`, attributes)
    current.start = time.ms
    current.offset = time.offset
    if (!time.read(attributes, attributes.at(PLACES.endDate)))
      return this.skip(`${label} has no valid end time`, attributes)
    current.end = time.ms
    current.endOffset = time.offset
    const problem = timesProblem(current.start, current.end, this.latestMs)
    return problem === undefined || this.skip(`${label} ${problem}`, attributes)
  }

  /** Reads what the handler needs. Returns false when the record cannot be used. */
  private readValue(attributes: XmlAttributes, handler: RecordHandler): boolean {
    const { current } = this
    current.type = handler.type
    if (handler.reads === 'quantity') return this.readQuantity(attributes, handler)
    current.value = 1
    if (handler.reads === 'duration')
      current.value = Math.round(((current.end - current.start) / MINUTE_MS) * 1e6) / 1e6
    if (handler.reads === 'event' || handler.reads === 'duration') return true
    current.byte = attributes.byte
    current.sourceName = attributes.get('sourceName') ?? ''
    if (handler.reads === 'pressure') return this.readQuantity(attributes, handler)
    const index = attributes.at(PLACES.value)
    const word =
      index === -1
        ? undefined
        : handler.words.of(attributes.window, attributes.valueFrom(index), attributes.valueTo(index))
    if (word === undefined) return this.skip(`${handler.label} has an unknown category`, attributes)
    current.type = word
    return true
  }

  private readQuantity(attributes: XmlAttributes, handler: RecordHandler): boolean {
    const { window } = attributes
    const unit = attributes.at(PLACES.unit)
    const conversion =
      unit === -1 ? undefined : handler.units.of(window, attributes.valueFrom(unit), attributes.valueTo(unit))
    if (conversion === undefined) return this.skip(`${handler.label} has an unknown unit`, attributes)
    const index = attributes.at(PLACES.value)
    const value = index === -1 ? Number.NaN : attributes.number(index)
    if (!Number.isFinite(value))
      return this.skip(`${handler.label} has a value that is not a finite number`, attributes)
    this.current.value = convert(value, conversion)
    return true
  }

  private skip(reason: string, { byte }: XmlAttributes): false {
    this.skips.add(reason, 1, `byte ${byte}`)
    return false
  }

  private addPressure(handler: RecordHandler, part: 'systolic' | 'diastolic'): void {
    const { sourceType, sourceName, start, offset, value, byte } = this.current
    const reading = this.pressure.add(part, value, `${start} ${sourceType} ${sourceName}`, byte)
    if (reading === undefined) return
    this.skips.add(JOINED, 1, `byte ${byte}`)
    const builder = this.builderOf(handler, null, sourceType)
    this.push(builder, { start, value: reading.systolic, second: reading.diastolic, offset })
  }

  private builderOf(handler: RecordHandler, type: string | null, sourceType: string): SampleBatchBuilder {
    const key = type === null ? sourceType : `${sourceType}/${type}`
    const cached = handler.builders.get(key)
    if (cached !== undefined) return cached
    const { resource } = handler
    const seriesKey = `${resource}/${key}`
    const builder =
      this.builders.get(seriesKey) ??
      new SampleBatchBuilder({ resource, type, provider: this.sources.provider, sourceType })
    this.builders.set(seriesKey, builder)
    handler.builders.set(key, builder)
    return builder
  }

  private push(builder: SampleBatchBuilder, sample: SampleInput): void {
    builder.push(sample)
    if (builder.n >= BATCH_SAMPLES) this.batches.push(builder.take())
  }
}
