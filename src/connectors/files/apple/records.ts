/** Converts an export's records into samples, collected by series. */
import { NO_OFFSET, type SampleBatchBuilder } from '../../../core/sample.ts'
import { type EpochMs, localDate, MINUTE_MS } from '../../../core/time.ts'
import { HeartValues, ONLY_IN_SUMMARIES } from '../../shared/heart-values.ts'
import type { RecordImport } from '../records/import.ts'
import { PressurePairs } from '../records/pressure-pairs.ts'
import { SleepSegments } from '../sleep/segments.ts'
import { decodeXml, type XmlAttributes } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import { SLOTS } from '../xml/names.ts'
import { AppleCycles, type CycleRecord } from './cycles.ts'
import { AppleMeals, type FoodRecord, readFoodName } from './meals.ts'
import { createHandler, NO_TYPE, type RecordHandler } from './record-handlers.ts'
import { SLEEP_STAGES } from './sleep-stages.ts'
import { type SourceTypes, USER_ENTERED } from './source.ts'
import type { TimeReader } from './time.ts'
import { convert } from './units.ts'

/** Maximum number of blood pressure values that wait for their other half, enough for a century of hourly readings. */
const MAX_WAITING = 1_000_000
/** Metadata about a day of bleeding and about sexual activity. */
const CYCLE_FLAGS: ReadonlySet<string> = new Set(['HKMenstrualCycleStart', 'HKSexualActivityProtectionUsed'])
const JOINED = 'blood pressure values joined with their other half'
const ALONE = 'blood pressure values without their other half'

/** The open record, whose tag has been read and whose children may follow. */
interface OpenRecord extends FoodRecord, CycleRecord {
  /** Null if no record is open or the open record was skipped. */
  handler: RecordHandler | null
  sourceType: string
  /** Set for records whose sources are told apart, not only their source types. */
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
 * Handles each top-level record once: `open`, then its children, then `close`. Records that cannot be stored are skipped with a reason that
 * contains the record type but never the value.
 */
export class AppleRecords {
  readonly sleep: SleepSegments
  readonly meals: AppleMeals
  readonly cycles: AppleCycles
  readonly heart = new HeartValues()
  /** Waiting values by time and source. Positions are in bytes. */
  private readonly pressure: PressurePairs<string, number>
  private readonly handlers = new InternedTexts(createHandler)
  private readonly userEntered = new InternedTexts(key => decodeXml(key) === USER_ENTERED)
  private readonly time: TimeReader
  private readonly sources: SourceTypes
  private readonly importing: RecordImport
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
    foodName: '',
    flag: null,
  }

  constructor(time: TimeReader, sources: SourceTypes, importing: RecordImport) {
    this.time = time
    this.sources = sources
    this.importing = importing
    this.sleep = new SleepSegments(importing)
    this.meals = new AppleMeals(time, sources, importing)
    this.cycles = new AppleCycles(sources, importing)
    this.pressure = new PressurePairs(byte => importing.skip(ALONE, `byte ${byte}`), MAX_WAITING)
  }

  open(attributes: XmlAttributes): void {
    const { current } = this
    current.handler = null
    const handler = this.findHandler(attributes)
    if (handler.reads === 'nothing') this.skip(handler.unused, attributes)
    else if (this.readTimes(attributes, handler.label) && this.readValue(attributes, handler)) {
      current.sourceType = this.sources.of(attributes)
      current.handler = handler
    }
  }

  /** Handles a child of the record. The child may say that a person entered the value or that a cycle begins, or name a food. */
  child(name: string, attributes: XmlAttributes): void {
    const { handler } = this.current
    if (handler === null || name !== 'MetadataEntry') return
    if (handler.nutrient !== -1) readFoodName(this.current, attributes)
    const key = attributes.at(SLOTS.key)
    if (key === -1) return
    if (handler.cycle !== null && CYCLE_FLAGS.has(attributes.value(key)))
      this.current.flag = attributes.get('value') === '1'
    const isKey = this.userEntered.of(attributes.window, attributes.valueFrom(key), attributes.valueTo(key))
    if (isKey && attributes.get('value') === '1') this.current.sourceType = this.sources.typedIn
  }

  close(): void {
    const { current } = this
    const { handler } = current
    if (handler === null) return
    current.handler = null
    if (handler.nutrient !== -1) this.meals.list(current, handler.nutrient, current.value)
    if (handler.reads === 'sleep') {
      this.sleep.add(handler.label, { ...current, stage: SLEEP_STAGES.get(current.type ?? '') })
    } else if (handler.cycle !== null) this.cycles.add(handler.cycle, current)
    else if (handler.reads === 'resting') this.addResting()
    else if (handler.part !== null) this.addPressure(handler, handler.part)
    else if (handler.reads !== 'nutrient') {
      this.importing.collector.push(this.findBuilder(handler, current.type, current.sourceType), {
        start: current.start,
        end: handler.interval ? current.end : current.start,
        value: current.value,
        offset: current.offset,
        text: handler.text,
      })
      if (handler.isBasalTemperature) this.cycles.addTemperature(current)
      const { sourceType, start: at, value } = current
      if (handler.isVariability) this.heart.addVariability({ sourceType, at, value })
    }
  }

