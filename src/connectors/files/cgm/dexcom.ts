/** Importer for Dexcom Clarity exports: CSV files that start with rows about the person and the device, followed by one row per event. */
import { ServiceError } from '../../../core/errors.ts'
import { MINUTE_MS, parseDateTime, SECOND_MS } from '../../../core/time.ts'
import { instantIn, type RecordTime, WallClock } from '../../shared/record-time.ts'
import { headText } from '../bytes/text-encoding.ts'
import { parseCell } from '../csv/number.ts'
import { type CsvRow, csvRows } from '../csv/reader.ts'
import type { ImportContext, ImportFile } from '../importer.ts'
import { type RecordImport, type RecordSample, recordImporter } from '../records/import.ts'
import { conversionFor } from '../records/units.ts'

const HEADER = /^[^\r\n]*\bTimestamp \(YYYY-MM-DD[^\r\n]*\bEvent Type\b/

/** Types of the rows before the events. These rows contain names, a birth date and alert settings, and are not records. */
const ABOUT = new Set(['FirstName', 'LastName', 'DateOfBirth', 'PatientIdentifier', 'Device', 'Alert'])
/** Event types that the report may contain. No other words from the file appear in the report. */
const NAMED = new Set(['Health', 'Alert', 'Note', 'Notes', 'Meal', 'Device', 'Sensor', 'Session'])
const INSULIN_TYPES = new Map([
  ['fast-acting', 'rapid_acting'],
  ['long-acting', 'long_acting'],
])
const INTENSITIES = new Map([
  ['light', 'low'],
  ['medium', 'medium'],
  ['heavy', 'high'],
])
/** Source type of values that the person enters by hand in the app. */
const ENTERED = 'app'

/** Column positions (-1 for a missing column), and the conversion for the values of `glucose`. */
type Columns = ReturnType<typeof readColumns>

/** Imports glucose, calibrations (`fingerprick`), insulin, carbohydrates and exercise. Times are local times in the user's zone. */
export const dexcom = recordImporter({
  format: 'dexcom',
  title: 'Dexcom Clarity export (CSV)',
  kinds: {},
  recognizes: head => HEADER.test(headText(head) ?? ''),
  source: { provider: 'dexcom', sourceType: 'automatic' },
  steps,
})

async function* steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncGenerator<number> {
  let events: DexcomEvents | undefined
  for await (const { rows, bytesRead } of csvRows(file, context.signal)) {
    for (const row of rows) {
      if (events === undefined) events = new DexcomEvents(readColumns(row), context.timeZone, importing)
      else events.add(row)
    }
    yield bytesRead
  }
}

function readColumns({ cells }: CsvRow) {
  const names = (cells ?? []).map(name => name.trim().toLowerCase())
  const starting = (name: string): number => names.findIndex(each => each.startsWith(name))
  const glucose = starting('glucose value')
  const columns = {
    time: starting('timestamp'),
    type: starting('event type'),
    subtype: starting('event subtype'),
    glucose,
    insulin: starting('insulin value'),
    carbs: starting('carb value'),
    duration: starting('duration'),
  }
  const unit = /\(([^)]*)\)/.exec(cells?.[glucose] ?? '')?.[1] ?? ''
  const toMmol = conversionFor('glucose', unit)
  if (columns.time === -1 || columns.type === -1 || glucose === -1 || toMmol === null) {
    throw new ServiceError(
      'invalid_file',
      'The file is not a Dexcom Clarity export. Its first line must have the columns Timestamp, Event Type and Glucose Value, ' +
        'the last one with its unit, (mg/dL) or (mmol/L). Export the data from Clarity again and import the file unchanged.',
    )
  }
  return { ...columns, toMmol }
}

class DexcomEvents {
  private readonly columns: Columns
  private readonly zone: string | null
  private readonly clock: WallClock
  private readonly importing: RecordImport

  constructor(columns: Columns, zone: string | null, importing: RecordImport) {
    this.columns = columns
    this.zone = zone
    this.clock = new WallClock(zone)
    this.importing = importing
  }

