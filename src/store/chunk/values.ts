/**
 * Packs a chunk's values in the narrowest exact encoding: whole codes above a base, for the value ×1, ×10, ×100 or ×1000, in one, two or
 * four bytes each. If no such code restores every value to the last bit, the values are f64. Reads by index are unchecked (`as number`),
 * because the loops are hot and stay in range.
 */
import { type Codes, codesAt } from './layout.ts'

const SCALES = [1, 10, 100, 1000] as const
/** Mode 0 is f64. Mode 1 + 4 × width + scale is whole codes, where width 0, 1 and 2 means 1, 2 and 4 bytes. */
const F64 = 0
const WIDTHS = [1, 2, 4] as const
const MOST_CODE = 0x7fff_ffff

export interface PackedValues {
  readonly mode: number
  /** Added to every code; 0 for f64. */
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
  for (let i = 0; i < values.length; i++) codes[i] = Math.round((values[i] as number) * scale) - low
  return { mode: 1 + 4 * widthIndex + scaleIndex, base: low, codes }
}

/** The storage of a chunk's values: as scaled codes above a base, or as f64 if `scale` is 0. */
export interface ValueLayout {
  readonly base: number
  readonly scale: number
  /** Bytes for each value. */
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

/** Returns the values and their size in bytes. f64 values are read in place, so the buffer must be aligned to 8 bytes there. */
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

/** Returns the values that the codes represent, bit for bit as they were packed. */
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

/**
 * Returns the smallest scale that restores every value to the last bit, with the range of its codes. A value that one scale restores is
 * also restored by the next one: both are the correctly rounded quotient of the same fraction.
 */
function findScale(values: Float64Array): Scaled | undefined {
  let scaleIndex = 0
  let scale: number = SCALES[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    // whole codes cannot represent -0, and NaN equals nothing
    if (Object.is(value, -0)) return undefined
    while (Math.round(value * scale) / scale !== value) {
      const next = SCALES[++scaleIndex]
      if (next === undefined) return undefined
      scale = next
    }
  }
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (let i = 0; i < values.length; i++) {
    const code = Math.round((values[i] as number) * scale)
    if (code < low) low = code
    if (code > high) high = code
  }
  return low >= -MOST_CODE && high <= MOST_CODE ? { scale, scaleIndex, low, high } : undefined
}
