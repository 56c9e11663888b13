/** Evaluates a where clause over a block in three-valued logic: a comparison with null is unknown. */
import type { Block } from './block.ts'
import type { TextPool } from './text-pool.ts'
import type { Comparison, Operand, Predicate } from './where.ts'

/** With this encoding AND is the smaller, OR the larger, and NOT the mirror image. */
const FALSE = 0
const UNKNOWN = 1
const TRUE = 2

/** For each row whether it is false (0), unknown (1) or true (2). Only true rows are kept. */
export function evaluate(predicate: Predicate, block: Block, pool: TextPool): Uint8Array {
  switch (predicate.kind) {
    case 'compare':
      return compare(predicate, block, pool)
    case 'not': {
      const truth = evaluate(predicate.part, block, pool)
      for (let i = 0; i < truth.length; i++) truth[i] = TRUE - (truth[i] as number)
      return truth
    }
    case 'and':
      return joined(predicate.parts, block, pool, Math.min)
    case 'or':
      return joined(predicate.parts, block, pool, Math.max)
  }
}

/** Whether a row is kept. */
export function isTrue(truth: Uint8Array, row: number): boolean {
  return truth[row] === TRUE
}

function joined(
  parts: readonly Predicate[],
  block: Block,
  pool: TextPool,
  join: (a: number, b: number) => number,
): Uint8Array {
  const [first, ...rest] = parts
  const truth = evaluate(first as Predicate, block, pool)
  for (const part of rest) {
    const other = evaluate(part, block, pool)
    for (let i = 0; i < truth.length; i++) truth[i] = join(truth[i] as number, other[i] as number)
  }
  return truth
}

/** What a test says for smaller, equal and larger. */
const OUTCOMES: Readonly<Record<Comparison, readonly [number, number, number]>> = {
  '<': [TRUE, FALSE, FALSE],
  '<=': [TRUE, TRUE, FALSE],
  '=': [FALSE, TRUE, FALSE],
  '!=': [TRUE, FALSE, TRUE],
  '>=': [FALSE, TRUE, TRUE],
  '>': [FALSE, FALSE, TRUE],
}

function compare(
  { op, left, right }: Extract<Predicate, { kind: 'compare' }>,
  block: Block,
  pool: TextPool,
): Uint8Array {
  const [smaller, equal, larger] = OUTCOMES[op]
  const [a, b] = [valuesOf(left, block, pool), valuesOf(right, block, pool)]
  const order = isText(left) ? (x: number, y: number) => orderOfTexts(pool, x, y) : undefined
  const truth = new Uint8Array(block.n)
  for (let i = 0; i < block.n; i++) {
    const x = typeof a === 'number' ? a : (a[i] as number)
    const y = typeof b === 'number' ? b : (b[i] as number)
    if (x === y) truth[i] = equal
    else if (Number.isNaN(x) || Number.isNaN(y)) truth[i] = UNKNOWN
    else truth[i] = (order ? order(x, y) < 0 : x < y) ? smaller : larger
  }
  return truth
}

function valuesOf(operand: Operand, block: Block, pool: TextPool): Float64Array | number {
  if (operand.kind === 'column') return block.column(operand.ref)
  return operand.kind === 'text' ? pool.id(operand.value) : operand.value
}

function isText(operand: Operand): boolean {
  return operand.kind === 'text' || (operand.kind === 'column' && operand.ref.type === 'text')
}

function orderOfTexts(pool: TextPool, x: number, y: number): number {
  return pool.text(x) < pool.text(y) ? -1 : 1
}
