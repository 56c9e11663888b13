/** Reads the samples of a Health Connect export. Reads by index are unchecked (`as number`), because the loops are hot and stay in range. */
import { MINUTE_MS } from '../../../core/time.ts'
import { ONLY_IN_SUMMARIES } from '../../shared/heart-values.ts'
import { convert } from '../records/conversion.ts'
import type { HeartDays } from '../sqlite/heart-days.ts'
import { noticeWithoutOffset } from '../sqlite/recorded-by.ts'
import { missingColumn, readRows, skipTable } from '../sqlite/rows.ts'
import type { Table } from '../sqlite/table.ts'
import { NO_OFFSET_POSSIBLE, offsetAt, type Reading } from './records.ts'
import { type SampleRule, SOURCE_COLUMNS } from './tables.ts'
import type { Workouts } from './workouts.ts'

const OUTSIDE = 'is not within a workout of its app'
const LOCATION = 'measurement_location'

/** Adds the rows of a table as samples, and to the workouts and days that they are part of. Yields after each batch. */
export async function* addSamples(
  reading: Reading,
  table: Table,
  rule: SampleRule,
  workouts: Workouts,
  heart: HeartDays,
): AsyncGenerator<void> {
  const { reader, importing, sources, tables } = reading
  const { resource, times, value, second, locations, total, stream } = rule
  const own = [...new Set([times.start, times.end, ...[value, second].filter(each => typeof each === 'string')])]
  const common = [times.offset, ...SOURCE_COLUMNS, ...(locations ? [LOCATION] : [])]
  const parent = rule.parent === undefined ? undefined : tables.get(rule.parent)
  const missing = missingColumn(table, rule.parent === undefined ? own : [...own, 'parent_key'])
  if (missing !== undefined) return skipTable(importing, reader, table, `${table.name} lacks the column ${missing}`)
  if (rule.parent !== undefined && parent?.rowNumber !== 'row_id')
    return skipTable(importing, reader, table, `${table.name} has no table with its records`)
  const records = parent && { table: parent, key: 'parent_key', columns: ['row_id', ...common] }
  const factor = { factor: rule.factor ?? 1, plus: 0 }
  for await (const rows of readRows(reader, table, parent ? own : [...own, ...common], records)) {
    const [starts, ends, offsets] = [rows.numbers(times.start), rows.numbers(times.end), rows.numbers(times.offset)]
    const [apps, devices, methods] = SOURCE_COLUMNS.map(name => rows.numbers(name))
    const [parents, places] = [parent && rows.numbers('row_id'), locations && rows.numbers(LOCATION)]
    const values = value === null ? undefined : rows.numbers(value)
    const seconds = second === undefined ? undefined : rows.numbers(second)
    importing.records += rows.n
    noticeWithoutOffset(importing, offsets.filter(Number.isNaN).length)
    for (let i = 0; i < rows.n; i++) {
      const [start, end] = [starts[i] as number, ends[i] as number]
      const amount = convert(values === undefined ? (end - start) / MINUTE_MS : (values[i] as number), factor)
      const offset = offsetAt(importing, offsets[i] as number, start)
      const source = sources.of(apps?.[i] as number, devices?.[i] as number, methods?.[i] as number)
      const location = places && locations?.[places[i] as number]
      const text = location === undefined ? source.text : { ...source.text, sensor_location: location }
      let problem: string | undefined
      if (parents !== undefined && Number.isNaN(parents[i])) problem = 'belongs to no record'
      else if (offset === undefined) problem = NO_OFFSET_POSSIBLE
      else if (resource === null) problem = importing.timesProblem(start, end) ?? finiteProblem(amount)
      else {
        const sample = { start, end, value: amount, offset, text }
        const whole = seconds === undefined ? sample : { ...sample, second: seconds[i] as number }
        problem = importing.collector.add(source.series(resource), whole)
      }
      if (problem === undefined) {
        if (total && !workouts.addTotal(source, total, { start, end, value: amount })) problem = OUTSIDE
        if (stream && !workouts.addPoint(source, start, stream, amount)) problem = OUTSIDE
        if (resource === 'hrv') heart.addVariability(source, start, amount)
        if (rule.isResting) heart.addResting(source, { ms: start, offset: offset ?? null }, amount)
        if (rule.isResting) importing.skip(ONLY_IN_SUMMARIES, rows.place(i))
        // a sample is stored whether it is within a workout or not
        if (resource !== null) continue
      }
      if (problem !== undefined) importing.skip(`a row of ${table.name} ${problem}`, rows.place(i))
    }
    yield
  }
}

function finiteProblem(value: number): string | undefined {
  return Number.isFinite(value) ? undefined : 'has a value that is not a finite number'
}
