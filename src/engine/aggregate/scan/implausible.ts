/**
 * Finds samples whose values are outside the limits of their resource. See docs/interface/plausibility.md. Indexed reads are unchecked (`as
 * number`) because the loops are hot and the indices are always in range.
 */
import { isOutside, type Limits, limitsOf, limitsOfKind, type ResourceLimits } from '../../../catalogue/plausibility.ts'
import type { SampleColumns, SamplePacking } from '../../../core/sample.ts'
import { SUMS_FROM, sumCodes } from '../functions/code-sums.ts'
import type { Block, CodeColumn } from './block.ts'

/** The lowest and the highest of some values. */
export type ValueRange = Limits

/** Returns whether every value of a packed chunk is plausible because every number that its codes can represent is. Costs nothing. */
export function isPackedWithin({ strictest }: ResourceLimits, packing: SamplePacking | undefined): boolean {
  if (!packing?.codes) return false
  const { codes, base, scale } = packing.codes
  const most = base + (codes.BYTES_PER_ELEMENT === 1 ? 0xff : 0xffff)
  return base / scale >= strictest.low && most / scale <= strictest.high
}

/**
 * Returns 1 for each row of samples with an implausible value and 0 for the others, or null if there are none. `used` is the range of the
 * block's values that the caller uses; rows with other values do not matter then.
 */
export function implausibleRows(
  block: Pick<Block, 'source' | 'stored' | 'packing' | 'kinds'>,
  used: ValueRange | null = null,
): Uint8Array<ArrayBuffer> | null {
  const { source, stored, packing } = block
  const limits = limitsOf(source.resource ?? '')
  if (limits === undefined || stored === undefined || isPackedWithin(limits, packing)) return null
  const { second } = stored
  if (second === null && isWithin(limits.strictest, used ?? rangeOf(stored, packing))) return null
  const { n, value } = stored
  const found = block.kinds?.() ?? null
  const ranges = found === null ? [limits.usual] : found.names.map(name => limitsOfKind(limits, name))
  const rows = new Uint8Array(n)
  let any = false
  for (let row = 0; row < n; row++) {
    const range = ranges[found === null ? 0 : (found.codes[row] as number)] as Limits
    const isMarked =
      isOutside(range, value[row] as number) || (second !== null && isOutside(range, second[row] as number))
    if (!isMarked) continue
    rows[row] = 1
    any = true
  }
  return any ? rows : null
}

/** Returns a function that says whether a row's sample is implausible. `value` is one of its values. Reads the block only if it is needed. */
export function rowChecker(block: Block): (row: number, value: number) => boolean {
  const limits = limitsOf(block.source.resource ?? '')
  if (limits === undefined) return () => false
  const hasSecond = block.stored?.second != null
  let rows: Uint8Array | null | undefined
  return (row, value) => {
    if (!hasSecond && !isOutside(limits.strictest, value)) return false
    if (rows === undefined) rows = implausibleRows(block)
    return rows?.[row] === 1
  }
}

function isWithin(limits: Limits, { low, high }: ValueRange): boolean {
  return low >= limits.low && high <= limits.high
}

function rangeOf({ n, value }: SampleColumns, packing: SamplePacking | undefined): ValueRange {
  const packed = packing?.codes
  if (!packed) return rangeIn(value, n)
  const { codes, base, scale } = packed
  const { low, high } = codes instanceof Uint8Array && n >= SUMS_FROM ? sumCodes(codes, 0, n) : rangeIn(codes, n)
  return { low: (base + low) / scale, high: (base + high) / scale }
}

function rangeIn(values: Float64Array | CodeColumn['codes'], n: number): ValueRange {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < n; i++) {
    const value = values[i] as number
    if (value < low) low = value
    if (value > high) high = value
  }
  return { low, high }
}
