/** Converts a table's rows into samples, according to a mapping of its columns. */
import { neededTypes, resourceQueried, type TimeseriesResource } from '../../../catalogue/resources.ts'
import { isUuid } from '../../../core/ids.ts'
import { TEXT_COLUMNS, type TextColumn } from '../../../core/sample.ts'
import { hasTwoReadings, parseSettled } from '../csv/number.ts'
import type { RecordImport } from '../records/import.ts'
import { conversionFor, unsupportedUnit } from '../records/units.ts'
import type { Conventions } from './conventions.ts'
import type { ColumnMapping, MappingTarget } from './mapping.ts'
import { mappedOffset, mappedTime } from './time.ts'

/** Returns a row's cell for a target: '' if there is none, and null if it is not a text, a number or a list of texts. */
export type CellReader = (target: MappingTarget) => string | null

export interface RowReading extends Conventions {
  readonly mapping: ColumnMapping
  /** The mapping's zone, or else the user's. */
  readonly zone: string | null
  /** Returns the user's ID for an ID in a row. */
  readonly idOf: (id: string) => string
  readonly importing: RecordImport
}

/** Thrown for a row that cannot be stored, with the reason. Never leaves this module. */
class Unfit {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

const WHAT = 'a row'
const MOST_TEXT = 256
const MOST_NOTE = 65_536
const SOURCE_COLUMNS: ReadonlySet<TextColumn> = new Set(['app_id', 'device_id', 'workout_id', 'sport'])

/** Handles rows. Each row is a record, which becomes a sample or is skipped with a reason. */
export class MappedRows {
  private readonly reading: RowReading
  private readonly texts: readonly TextColumn[]

  constructor(reading: RowReading) {
    this.reading = reading
    const { columns } = reading.mapping
    this.texts = TEXT_COLUMNS.filter(name => columns[name] !== undefined)
  }

  add(cell: CellReader, position: string): void {
    const { importing } = this.reading
    importing.records++
    try {
      this.store(cell, position)
    } catch (error) {
      if (!(error instanceof Unfit)) throw error
      importing.skip(error.reason, position)
    }
  }

  private store(cell: CellReader, position: string): void {
    const { importing } = this.reading
    const resource = this.readResource(cell)
    const offset = this.readOffset(cell)
    const start = this.readTime(cell, 'start', offset)
    if (start === undefined)
      throw new Unfit(
        this.reading.mapping.columns.date === undefined ? 'a row has no start' : 'a row has no date or no time',
      )
    const end = this.readTime(cell, 'end', offset) ?? start
    const { type, text } = withType(this.readTexts(cell, resource), resource)
    const { ms, offset: east } = start
    const sample = { resource: resource.name, type, start: ms, end: end.ms, value: 0, offset: east, text }
    if (resource.shape === 'text') {
      importing.add(sample, WHAT, position)
      return
    }
    const convert = this.readConversion(cell, resource, type)
    if (resource.shape === 'value') {
      sample.value = convert(this.readNumber(cell, 'value'))
      importing.add(sample, WHAT, position)
      return
    }
    sample.value = convert(this.readNumber(cell, 'systolic'))
    importing.add(Object.assign(sample, { second: convert(this.readNumber(cell, 'diastolic')) }), WHAT, position)
  }

  private readResource(cell: CellReader): TimeseriesResource {
    const { mapping } = this.reading
    const named = mapping.columns.resource === undefined ? '' : read(cell, 'resource').trim()
    const name = named === '' ? mapping.resource : named
    if (name === null) throw new Unfit('a row does not name its resource')
    const resource = resourceQueried(name)
    if (resource === undefined) throw new Unfit('a row has an unknown resource')
    return resource
  }

  private readOffset(cell: CellReader): number | undefined {
    if (this.reading.mapping.columns.timezone_offset === undefined) return undefined
    const text = read(cell, 'timezone_offset')
    if (text.trim() === '') return undefined
    const offset = mappedOffset(text)
    if (offset === undefined) throw new Unfit('a row has an invalid time zone offset')
    return offset
  }

