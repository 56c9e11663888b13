/** Reads the samples of a Health Connect export. Reads by index are unchecked (`as number`), because the loops are hot and stay in range. */
import type { SampleInput, TextColumn } from '../../../core/sample.ts'
import { type EpochMs, MINUTE_MS } from '../../../core/time.ts'
import { ONLY_IN_SUMMARIES } from '../../shared/heart-values.ts'
import { convert } from '../records/conversion.ts'
import type { HeartDays } from '../sqlite/heart-days.ts'
import type { RecordedBy } from '../sqlite/recorded-by.ts'
import { missingColumn, type Rows, readRows, skipTable } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'
import { NO_OFFSET_POSSIBLE, offsetAt, type Reading } from './records.ts'
import {
  INSTANT,
  INTERVAL,
  LOCATIONS,
  type SampleRule,
  type SeriesRule,
  SKIN_LOCATIONS,
  SOURCE_COLUMNS,
} from './tables.ts'
import type { Workouts } from './workouts.ts'

/** What samples are also part of. */
export interface SampleUses {
  readonly workouts: Workouts
  readonly heart: HeartDays
}

const OUTSIDE = 'is not within a workout of its app'

type Text = Readonly<Partial<Record<TextColumn, string>>>

/** Adds the rows of a table as samples. Yields after each batch. */
export async function* addSamples(
  reading: Reading,
  table: Table,
  rule: SampleRule,
  uses: SampleUses,
): AsyncGenerator<void> {
  const { reader, importing } = reading
  const { times, value, second, location } = rule
  const needed = [times.start, times.end, ...[value, second].filter(each => typeof each === 'string')]
  const missing = missingColumn(table, needed)
  if (missing !== undefined) return skipTable(importing, reader, table, `${table.name} lacks the column ${missing}`)
  const columns = [...new Set([...needed, times.offset, ...SOURCE_COLUMNS, ...(location ? [location] : [])])]
  const factor = { factor: rule.factor ?? 1, plus: 0 }
  for await (const rows of readRows(reader, table, columns)) {
    const [starts, ends] = [rows.numbers(times.start), rows.numbers(times.end)]
    const values = value === null ? undefined : rows.numbers(value)
    const seconds = second === undefined ? undefined : rows.numbers(second)
    const places = location === undefined ? undefined : rows.numbers(location)
    const records = new BatchRecords(reading, table, rows, times.offset)
    for (let i = 0; i < rows.n; i++) {
      const [start, end] = [starts[i] as number, ends[i] as number]
      const amount = values === undefined ? (end - start) / MINUTE_MS : (values[i] as number)
      const sample = { start, end, value: convert(amount, factor), second: seconds?.[i] }
      const source =
        rule.resource === null
          ? records.addValue(i, start, sample.value)
          : records.add(i, rule.resource, sample, places && LOCATIONS[places[i] as number])
      if (source === undefined) continue
      const isUsed = rule.total !== undefined && uses.workouts.addTotal(source, rule.total, sample)
      if (!isUsed && rule.resource === null) records.skip(i, OUTSIDE)
      if (rule.resource === 'hrv') uses.heart.addVariability(source, start, sample.value)
    }
    yield
  }
}

/** Adds the values of a table with series. Yields after each batch. */
export async function* addSeries(
  reading: Reading,
  table: Table,
  rule: SeriesRule,
  uses: SampleUses,
): AsyncGenerator<void> {
  const { reader, importing, tables } = reading
  const parent = tables.get(rule.parent)
  const missing = missingColumn(table, ['parent_key', 'epoch_millis', rule.value])
  if (missing !== undefined) return skipTable(importing, reader, table, `${table.name} lacks the column ${missing}`)
  if (parent?.rowNumber !== 'row_id')
    return skipTable(importing, reader, table, `${table.name} has no table with its records`)
  const isSkin = rule.parent === 'skin_temperature_record_table'
  const common = [INTERVAL.offset, ...SOURCE_COLUMNS, ...(isSkin ? ['measurement_location'] : [])]
  const columns = { table: parent, key: 'parent_key', columns: ['row_id', ...common] }
  for await (const rows of readRows(reader, table, ['epoch_millis', rule.value], columns)) {
    const [times, values, parents] = [rows.numbers('epoch_millis'), rows.numbers(rule.value), rows.numbers('row_id')]
    const places = isSkin ? rows.numbers('measurement_location') : undefined
    const records = new BatchRecords(reading, table, rows, INTERVAL.offset)
    for (let i = 0; i < rows.n; i++) {
      const [at, value] = [times[i] as number, values[i] as number]
      if (Number.isNaN(parents[i])) {
        importing.records++
        records.skip(i, 'belongs to no record')
        continue
      }
      const location = places && SKIN_LOCATIONS[places[i] as number]
      const source =
        rule.resource === null
          ? records.addValue(i, at, value)
          : records.add(i, rule.resource, { start: at, end: at, value }, location)
      if (source === undefined || rule.stream === undefined) continue
      const isUsed = uses.workouts.addPoint(source, at, rule.stream, value * (rule.streamFactor ?? 1))
      if (!isUsed && rule.resource === null) records.skip(i, OUTSIDE)
    }
    yield
  }
}

