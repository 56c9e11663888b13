/** Gives access to a query's rows by column name. */
import { getOrInsert } from '../../../core/maps.ts'
import type { RecordImport } from '../records/import.ts'
import type { RowBatch } from './child.ts'
import type { DatabaseReader } from './reader.ts'
import { countRows, type ParentOf, selectRows, type Table } from './table.ts'

const MOST_TEXT = 255

/** Some rows of a table, with the requested columns. */
export class Rows {
  readonly n: number
  private readonly table: string
  /** Number of rows before these. */
  private readonly before: number
  private readonly cells: ReadonlyMap<string, RowBatch['columns'][number]>
  private readonly converted = new Map<string, Float64Array>()

  constructor(table: string, names: readonly string[], { n, columns }: RowBatch, before: number) {
    this.n = n
    this.table = table
    this.before = before
    this.cells = new Map(names.map((name, at) => [name, columns[at] ?? []]))
  }

  /** Returns a column's numbers. NaN stands for anything that is not a number. */
  numbers(name: string): Float64Array {
    const cells = this.column(name)
    if (cells instanceof Float64Array) return cells
    return getOrInsert(this.converted, name, () =>
      Float64Array.from(cells, cell => (typeof cell === 'number' ? cell : Number.NaN)),
    )
  }

  /** Returns the first 255 characters of the text in a cell; null if it contains anything else. */
  text(name: string, i: number): string | null {
    const cell = this.column(name)[i]
    if (typeof cell !== 'string') return null
    // a part of a string would keep the whole string in memory
    return cell.length <= MOST_TEXT ? cell : Buffer.from(cell.slice(0, MOST_TEXT)).toString()
  }

  /** Returns the binary value in a cell; null if it contains anything else. */
  bytes(name: string, i: number): Uint8Array | null {
    const cell = this.column(name)[i]
    return cell instanceof Uint8Array ? cell : null
  }

  /** Returns a row's position for the report: its row number, or else its place in the order of the table. */
  place(i: number): string {
    const number = this.cells.has('rowid') ? this.numbers('rowid')[i] : this.before + i + 1
    return `${this.table} row ${number}`
  }

  private column(name: string): RowBatch['columns'][number] {
    const cells = this.cells.get(name)
    if (cells === undefined) throw new Error(`the column ${name} was not requested`)
    return cells
  }
}

/** Yields all rows of a table with these columns, and with columns of each row's parent. */
export async function* readRows(
  reader: DatabaseReader,
  table: Table,
  columns: readonly string[],
  parent?: ParentOf,
): AsyncGenerator<Rows> {
  const names = [...table.keys, ...columns, ...(parent?.columns ?? [])]
  let before = 0
  for await (const batch of reader.query(selectRows(table, columns, parent))) {
    yield new Rows(table.name, names, batch, before)
    before += batch.n
  }
}

/** Counts all rows of a table as records that are skipped for this reason. */
export async function skipTable(
  importing: RecordImport,
  reader: DatabaseReader,
  table: Table,
  reason: string,
): Promise<void> {
  for await (const { columns } of reader.query(countRows(table))) {
    const count = Number(columns[0]?.[0])
    importing.records += count
    importing.skip(reason, undefined, count)
  }
}

/** Returns the first column that a table lacks; undefined if it has all of them. */
export function missingColumn(table: Table, needed: readonly string[]): string | undefined {
  return needed.find(name => !table.columns.has(name))
}

/** Matches names of tables that may be shown. A name from a file could contain anything. */
const SHOWN = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

/** Returns a table's name for use in a reason, but only if it looks like an identifier. */
export function tableLabel(name: string): string {
  return SHOWN.test(name) ? name : 'a table with another kind of name'
}
