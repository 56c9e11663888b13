/** Finds a table's header below lines that programs write first, such as a device name or an export date. */
import { type CsvRow, csvRows } from '../csv/reader.ts'
import type { ImportFile } from '../importer.ts'
import { type CellCondition, isHeader, mappedColumns, namesColumn, noHeader, selectedColumns } from './columns.ts'
import type { ColumnMapping, MappingTarget } from './mapping.ts'
import { mayNamePerson } from './people.ts'

export interface TableHeader {
  readonly columns: ReadonlyMap<MappingTarget, number>
  /** Columns by which rows are selected, and the required texts. */
  readonly where: readonly CellCondition[]
  /** Columns that could identify a row's owner. Mapped columns are excluded. */
  readonly people: readonly { readonly place: number; readonly name: string }[]
  readonly separator: string
  /** Number of columns. */
  readonly width: number
  /** The line on which the header starts. The table's rows follow it. */
  readonly line: number
}

/** Maximum number of rows that are searched for the header. */
const MOST_ROWS = 50
const NUMBER_WORD = /(?:^|\s)\d[\d.,]*(?:\s|$)/

/**
 * Returns the first row that has all mapped columns. If there is none, throws ServiceError `invalid_request` about the row that is most
 * likely the header. Throws ServiceError `invalid_file` if the file cannot be read that far.
 */
export async function tableHeader(
  file: ImportFile,
  mapping: ColumnMapping,
  signal: AbortSignal | undefined,
): Promise<TableHeader> {
  const search = new HeaderSearch(mapping)
  let separator = ','
  for await (const read of csvRows(file, signal)) {
    separator = read.separator
    for (const row of read.rows) {
      search.see(row)
      if (search.isOver) return search.header(separator)
    }
  }
  return search.header(separator)
}

class HeaderSearch {
  private readonly mapping: ColumnMapping
  private readonly wanted: readonly string[]
  private best: CsvRow = { line: 0, cells: null }
  private bestMatches = -1
  private bestFilled = 0
  private mostFilled = 0
  private seen = 0

  constructor(mapping: ColumnMapping) {
    this.mapping = mapping
    this.wanted = [...Object.values(mapping.columns), ...(mapping.where ?? []).map(({ column }) => column)]
  }

  /** Whether the header was found, or can no longer be expected. */
  get isOver(): boolean {
    return this.seen >= MOST_ROWS || (this.wanted.length > 0 && this.bestMatches === this.wanted.length)
  }

  see(row: CsvRow): void {
    this.seen++
    const names = (row.cells ?? []).map(name => name.trim())
    const matches = this.wanted.filter(column => namesColumn(names, column)).length
    const filled = names.filter(name => name !== '').length
    // rows above a header are narrower, rows below it are data, and a number in a line of prose may be a value
    const mayBeShown = this.seen === 1 || !names.some(name => NUMBER_WORD.test(name))
    const isLikely = filled > this.mostFilled && isHeader(names) && mayBeShown
    this.mostFilled = Math.max(filled, this.mostFilled)
    if (matches < this.bestMatches || (matches === this.bestMatches && !isLikely)) return
    this.best = row
    this.bestMatches = matches
    this.bestFilled = filled
  }

  /** Returns the header. Throws the same error as `mappedColumns` if the header lacks a column. */
  header(separator: string): TableHeader {
    const cells = this.best.cells ?? []
    // a line above the header may contain a person's name, so messages do not repeat it
    if (this.bestMatches <= 0 && this.bestFilled * 2 <= this.mostFilled) throw noHeader(this.mapping)
    const columns = mappedColumns(this.mapping, cells)
    const where = selectedColumns(this.mapping, cells)
    const others = [...cells.keys()].filter(index => ![...columns.values()].includes(index))
    // the mapping already identifies the row's owner
    const people = columns.has('user') ? [] : others.flatMap(index => peopleColumn(cells[index] ?? '', index))
    return { columns, where, people, separator, width: cells.length, line: this.best.line }
  }
}

function peopleColumn(cell: string, index: number): TableHeader['people'] {
  const name = cell.trim()
  return mayNamePerson(name) ? [{ place: index, name }] : []
}
