/**
 * Packs a chunk's values in the narrowest exact encoding: as whole codes above a base for the value ×1, ×10, ×100 or ×1000, in one, two or
 * four bytes each. If no such encoding restores every value to the last bit, the values are stored as f64. Indexed reads are unchecked (`as
 * number`) because the loops are hot and the indices are always in range.
 */
import { type Codes, codesAt } from './layout.ts'

const SCALES = [1, 10, 100, 1000] as const
/** Mode 0 means f64. Mode 1 + 4 × width + scale means whole codes, where width 0, 1 and 2 stand for 1, 2 and 4 bytes. */
const F64 = 0
const WIDTHS = [1, 2, 4] as const
const MOST_CODE = 0x7fff_ffff

export interface PackedValues {
  readonly mode: number
  /** Added to every code. Always 0 for f64. */
  readonly base: number
  readonly codes: Float64Array | Codes
}

export function packValues(values: Float64Array): PackedValues {
  const scaled = findScale(values)
  if (!scaled) return { mode: F64, base: 0, codes: values }
  const { scale, scaleIndex, low, high } = scaled
  const span = high - low
  const widthIndex = span <= 0xff ? 0 : span <= 0xffff ? 1 : 2
  const width = WIDTHS[widthIndex]
  const codes = codesAt(new ArrayBuffer(values.length * width), 0, values.length, width)
  if (scale === 1) for (let i = 0; i < values.length; i++) codes[i] = (values[i] as number) - low
  else for (let i = 0; i < values.length; i++) codes[i] = Math.round((values[i] as number) * scale) - low
  return { mode: 1 + 4 * widthIndex + scaleIndex, base: low, codes }
}

/** Describes how a chunk's values are stored: as scaled codes above a base, or as f64 if `scale` is 0. */
export interface ValueLayout {
  readonly base: number
  readonly scale: number
  /** Number of bytes per value. */
  readonly width: number
}

/** Returns a mode's layout. Throws a plain Error if the mode does not exist. */
export function valueLayout(mode: number, base: number): ValueLayout {
  if (mode === F64) return { base: 0, scale: 0, width: 8 }
  const width = WIDTHS[(mode - 1) >> 2]
  const scale = SCALES[(mode - 1) & 3]
  if (width === undefined || scale === undefined) throw new Error(`not a sample chunk: unknown value mode ${mode}`)
  return { base, scale, width }
}

/**
 * Returns the values and the number of bytes that they take. f64 values are read in place, so the buffer must be aligned to 8 bytes there.
 */
export function unpackValues(
  layout: ValueLayout,
  buffer: ArrayBufferLike,
  at: number,
  n: number,
): { readonly value: Float64Array; readonly bytes: number } {
  const { base, scale, width } = layout
  const value = scale === 0 ? new Float64Array(buffer, at, n) : decodeValues(codesAt(buffer, at, n, width), base, scale)
  return { value, bytes: n * width }
}

/** Returns the values that the codes represent, identical bit for bit to the packed values. */
function decodeValues(codes: Codes, base: number, scale: number): Float64Array {
  const values = new Float64Array(codes.length)
  if (scale === 1) for (let i = 0; i < codes.length; i++) values[i] = base + (codes[i] as number)
  else for (let i = 0; i < codes.length; i++) values[i] = (base + (codes[i] as number)) / scale
  return values
}

interface Scaled {
  readonly scale: number
  readonly scaleIndex: number
  readonly low: number
  readonly high: number
}

/** Returns the smallest scale that restores every value to the last bit, with the range of its codes, or undefined if there is none. */
function findScale(values: Float64Array): Scaled | undefined {
  for (const [scaleIndex, scale] of SCALES.entries()) {
    const range = rangeOfCodes(values, scale)
    if (range) return { scale, scaleIndex, ...range }
  }
  return undefined
}

/** Returns the range of the codes at a scale, or undefined if a value is not restored or a code is too large. */
function rangeOfCodes(values: Float64Array, scale: number): Pick<Scaled, 'low' | 'high'> | undefined {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    const code = Math.round(value * scale)
    // whole codes cannot represent -0, and NaN equals nothing
    if (code / scale !== value || (value === 0 && 1 / value < 0)) return undefined
    if (code < low) low = code
    if (code > high) high = code
  }
  return low >= -MOST_CODE && high <= MOST_CODE ? { low, high } : undefined
}