  /** Reads the date of the export, up to which the days of cycles are known. */
  readExportDate(attributes: XmlAttributes): void {
    const { time } = this
    if (!time.read(attributes, attributes.at(SLOTS.value))) return
    this.cycles.exportDate = localDate(time.ms, time.offset === NO_OFFSET ? null : time.offset)
  }

  /** Adds a record in a food's correlation to the open food. The file also lists it on its own, so it is not counted. */
  addToFood(attributes: XmlAttributes): void {
    const handler = this.findHandler(attributes)
    if (handler.nutrient === -1) return
    const value = quantityOf(attributes, handler)
    if (typeof value === 'number') this.meals.addToFood(attributes, handler.nutrient, value)
  }

  /** Adds the remaining items. Call this once after the last record. */
  finish(): void {
    this.pressure.finish()
    this.meals.finish()
    this.cycles.finish()
  }

  private addResting(): void {
    const { sourceType, start: at, value, offset, byte } = this.current
    this.heart.addResting(localDate(at, offset === NO_OFFSET ? null : offset), { sourceType, at, value })
    this.importing.skip(ONLY_IN_SUMMARIES, `byte ${byte}`)
  }

  private findHandler(attributes: XmlAttributes): RecordHandler {
    const index = attributes.at(SLOTS.type)
    if (index === -1) return NO_TYPE
    return this.handlers.of(attributes.window, attributes.valueFrom(index), attributes.valueTo(index))
  }

  private readTimes(attributes: XmlAttributes, label: string): boolean {
    const { time, current } = this
    if (!time.read(attributes, attributes.at(SLOTS.startDate)))
      return this.skip(`${label} has no valid start time`, attributes)
    current.start = time.ms
    current.offset = time.offset
    if (!time.read(attributes, attributes.at(SLOTS.endDate)))
      return this.skip(`${label} has no valid end time`, attributes)
    current.end = time.ms
    current.endOffset = time.offset
    const problem = this.importing.timesProblem(current.start, current.end)
    return problem === undefined || this.skip(`${label} ${problem}`, attributes)
  }

  /** Reads the fields that the handler needs. Returns false if the record cannot be used. */
  private readValue(attributes: XmlAttributes, handler: RecordHandler): boolean {
    const { current } = this
    current.type = handler.type
    if (handler.reads === 'quantity' && handler.nutrient === -1) return this.readQuantity(attributes, handler)
    current.value = 1
    if (handler.reads === 'duration')
      current.value = Math.round(((current.end - current.start) / MINUTE_MS) * 1e6) / 1e6
    if (handler.reads === 'event' || handler.reads === 'duration') return true
    current.byte = attributes.byte
    current.sourceName = attributes.get('sourceName') ?? ''
    if (handler.reads === 'pressure' || handler.reads === 'resting') return this.readQuantity(attributes, handler)
    current.foodName = ''
    current.flag = null
    if (handler.cycle !== null && handler.cycle.categories === null) return true
    if (handler.nutrient !== -1) return this.readQuantity(attributes, handler)
    const index = attributes.at(SLOTS.value)
    const word =
      index === -1
        ? undefined
        : handler.words.of(attributes.window, attributes.valueFrom(index), attributes.valueTo(index))
    if (word === undefined) return this.skip(`${handler.label} has an unknown category`, attributes)
    current.type = word
    return true
  }

  private readQuantity(attributes: XmlAttributes, handler: RecordHandler): boolean {
    const value = quantityOf(attributes, handler)
    if (typeof value === 'string') return this.skip(value, attributes)
    this.current.value = value
    return true
  }

  private skip(reason: string, { byte }: XmlAttributes): false {
    this.importing.skip(reason, `byte ${byte}`)
    return false
  }

  private addPressure(handler: RecordHandler, part: 'systolic' | 'diastolic'): void {
    const { sourceType, sourceName, start, offset, value, byte } = this.current
    const reading = this.pressure.add(part, value, `${start} ${sourceType} ${sourceName}`, byte)
    if (reading === undefined) return
    this.importing.skip(JOINED, `byte ${byte}`)
    const builder = this.findBuilder(handler, null, sourceType)
    this.importing.collector.push(builder, { start, value: reading.systolic, second: reading.diastolic, offset })
  }

  private findBuilder(handler: RecordHandler, type: string | null, sourceType: string): SampleBatchBuilder {
    const key = type === null ? sourceType : `${sourceType}/${type}`
    const cached = handler.builders.get(key)
    if (cached !== undefined) return cached
    const { resource } = handler
    const series = { resource, type, provider: this.sources.provider, sourceType }
    const builder = this.importing.collector.builderFor(series)
    handler.builders.set(key, builder)
    return builder
  }
}

/** Returns a record's value in its resource's unit, or the reason for skipping the record. */
function quantityOf(attributes: XmlAttributes, handler: RecordHandler): number | string {
  const { window } = attributes
  const unit = attributes.at(SLOTS.unit)
  const conversion =
    unit === -1 ? undefined : handler.units.of(window, attributes.valueFrom(unit), attributes.valueTo(unit))
  if (conversion === undefined) return `${handler.label} has an unknown unit`
  const index = attributes.at(SLOTS.value)
  const value = index === -1 ? Number.NaN : attributes.number(index)
  if (!Number.isFinite(value)) return `${handler.label} has a value that is not a finite number`
  if (handler.reads === 'nutrient') return value * conversion.factor
  return convert(value, conversion)
}
