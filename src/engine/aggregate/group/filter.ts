/**
 * Evaluates a where clause over a block in three-valued logic: a comparison with null is unknown. Indexed reads are unchecked (`as number`)
 * because the loops are hot and the indices are always in range.
 */

import { getOrInsert } from '../../../core/maps.ts'
import { type ColumnRef, sameColumn } from '../plan/columns.ts'
import { type Comparison, type Operand, type Predicate, predicateColumns } from '../plan/where.ts'
import { type Block, type CodeColumn, unpackValue } from '../scan/block.ts'
import type { TextPool } from '../scan/text-pool.ts'
import { RowMask } from './row-mask.ts'

/** In this encoding, AND is the minimum, OR is the maximum and NOT is the mirror image. */
const FALSE = 0
const UNKNOWN = 1
const TRUE = 2

/** Returns the rows of a block that a where clause keeps, or null if it keeps all of them. */
export function keptRows(predicate: Predicate, block: Block, pool: TextPool): RowMask | null {
  const rows = evaluate(predicate, block, pool)
  for (let i = 0; i < rows.length; i++) rows[i] = (rows[i] as number) >> 1
  return rows.includes(0) ? RowMask.ofRows(rows) : null
}

/**
 * A packed byte has 256 possible values. For more rows than that, the clause is evaluated once per value, and each row looks up the result.
 */
const CODES = Uint8Array.from({ length: 256 }, (_, code) => code)

/** Applies a where clause to a query's blocks. */
export class Filter {
  private readonly predicate: Predicate
  private readonly pool: TextPool
  private readonly columns: readonly ColumnRef[]
  /** The codes to keep, for each combination of the other values that the clause depends on. Null means all codes. */
  private readonly tables = new Map<string, Uint8Array | null>()

  constructor(predicate: Predicate, pool: TextPool) {
    this.predicate = predicate
    this.pool = pool
    this.columns = predicateColumns(predicate)
  }

  /** Returns the rows of a block to keep, or null for all rows. */
  mask(block: Block): RowMask | null {
    const packed = this.packed(block)
    if (!packed) return keptRows(this.predicate, block, this.pool)
    const table = this.table(block, packed.ref, packed.column)
    return table && RowMask.ofCodes({ codes: packed.column.codes as Uint8Array, table })
  }

  /** Returns the only column of the clause that varies from row to row, if that column is packed into bytes. */
  private packed(block: Block): { readonly ref: ColumnRef; readonly column: CodeColumn } | null {
    if (block.n <= CODES.length || !block.codes) return null
    const changing = this.columns.filter(ref => block.constant?.(ref) === undefined)
    const [ref] = changing
    if (ref === undefined || changing.some(each => !sameColumn(each, ref))) return null
    const column = block.codes(ref)
    return column?.codes instanceof Uint8Array ? { ref, column } : null
  }

  private table(block: Block, ref: ColumnRef, { base, scale }: CodeColumn): Uint8Array | null {
    const shared = this.columns.map(each => block.constant?.(each))
    const key = [ref.name, base, scale, ...shared].join(' ')
    return getOrInsert(
      this.tables,
      key,
      () => keptRows(this.predicate, everyCode(block, ref, { codes: CODES, base, scale }), this.pool)?.rows ?? null,
    )
  }
}

/** Returns a block with one row for each of a column's 256 codes. In the other columns, it has the values that all rows share. */
function everyCode(block: Block, ref: ColumnRef, column: CodeColumn): Block {
  const values = Float64Array.from(CODES, code => unpackValue(column, code))
  return {
    n: CODES.length,
    source: block.source,
    local: values,
    instant: values,
    column: each =>
      sameColumn(each, ref) ? values : new Float64Array(CODES.length).fill(block.constant?.(each) ?? Number.NaN),
  }
}

/** Returns whether the predicate is false (0), unknown (1) or true (2) for each row. */
function evaluate(predicate: Predicate, block: Block, pool: TextPool): Uint8Array {
  switch (predicate.kind) {
    case 'compare':
      return compare(predicate, block, pool)
    case 'not': {
      const truth = evaluate(predicate.part, block, pool)
      for (let i = 0; i < truth.length; i++) truth[i] = TRUE - (truth[i] as number)
      return truth
    }
    case 'and':
    case 'or':
      return joined(predicate.kind === 'and', predicate.parts, block, pool)
  }
}