  add({ cells, line }: CsvRow): void {
    const { columns, importing } = this
    const position = `line ${line}`
    const type = (cells?.[columns.type] ?? '').trim()
    const when = (cells?.[columns.time] ?? '').trim()
    if (cells !== null && when === '' && ABOUT.has(type)) return
    importing.records++
    if (cells === null) importing.skip('a row has misplaced quotes', position)
    else if (type === 'EGV') this.addGlucose(cells, when, 'a glucose reading', undefined, position)
    else if (type === 'Calibration') this.addGlucose(cells, when, 'a calibration', 'fingerprick', position)
    else if (type === 'Insulin') this.addInsulin(cells, when, position)
    else if (type === 'Carbs') this.addCarbs(cells, when, position)
    else if (type === 'Exercise') this.addExercise(cells, when, position)
    else
      importing.skip(
        NAMED.has(type) ? `${type} events are not imported` : 'events of other types are not imported',
        position,
      )
  }

  private addGlucose(
    cells: readonly string[],
    when: string,
    what: string,
    sourceType: string | undefined,
    position: string,
  ): void {
    const text = (cells[this.columns.glucose] ?? '').trim()
    const censored = /^(low|high)$/i.exec(text)?.[1]?.toLowerCase()
    if (censored !== undefined) {
      const side = censored === 'low' ? 'below' : 'above'
      this.importing.skip(
        `${what} is "${censored === 'low' ? 'Low' : 'High'}": ${side} the range of the sensor`,
        position,
      )
      return
    }
    const value = this.columns.toMmol(parseCell(text, true))
    this.store({ resource: 'glucose', value, ...(sourceType ? { sourceType } : {}) }, text, when, what, position)
  }

  private addInsulin(cells: readonly string[], when: string, position: string): void {
    const type = INSULIN_TYPES.get(this.readSubtype(cells))
    if (type === undefined) {
      this.importing.skip('an insulin event does not say whether it is fast-acting or long-acting', position)
      return
    }
    const text = (cells[this.columns.insulin] ?? '').trim()
    const value = parseCell(text, true)
    const sample = { resource: 'insulin_injection', type, value, sourceType: ENTERED }
    this.store(sample, text, when, 'an insulin event', position)
  }

  private addCarbs(cells: readonly string[], when: string, position: string): void {
    const text = (cells[this.columns.carbs] ?? '').trim()
    const value = parseCell(text, true)
    this.store({ resource: 'carbohydrates', value, sourceType: ENTERED }, text, when, 'a carbohydrates event', position)
  }

  private addExercise(cells: readonly string[], when: string, position: string): void {
    const text = (cells[this.columns.duration] ?? '').trim()
    const durationMs = parseDuration(text)
    const intensity = INTENSITIES.get(this.readSubtype(cells)) ?? null
    const sample = {
      resource: 'workout_duration',
      value: durationMs / MINUTE_MS,
      sourceType: ENTERED,
      text: { intensity },
    }
    this.store(sample, text, when, 'an exercise event', position, durationMs)
  }

  private readSubtype(cells: readonly string[]): string {
    return (cells[this.columns.subtype] ?? '').trim().toLowerCase()
  }

  private store(
    sample: Omit<RecordSample, 'start'>,
    text: string,
    when: string,
    what: string,
    position: string,
    durationMs = 0,
  ): void {
    if (text === '') {
      this.importing.skip(`${what} has no value`, position)
      return
    }
    const time = this.parseTime(when, sample.resource + (sample.sourceType ?? ''))
    const { ms: start, offset } = time ?? { ms: Number.NaN, offset: null }
    this.importing.add({ ...sample, start, end: start + durationMs, offset }, what, position)
  }

  /** Parses a time. `run` is the kind of event, because events of one kind are in chronological order. */
  private parseTime(when: string, run: string): RecordTime | undefined {
    const parsed = parseDateTime(when)
    if (parsed === undefined) return undefined
    return parsed.offset === 'floating' ? this.clock.read(parsed.local, run) : instantIn(parsed, this.zone)
  }
}

/** Converts `hh:mm:ss` to milliseconds, or returns NaN. */
function parseDuration(text: string): number {
  const m = /^(\d{1,3}):(\d{2}):(\d{2})$/.exec(text)
  return m ? (Number(m[1]) * 3600 + Number(m[2]) * 60 + Number(m[3])) * SECOND_MS : Number.NaN
}