  private readTime(
    cell: CellReader,
    target: 'start' | 'end',
    offset: number | undefined,
  ): ReturnType<typeof mappedTime> {
    const { mapping, order, zone } = this.reading
    const isSplit = target === 'start' && mapping.columns.date !== undefined
    const text = isSplit ? splitTime(cell) : mapping.columns[target] === undefined ? '' : read(cell, target)
    if (text.trim() === '') return undefined
    const time = mappedTime(text, order, zone, offset)
    if (time !== undefined) return time
    if (isSplit) throw new Unfit('a row has a date or a time that cannot be read')
    throw new Unfit(`a row has ${target === 'start' ? 'a start' : 'an end'} that cannot be read as a time`)
  }

  private readConversion(
    cell: CellReader,
    resource: TimeseriesResource,
    type: string | null,
  ): (value: number) => number {
    const { mapping } = this.reading
    const named = mapping.columns.unit === undefined ? '' : read(cell, 'unit').trim()
    const unit = named === '' ? mapping.unit : named
    const convert = unit === null ? (value: number) => value : conversionFor(resource.name, unit, type)
    if (convert === null) throw new Unfit(`a row of ${resource.name} ${unsupportedUnit(unit ?? undefined)}`)
    return convert
  }

  private readNumber(cell: CellReader, target: 'value' | 'systolic' | 'diastolic'): number {
    if (this.reading.mapping.columns[target] === undefined)
      throw new Unfit(`a row needs a ${target}, but no column is mapped to it`)
    const text = read(cell, target)
    if (text.trim() === '') throw new Unfit('a row has no value')
    const { decimals } = this.reading
    const value = parseSettled(text, decimals)
    if (Number.isFinite(value)) return value
    const isOpen = decimals === 'open' && hasTwoReadings(text)
    throw new Unfit(
      `a row has a value that ${isOpen ? 'is ambiguous: decimals or thousands' : 'is not a plain number'}`,
    )
  }

  /** Returns the mapped text columns that the row's resource has. */
  private readTexts(cell: CellReader, resource: TimeseriesResource): Partial<Record<TextColumn, string>> {
    const texts: Partial<Record<TextColumn, string>> = {}
    for (const name of this.texts) {
      const isOwn = resource.fields.includes(name) || SOURCE_COLUMNS.has(name)
      if (!isOwn && !(name === 'content' && resource.shape === 'text')) continue
      const text = read(cell, name).trim()
      if (text === '') continue
      if (text.length > (name === 'content' ? MOST_NOTE : MOST_TEXT))
        throw new Unfit(`a row has a ${name} that is too long`)
      texts[name] = this.readText(name, text)
    }
    if (resource.shape === 'text' && texts.content === undefined) throw new Unfit('a row of note has no content')
    return texts
  }

  private readText(name: TextColumn, text: string): string {
    if (name === 'tags') return splitTags(text)
    if (name === 'workout_id') return this.reading.idOf(text)
    if (name === 'device_id' && !isUuid(text)) throw new Unfit('a row has a device_id that is not a UUID')
    return text
  }
}

/** Returns the date-time of a row with separate columns for date and time, or '' if either is empty. */
function splitTime(cell: CellReader): string {
  const [date, time] = [read(cell, 'date').trim(), read(cell, 'time').trim()]
  return date === '' || time === '' ? '' : `${date} ${time}`
}

function read(cell: CellReader, target: MappingTarget): string {
  const text = cell(target)
  if (text === null) throw new Unfit(`a row has a ${target} that is neither text nor a number`)
  return text
}

/** Separates the discriminating type, which is part of the series key, from the other texts. */
function withType(
  { type, ...others }: Partial<Record<TextColumn, string>>,
  resource: TimeseriesResource,
): { readonly type: string | null; readonly text: Partial<Record<TextColumn, string>> } {
  if (resource.discriminator === undefined)
    return { type: null, text: type === undefined ? others : { type, ...others } }
  if (type === undefined && neededTypes(resource) !== undefined) {
    throw new Unfit(`a row of ${resource.name} has no type`)
  }
  return { type: type ?? null, text: others }
}

/** Returns a cell's tags as a list. They are separated by commas, semicolons or vertical bars. */
function splitTags(text: string): string {
  const tags = text.split(/[,;|]/).flatMap(tag => (tag.trim() === '' ? [] : [tag.trim()]))
  return JSON.stringify(tags)
}