function joined(isAnd: boolean, parts: readonly Predicate[], block: Block, pool: TextPool): Uint8Array {
  const [first, ...rest] = parts
  const truth = evaluate(first as Predicate, block, pool)
  for (const part of rest) {
    const other = evaluate(part, block, pool)
    if (isAnd) {
      for (let i = 0; i < truth.length; i++)
        if ((other[i] as number) < (truth[i] as number)) truth[i] = other[i] as number
    } else {
      for (let i = 0; i < truth.length; i++)
        if ((other[i] as number) > (truth[i] as number)) truth[i] = other[i] as number
    }
  }
  return truth
}

/** The result of a comparison when the left side is smaller, equal or larger. */
const OUTCOMES: Readonly<Record<Comparison, readonly [number, number, number]>> = {
  '<': [TRUE, FALSE, FALSE],
  '<=': [TRUE, TRUE, FALSE],
  '=': [FALSE, TRUE, FALSE],
  '!=': [TRUE, FALSE, TRUE],
  '>=': [FALSE, TRUE, TRUE],
  '>': [FALSE, FALSE, TRUE],
}
/** The equivalent of each comparison with its sides swapped. */
const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '<': '>',
  '<=': '>=',
  '=': '=',
  '!=': '!=',
  '>=': '<=',
  '>': '<',
}

function compare(
  { op, left, right }: Extract<Predicate, { kind: 'compare' }>,
  block: Block,
  pool: TextPool,
): Uint8Array {
  const [a, b] = [operandValues(left, block, pool), operandValues(right, block, pool)]
  if (isText(left)) return compareTexts(OUTCOMES[op], a, b, block.n, pool)
  if (typeof a !== 'number' && typeof b === 'number') return compareWith(OUTCOMES[op], a, b)
  if (typeof a === 'number' && typeof b !== 'number') return compareWith(OUTCOMES[MIRRORED[op]], b, a)
  return comparePairs(OUTCOMES[op], a, b, block.n)
}

type Side = Float64Array | number

/** Compares a column with a number, which is never null. */
function compareWith([smaller, equal, larger]: readonly number[], values: Float64Array, limit: number): Uint8Array {
  const truth = new Uint8Array(values.length)
  for (let i = 0; i < truth.length; i++) {
    const value = values[i] as number
    truth[i] = (value < limit ? smaller : value > limit ? larger : value === limit ? equal : UNKNOWN) as number
  }
  return truth
}

function comparePairs([smaller, equal, larger]: readonly number[], a: Side, b: Side, n: number): Uint8Array {
  const truth = new Uint8Array(n)
  for (let i = 0; i < n; i++) {
    const x = typeof a === 'number' ? a : (a[i] as number)
    const y = typeof b === 'number' ? b : (b[i] as number)
    truth[i] = (x < y ? smaller : x > y ? larger : x === y ? equal : UNKNOWN) as number
  }
  return truth
}

function compareTexts(
  [smaller, equal, larger]: readonly number[],
  a: Side,
  b: Side,
  n: number,
  pool: TextPool,
): Uint8Array {
  const truth = new Uint8Array(n)
  for (let i = 0; i < n; i++) {
    const x = typeof a === 'number' ? a : (a[i] as number)
    const y = typeof b === 'number' ? b : (b[i] as number)
    if (x === y) truth[i] = equal as number
    else if (Number.isNaN(x) || Number.isNaN(y)) truth[i] = UNKNOWN
    else truth[i] = (pool.text(x) < pool.text(y) ? smaller : larger) as number
  }
  return truth
}

function operandValues(operand: Operand, block: Block, pool: TextPool): Side {
  if (operand.kind === 'column') return block.column(operand.ref)
  return operand.kind === 'text' ? pool.id(operand.value) : operand.value
}

function isText(operand: Operand): boolean {
  return operand.kind === 'text' || (operand.kind === 'column' && operand.ref.type === 'text')
}
