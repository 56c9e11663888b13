/** Reads a table's rows and a JSON file's objects in the same way, using a mapping of their columns or fields. */
import { ServiceError } from '../../../core/errors.ts'
import { asObject, type JsonObject } from '../../shared/json-fields.ts'
import { csvRows } from '../csv/reader.ts'
import type { ImportFile, TableContext } from '../importer.ts'
import { jsonRecords } from '../json/records.ts'
import type { NumberForm, RowTexts } from './conventions.ts'
import { fieldReader, fieldText, peopleIn } from './fields.ts'
import { type TableHeader, tableHeader } from './header.ts'
import { type ColumnMapping, type MappingTarget, NO_MAPPING } from './mapping.ts'
import type { RowIdentity } from './people.ts'
import type { CellReader } from './rows.ts'

/** A readable row: whether it is selected, and who its owner may be. */
interface ReadableRow {
  readonly position: string
  readonly problem: null
  readonly cell: CellReader
  readonly isSelected: boolean
  readonly people: () => RowIdentity['people']
}

/** A row, or the reason why it cannot be read. */
export type SourceRow = ReadableRow | { readonly position: string; readonly problem: string }

/** A file whose rows can be read repeatedly. */
export interface RowSource {
  readonly numbers: NumberForm
  rows(): AsyncGenerator<{ readonly rows: readonly SourceRow[]; readonly bytesRead: number }>
}

/** Opens a table. Throws the same errors as `tableHeader`. */
export async function csvSource(file: ImportFile, { mapping, signal }: TableContext): Promise<RowSource> {
  const header = await tableHeader(file, mapping ?? NO_MAPPING, signal)
  return {
    numbers: header.separator === ',' ? 'shown comma' : 'shown',
    async *rows() {
      for await (const { rows, bytesRead } of csvRows(file, signal)) {
        const below = rows.filter(({ line }) => line > header.line)
        yield { rows: below.map(({ cells, line }) => tableRow(header, cells, `line ${line}`)), bytesRead }
      }
    },
  }
}

function tableRow(header: TableHeader, cells: readonly string[] | null, position: string): SourceRow {
  const { columns, width, where, people } = header
  if (cells === null) return { position, problem: 'a row has misplaced quotes' }
  // some programs end every row with a separator
  if (!cells.slice(width).every(cell => cell.trim() === ''))
    return { position, problem: 'a row has more cells than the header' }
  return {
    position,
    problem: null,
    cell: target => cells[columns.get(target) ?? -1] ?? '',
    isSelected: where.every(({ index: at, value }) => (cells[at] ?? '').trim() === value),
    people: () => people.map(({ place: at, name }) => [name, cells[at] ?? '']),
  }
}

/** Opens a file of JSON objects. Throws ServiceError `invalid_request` if there is no mapping. */
export async function ndjsonSource(file: ImportFile, context: TableContext): Promise<RowSource> {
  const mapping = fieldMapping(context)
  const known = { mapped: new Set(Object.values(mapping.columns)), isSaid: mapping.columns.user !== undefined }
  return {
    numbers: 'plain',
    async *rows() {
      for await (const { records, bytesRead } of jsonRecords(file, null, context.signal)) {
        const rows = records.map(record => {
          const object = record.kind === 'broken' ? undefined : asObject(record.value)
          if (object === undefined) return { position: record.position, problem: 'a line is not a JSON object' }
          return fieldRow(object, mapping, known, record.position)
        })
        yield { rows, bytesRead }
      }
    },
  }
}

function fieldRow(
  object: JsonObject,
  mapping: ColumnMapping,
  { mapped, isSaid }: { readonly mapped: ReadonlySet<string>; readonly isSaid: boolean },
  position: string,
): SourceRow {
  return {
    position,
    problem: null,
    cell: fieldReader(object, mapping),
    isSelected: (mapping.where ?? []).every(({ column, value }) => fieldText(object, column)?.trim() === value.trim()),
    people: () => (isSaid ? [] : peopleIn(object, mapped)),
  }
}

/** Returns the mapping of fields. Throws ServiceError `invalid_request` if there is none. */
function fieldMapping({ mapping }: TableContext): ColumnMapping {
  if (mapping !== null && Object.keys(mapping.columns).length > 0) return mapping
  throw new ServiceError('invalid_request', 'The file is JSON in no known format, so its fields must be mapped.', {
    suggestions: ['For example: --map start=time --map value=reading.value --resource glucose --unit mg/dL'],
  })
}

const TIMES = ['start', 'date', 'end'] as const
const NUMBERS = ['value', 'systolic', 'diastolic'] as const
/** The key under which a row is stored, and its value. */
const KEY = ['user', 'resource', 'type', 'start', 'date', 'time', 'timezone_offset'] as const
const READING = [...NUMBERS, 'content'] as const

/** Collects facts that require the whole file: its times and numbers, and its rows' owners. `see` is called with every row. */
export async function* rowTexts(
  source: RowSource,
  see: (row: SourceRow) => void = () => {},
): AsyncGenerator<readonly RowTexts[]> {
  for await (const { rows } of source.rows()) {
    yield rows.flatMap((row): RowTexts[] => {
      see(row)
      if (row.problem !== null) return []
      const { cell, position, isSelected } = row
      const numbers = source.numbers !== 'plain' ? NUMBERS.map(target => cell(target) ?? '') : []
      const identity = isSelected
        ? { people: row.people(), key: joined(cell, KEY), reading: joined(cell, READING) }
        : null
      return [{ identity, times: TIMES.map(target => cell(target) ?? ''), numbers, position }]
    })
  }
}

/** Joins the texts of several cells; '' if all are empty. */
function joined(cell: CellReader, targets: readonly MappingTarget[]): string {
  const texts = targets.map(target => (cell(target) ?? '').trim())
  return texts.some(text => text !== '') ? texts.join('\u0000') : ''
}
