/** Reads the columns of a result table out of Arrow as plain cells, which every text rendering starts from. */
import type { Vector } from 'apache-arrow'
import { formatDate, formatFloating } from '../core/time.ts'
import type { ResultTable } from './table.ts'

/** A number, text or boolean; a time in milliseconds (its column says so); null. */
export type Cell = number | string | boolean | null

/** What the cells of a column are; the integers by their width. */
export type CellKind = 'int8' | 'int16' | 'int32' | 'int64' | 'float' | 'time' | 'date' | 'bool' | 'text'

export interface CellColumn {
  readonly name: string
  readonly kind: CellKind
  readonly cells: readonly Cell[]
}

/** `Type` of apache-arrow by value: naming the enumeration would load the whole package. */
const TYPE = { dictionary: -1, int: 2, float: 3, utf8: 5, bool: 6, date: 8, timestamp: 10 } as const

/** The columns of a table in order. Throws for a type that no query result has. */
export function cellColumns(table: ResultTable): readonly CellColumn[] {
  return table.schema.fields.map((field, i) => {
    const kind = kindOf(field.type)
    return { name: field.name, kind, cells: cellsOf(table.getChildAt(i) as Vector, kind) }
  })
}

/** A cell as JSON has it: times floating, `YYYY-MM-DDTHH:MM:SS`; dates `YYYY-MM-DD`; the rest as it is. */
export function jsonCell(kind: CellKind, cell: Cell): Cell {
  if (typeof cell !== 'number') return cell
  if (kind === 'time') return formatFloating(cell)
  if (kind === 'date') return formatDate(cell)
  return cell
}

function kindOf(type: ResultTable['schema']['fields'][number]['type']): CellKind {
  switch (type.typeId as number) {
    case TYPE.int:
      return `int${(type as { bitWidth?: number }).bitWidth}` as CellKind
    case TYPE.float:
      return 'float'
    case TYPE.bool:
      return 'bool'
    case TYPE.date:
      return 'date'
    case TYPE.timestamp:
      return 'time'
    case TYPE.utf8:
    case TYPE.dictionary:
      return 'text'
    default:
      throw new Error(`a result table has no columns of type ${type}`)
  }
}

function cellsOf(vector: Vector, kind: CellKind): readonly Cell[] {
  const cells: Cell[] = new Array(vector.length)
  const whole = vector.nullCount === 0
  if (kind === 'text' || kind === 'bool' || kind === 'date') {
    // Memoised, a dictionary decodes each of its texts once.
    const source = kind === 'text' ? vector.memoize() : vector
    for (let i = 0; i < cells.length; i++) cells[i] = source.get(i) as Cell
    return cells
  }
  const values = vector.toArray() as ArrayLike<number | bigint>
  const divisor = kind === 'time' ? MICROSECONDS_A_MILLISECOND : 1
  for (let i = 0; i < cells.length; i++) {
    cells[i] = whole || vector.isValid(i) ? Number(values[i]) / divisor : null
  }
  return cells
}

const MICROSECONDS_A_MILLISECOND = 1000
