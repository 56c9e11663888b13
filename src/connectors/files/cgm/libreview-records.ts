/** Converts a LibreView export's rows into samples, by record type. */
import type { TextColumn } from '../../../core/sample.ts'
import { type RecordTime, WallClock } from '../../shared/record-time.ts'
import { parseNumericDate } from '../csv/date.ts'
import { parseCell } from '../csv/number.ts'
import type { CsvRow } from '../csv/reader.ts'
import type { DateOrder } from '../importer.ts'
import type { RecordImport, RecordSample } from '../records/import.ts'
import type { LibreColumns } from './libreview-columns.ts'

/** Source type of values that the person enters by hand in the app or on the reader. */
const ENTERED = 'app'

/** Record types with their own glucose column. */
const GLUCOSE = new Map<string, GlucoseType>([
  ['0', { column: 'historic', sourceType: 'automatic', what: 'a historic glucose reading' }],
  ['1', { column: 'scan', sourceType: 'manual_scan', what: 'a scanned glucose reading' }],
  ['2', { column: 'strip', sourceType: 'fingerprick', what: 'a strip glucose reading' }],
])

interface GlucoseType {
  readonly column: 'historic' | 'scan' | 'strip'
  readonly sourceType: string
  readonly what: string
}

interface LibreReading {
  readonly columns: LibreColumns
  readonly order: DateOrder
  readonly zone: string | null
  readonly importing: RecordImport
}

/** Handles each row below the header once. A row is one record, even if it contains two samples (rapid-acting and long-acting insulin). */
export class LibreRecords {
  private readonly reading: LibreReading
  private readonly clock: WallClock

  constructor(reading: LibreReading) {
    this.reading = reading
    this.clock = new WallClock(reading.zone)
  }

  add({ cells, line }: CsvRow): void {
    const { columns, importing } = this.reading
    const position = `line ${line}`
    importing.records++
    if (cells === null) {
      importing.skip('a row has misplaced quotes', position)
      return
    }
    const cell = (column: number): string => (cells[column] ?? '').trim()
    const type = cell(columns.type)
    // rows are grouped by device and record type, each group in chronological order
    const time = this.parseTime(cell(columns.time), `${cell(columns.serial)} ${type}`)
    // counted once per row, although a row may contain several samples
    if (time === undefined) importing.skip('a row has a time that cannot be read', position)
    else this.addRow(type, { cell, time, position })
  }

  private addRow(type: string, row: Row): void {
    const { columns, importing } = this.reading
    const glucose = GLUCOSE.get(type)
    if (glucose !== undefined) {
      this.addGlucose(row, row.cell(columns[glucose.column]), glucose.sourceType, glucose.what)
    } else if (type === '3') importing.skip('ketone readings are not imported', row.position)
    else if (type === '4') this.addInsulin(row)
    else if (type === '5') this.addFood(row)
    else if (type === '6') this.addEvent(row)
    else importing.skip('records of types other than 0 to 6 are not imported', row.position)
    if (type !== '6') this.addNote(row)
  }

  private addGlucose(row: Row, text: string, sourceType: string, what: string): void {
    const { columns, importing } = this.reading
    const censored = /^(?:(lo|low)|hi|high)$/i.exec(text)
    if (text === '') importing.skip(`${what} has no value`, row.position)
    else if (censored) {
      const side = censored[1] ? '"LO": below' : '"HI": above'
      importing.skip(`${what} is ${side} the range of the sensor`, row.position)
    } else this.store(row, { resource: 'glucose', value: columns.toMmol(parseCell(text, true)), sourceType }, what)
  }

  private addInsulin(row: Row): void {
    const { columns, importing } = this.reading
    const amount = (column: number): number | undefined => {
      const text = row.cell(column)
      return text === '' ? undefined : parseCell(text, true)
    }
    const [meal, correction, change] = [amount(columns.meal), amount(columns.correction), amount(columns.change)]
    const parts = [meal, correction, change].filter(part => part !== undefined)
    const rapid = amount(columns.rapid) ?? (parts.length > 0 ? parts.reduce((sum, part) => sum + part, 0) : undefined)
    const long = amount(columns.long)
    const text = { bolus_purpose: insulinPurpose(meal, correction) }
    if (rapid !== undefined) this.addDose(row, 'rapid_acting', rapid, text)
    if (long !== undefined) this.addDose(row, 'long_acting', long, {})
    if (rapid === undefined && long === undefined) importing.skip('an insulin record has no amount', row.position)
  }

  private addDose(row: Row, type: string, value: number, text: Partial<Record<TextColumn, string | null>>): void {
    const sample = { resource: 'insulin_injection', type, value, sourceType: ENTERED, text }
    this.store(row, sample, 'an insulin record')
  }

  private addFood(row: Row): void {
    const { columns, importing } = this.reading
    const text = row.cell(columns.carbs)
    if (text !== '') {
      this.store(row, { resource: 'carbohydrates', value: parseCell(text, true), sourceType: ENTERED }, 'a food record')
    } else if (row.cell(columns.servings) !== '')
      importing.skip('a food record counts servings, not grams', row.position)
    else importing.skip('a food record has no amount', row.position)
  }

  /**
   * Stores a note. A record of this type without a note comes from the device itself, for example because of a new sensor or a changed
   * time.
   */
  private addEvent(row: Row): void {
    if (this.addNote(row)) return
    this.reading.importing.skip('a record of type 6 has no note', row.position)
  }

  private addNote(row: Row): boolean {
    const content = row.cell(this.reading.columns.notes)
    if (content === '') return false
    this.store(row, { resource: 'note', value: 0, sourceType: ENTERED, text: { content } }, 'a note')
    return true
  }

  private store({ time, position }: Row, sample: Omit<RecordSample, 'start'>, what: string): void {
    const { ms: start, offset } = time
    this.reading.importing.add({ ...sample, start, offset }, what, position)
  }

  private parseTime(text: string, run: string): RecordTime | undefined {
    const local = parseNumericDate(text, this.reading.order)
    return local === undefined ? undefined : this.clock.read(local, run)
  }
}

interface Row {
  readonly cell: (column: number) => string
  readonly time: RecordTime
  readonly position: string
}

function insulinPurpose(meal: number | undefined, correction: number | undefined): string | null {
  if (meal !== undefined && correction !== undefined) return 'mixed'
  if (meal !== undefined) return 'meal'
  return correction === undefined ? null : 'correction'
}