/** Adds resting heart rates, which become part of the summaries of their days and nights. */
export async function* addResting(reading: Reading, table: Table, heart: HeartDays): AsyncGenerator<void> {
  const { reader, importing } = reading
  for await (const rows of readRows(reader, table, [
    INSTANT.start,
    INSTANT.offset,
    'beats_per_minute',
    ...SOURCE_COLUMNS,
  ])) {
    const [times, values] = [rows.numbers(INSTANT.start), rows.numbers('beats_per_minute')]
    const records = new BatchRecords(reading, table, rows, INSTANT.offset)
    for (let i = 0; i < rows.n; i++) {
      const [at, value] = [times[i] as number, values[i] as number]
      const source = records.addValue(i, at, value)
      if (source === undefined) continue
      heart.addResting(source, { ms: at, offset: records.offset }, value)
      importing.skip(ONLY_IN_SUMMARIES, rows.place(i))
    }
    yield
  }
}

/** The records of a batch: row by row, each is counted and becomes a sample. */
class BatchRecords {
  /** The offset of the last record that was added. */
  offset: number | null = null
  private readonly offsets: Float64Array
  private readonly ids: readonly Float64Array[]
  private readonly reading: Reading
  private readonly rows: Rows
  private readonly what: string

  constructor(reading: Reading, { name }: Table, rows: Rows, offsetColumn: string) {
    this.reading = reading
    this.rows = rows
    this.what = `a row of ${name}`
    this.offsets = rows.numbers(offsetColumn)
    this.ids = SOURCE_COLUMNS.map(column => rows.numbers(column))
  }

  /** Counts row `i` as a record and adds its sample. Returns the source; undefined if the row was skipped. */
  add(i: number, resource: string, sample: Pick<SampleInput, 'start' | 'end' | 'value' | 'second'>, location?: string) {
    const { collector } = this.reading.importing
    return this.count(i, sample.start, (source, offset) => {
      const { start, end, value, second } = sample
      const text: Text = location === undefined ? source.text : { ...source.text, sensor_location: location }
      // written out, because spreading an object is many times slower
      const whole =
        second === undefined ? { start, end, value, offset, text } : { start, end, value, second, offset, text }
      return collector.add(source.series(resource), whole as SampleInput)
    })
  }

  /** Counts row `i` as a record that is not a sample. */
  addValue(i: number, start: EpochMs, value: number): RecordedBy | undefined {
    const { importing } = this.reading
    return this.count(i, start, () =>
      Number.isFinite(value) ? importing.timesProblem(start, start) : 'has a value that is not a finite number',
    )
  }

  /** Skips row `i`, which is already counted. */
  skip(i: number, problem: string): void {
    this.reading.importing.skip(`${this.what} ${problem}`, this.rows.place(i))
  }

  private count(
    i: number,
    start: EpochMs,
    add: (source: RecordedBy, offset: number | null) => string | undefined,
  ): RecordedBy | undefined {
    const { importing, sources } = this.reading
    const [apps, devices, methods] = this.ids as [Float64Array, Float64Array, Float64Array]
    importing.records++
    const offset = offsetAt(importing, this.offsets[i] as number, start)
    if (offset === undefined) this.skip(i, NO_OFFSET_POSSIBLE)
    if (offset === undefined) return undefined
    const source = sources.of(apps[i] as number, devices[i] as number, methods[i] as number)
    const problem = add(source, offset)
    if (problem !== undefined) this.skip(i, problem)
    this.offset = offset
    return problem === undefined ? source : undefined
  }
}
