/** A record of an archive's part, read in the same way from a row of a table and from an element of a JSON list. */
import { getOrInsert } from '../../../core/maps.ts'
import { asNumber, asText, member } from '../../shared/json-fields.ts'
import { parseUtf8Json } from '../json/items.ts'

/**
 * A column of a table, or a field of a JSON element. Columns have the names in the header, in lower case; a pattern matches the first column
 * that fits. The parts of a field's path are joined by dots.
 */
export type Column = string | RegExp

export interface PartRecord {
  /** Returns the value; undefined if the record lacks it or if it is empty. */
  value(column: Column): unknown
  /** Returns the value if it is a text, otherwise undefined. */
  text(column: Column): string | undefined
  /** Returns the value if it is a finite number or the text of one, otherwise undefined. */
  number(column: Column): number | undefined
  /** Returns the value if it is a number above 0, which often stands for a missing one. */
  positive(column: Column): number | undefined
  /** Returns the numbers above 0 by field, multiplied by the factor of the field; undefined for missing ones. */
  positives(fields: FieldTable): Readonly<Record<string, number | undefined>>
}

/** Columns by field of a summary, with a factor to its unit. */
export type FieldTable = Readonly<Record<string, string | readonly [column: string, factor: number]>>

abstract class AnyRecord implements PartRecord {
  abstract value(column: Column): unknown

  text(column: Column): string | undefined {
    return asText(this.value(column))
  }

  number(column: Column): number | undefined {
    const value = asNumber(this.value(column))
    return value !== undefined && Number.isFinite(value) ? value : undefined
  }

  positive(column: Column): number | undefined {
    const value = this.number(column)
    return value !== undefined && value > 0 ? value : undefined
  }

  positives(fields: FieldTable): Readonly<Record<string, number | undefined>> {
    return Object.fromEntries(
      Object.entries(fields).map(([field, from]) => {
        const [column, factor] = typeof from === 'string' ? [from, 1] : from
        const value = this.positive(column)
        return [field, value === undefined || factor === 1 ? value : value * factor]
      }),
    )
  }
}

/** The parts of paths. Global, because the paths are those of constant tables. */
const paths = new Map<string, readonly string[]>()

/** A JSON element. */
export class JsonElement extends AnyRecord {
  private readonly element: unknown

  constructor(element: unknown) {
    super()
    this.element = element
  }

  value(column: Column): unknown {
    if (typeof column !== 'string') return undefined
    const path = getOrInsert(paths, column, () => column.split('.'))
    let value = this.element
    for (const part of path) value = member(value, part)
    return value ?? undefined
  }
}

/** A table's header, which finds the columns of its rows. */
export class TableHeader {
  readonly names: readonly string[]
  private readonly indexes = new Map<Column, number>()

  /** `names` are the columns' names in lower case, in the order of the table. Of equal names, the first one is read. */
  constructor(names: readonly string[]) {
    this.names = names
  }

  /** Returns a column's position, or -1. */
  indexOf(column: Column): number {
    let index = this.indexes.get(column)
    if (index === undefined) {
      index = this.names.findIndex(name => (typeof column === 'string' ? name === column : column.test(name)))
      this.indexes.set(column, index)
    }
    return index
  }
}

/** A row of a table. `cells` are its cells in order. */
export class TableRow extends AnyRecord {
  readonly header: TableHeader
  readonly cells: readonly string[]

  constructor(header: TableHeader, cells: readonly string[]) {
    super()
    this.header = header
    this.cells = cells
  }

  value(column: Column): string | undefined {
    const cell = this.cells[this.header.indexOf(column)]?.trim()
    return cell === '' ? undefined : cell
  }

  /** Returns all cells by column, for rules that read them as the fields of an object. */
  fields(): Readonly<Record<string, string | undefined>> {
    return Object.fromEntries(this.header.names.map((name, i) => [name, this.cells[i]?.trim() || undefined]))
  }

  /** Returns the JSON in a cell; undefined if there is none. */
  json(column: Column): unknown {
    return parseUtf8Json(Buffer.from(this.value(column) ?? ''))?.value
  }
}
