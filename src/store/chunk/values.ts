/**
 * The values of a chunk in the narrowest exact encoding: whole codes above a base, of the value ×1, ×10, ×100 or ×1000, in
 * one, two or four bytes; f64 where no such code gives every value back to the last bit.
 */

const SCALES = [1, 10, 100, 1000] as const
/** Mode 0 is f64; mode 1 + 4 × width + scale is whole codes, widths being 1, 2 and 4 bytes. */
const F64 = 0
const WIDTHS = [1, 2, 4] as const
const MOST_CODE = 0x7fff_ffff

export interface PackedValues {
  readonly mode: number
  /** Added to every code; 0 for f64. */
  readonly base: number
  readonly codes: Float64Array | Uint8Array | Uint16Array | Uint32Array
}

export function packValues(values: Float64Array): PackedValues {
  const scaled = scaleOf(values)
  if (!scaled) return { mode: F64, base: 0, codes: values }
  const { scaleIndex, low, high } = scaled
  const span = high - low
  const widthIndex = span <= 0xff ? 0 : span <= 0xffff ? 1 : 2
  const scale = SCALES[scaleIndex] as number
  const codes = codesOf(
    WIDTHS[widthIndex] as number,
    new ArrayBuffer(values.length * (WIDTHS[widthIndex] as number)),
    0,
    values.length,
  )
  for (let i = 0; i < values.length; i++) codes[i] = Math.round((values[i] as number) * scale) - low
  return { mode: 1 + 4 * widthIndex + scaleIndex, base: low, codes }
}

/** The values, and how many bytes they took. f64 is read where it lies; the buffer must be aligned to 8 bytes there. */
export function unpackValues(
  mode: number,
  base: number,
  buffer: ArrayBufferLike,
  at: number,
  n: number,
): { readonly value: Float64Array; readonly bytes: number } {
  if (mode === F64) return { value: new Float64Array(buffer, at, n), bytes: n * 8 }
  const width = WIDTHS[(mode - 1) >> 2]
  const scale = SCALES[(mode - 1) & 3] as number
  if (width === undefined) throw new Error(`not a sample chunk: values in mode ${mode}`)
  const codes = codesOf(width, buffer, at, n)
  const value = new Float64Array(n)
  if (scale === 1) for (let i = 0; i < n; i++) value[i] = base + (codes[i] as number)
  else for (let i = 0; i < n; i++) value[i] = (base + (codes[i] as number)) / scale
  return { value, bytes: n * width }
}

interface Scaled {
  readonly scaleIndex: number
  readonly low: number
  readonly high: number
}

/**
 * The smallest scale that gives every value back to the last bit, with the range of its codes. A value that one scale gives
 * back, the next gives back too: both are the correctly rounded quotient of the same fraction.
 */
function scaleOf(values: Float64Array): Scaled | undefined {
  let scaleIndex = 0
  let scale: number = SCALES[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    // whole codes have no -0, and NaN equals nothing
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
  return low >= -MOST_CODE && high <= MOST_CODE ? { scaleIndex, low, high } : undefined
}

function codesOf(
  width: number,
  buffer: ArrayBufferLike,
  at: number,
  n: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (width === 1) return new Uint8Array(buffer, at, n)
  return width === 2 ? new Uint16Array(buffer, at, n) : new Uint32Array(buffer, at, n)
}
