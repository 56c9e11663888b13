/** Flattens samples into rows for csv, ndjson, tables and Parquet. Each row starts with its resource and source. */
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { type Cell, toCell } from '../../table/cells.ts'
import { type CsvOptions, csvRecord } from '../../table/csv.ts'
import type { ParquetColumn } from '../../table/parquet-schema.ts'
import { type Group, type SampleRow, sampleStart } from './sample-order.ts'

/** Columns for a sample's source. The sample's own columns follow. */
const SOURCE = ['resource', 'provider', 'source_type', 'app_id', 'device_id', 'sport', 'workout_id'] as const

/** Returns a sample's fields other than its times, unit and type. */
export function sampleFields({ shape, fields }: TimeseriesResource): readonly string[] {
  const values = shape === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']
  return [...values, ...fields.filter(field => field !== 'type')]
}

/** Returns a resource's columns. They are the same for every page, regardless of its samples, so that pages can be concatenated. */
export function sampleColumns(resource: TimeseriesResource): readonly ParquetColumn[] {
  const text = (name: string): ParquetColumn => ({ name, kind: 'text' })
  const number = resource.isWhole ? 'int64' : 'float'
  const isNumber = (field: string) => resource.shape !== 'text' && ['value', 'systolic', 'diastolic'].includes(field)
  return [
    ...SOURCE.map(text),
    { name: 'start', kind: 'instant' },
    { name: 'end', kind: 'instant' },
    { name: 'timezone_offset', kind: 'int32' },
    ...['type', 'unit'].map(text),
    ...sampleFields(resource).map((name): ParquetColumn => ({ name, kind: isNumber(name) ? number : 'text' })),
  ]
}

/** Formats rows. Fast enough for millions of rows, because the part that a source's rows have in common is formatted only once. */
export class SampleRows {
  readonly names: readonly string[]
  private readonly resource: TimeseriesResource
  private readonly own: readonly string[]
  private readonly csvOptions: CsvOptions
  private readonly heads = new WeakMap<Group['source'], string>()

  constructor(resource: TimeseriesResource, csv: CsvOptions = {}) {
    this.resource = resource
    this.csvOptions = csv
    this.names = sampleColumns(resource).map(({ name }) => name)
    this.own = this.names.slice(SOURCE.length)
  }

  /** Returns the cells in column order, with nested values as JSON and missing values as null. */
  cells({ source, sample }: SampleRow): Cell[] {
    return [...this.sourceCells(source), ...this.own.map(name => toCell(fieldValue(sample, name)))]
  }

  /** Returns a csv line. Use an object only for csv or only for ndjson, not for both. */
  csv({ source, sample }: SampleRow): string {
    const head = this.head(source, () => csvRecord(this.sourceCells(source), this.csvOptions).slice(0, -1))
    const cells = this.own.map(name => toCell(fieldValue(sample, name)))
    return `${head},${csvRecord(cells, this.csvOptions)}`
  }

  /** Returns an ndjson line with the columns by name. */
  ndjson({ source, sample }: SampleRow): string {
    let line = this.head(source, () => {
      const cells = this.sourceCells(source)
      return JSON.stringify(Object.fromEntries(SOURCE.map((name, i) => [name, cells[i]]))).slice(0, -1)
    })
    for (const name of this.own) line += `,"${name}":${json(fieldValue(sample, name))}`
    return `${line}}\n`
  }

  private head(source: Group['source'], write: () => string): string {
    const known = this.heads.get(source)
    if (known !== undefined) return known
    const head = write()
    this.heads.set(source, head)
    return head
  }

  private sourceCells({ provider, type, app_id, device_id, sport, workout_id }: Group['source']): (string | null)[] {
    return [this.resource.name, provider, type, app_id ?? null, device_id ?? null, sport ?? null, workout_id ?? null]
  }
}

function fieldValue(sample: SampleRow['sample'], name: string): unknown {
  if (name === 'start') return sampleStart(sample)
  return sample[name] ?? (name === 'end' ? sampleStart(sample) : null)
}

function json(value: unknown): string {
  return typeof value === 'number' || value === null ? String(value) : JSON.stringify(value)
}
