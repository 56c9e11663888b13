/**
 * Packs a chunk's times: as the first time and a step if they are regular, otherwise as milliseconds after the first time or as epoch
 * milliseconds. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */

/** How times are stored. These numbers are part of stored data. */
export const TIME = { regular: 0, u32: 1, f64: 2 } as const

const U32_MAX = 0xffff_ffff

export interface TimeLayout {
  readonly mode: number
  /** Milliseconds between two times, or 0 if they are not regular. */
  readonly step: number
  readonly sizeBytes: number
}

/** Rounds a size up to a multiple of 8, because every section of a chunk starts at such an offset. */
export const pad = (size: number): number => (size + 7) & ~7

/** Returns the size in bytes of a section that contains n times. */
export function sizeOfTimes(mode: number, n: number): number {
  return mode === TIME.regular ? 8 : mode === TIME.u32 ? pad(n * 4) : n * 8
}

/** Chooses the layout for ascending times. Equal times are allowed. */
export function chooseTimeLayout(times: Float64Array, n: number): TimeLayout {
  const layout = (mode: number, step: number): TimeLayout => ({ mode, step, sizeBytes: sizeOfTimes(mode, n) })
  if (n < 2) return layout(TIME.regular, 0)
  const base = times[0] as number
  const step = (times[1] as number) - base
  let i = 2
  while (i < n && times[i] === base + i * step) i++
  if (i === n) return layout(TIME.regular, step)
  return layout((times[n - 1] as number) - base <= U32_MAX ? TIME.u32 : TIME.f64, 0)
}

/** Writes times at an offset that is a multiple of 8. The first time itself is stored in the chunk's header. */
export function writeTimes(buffer: ArrayBuffer, at: number, times: Float64Array, n: number, layout: TimeLayout): void {
  if (layout.mode === TIME.regular) new Float64Array(buffer, at, 1)[0] = layout.step
  else if (layout.mode === TIME.u32) {
    const target = new Uint32Array(buffer, at, n)
    const base = times[0] as number
    for (let i = 0; i < n; i++) target[i] = (times[i] as number) - base
  } else new Float64Array(buffer, at, n).set(times)
}

/**
 * Returns the times of the rows from `from` up to, but not including, `to`. `at` is the start of the section with all times, and `base` is
 * the first time.
 */
export function readTimes(
  mode: number,
  base: number,
  buffer: ArrayBufferLike,
  at: number,
  from: number,
  to: number,
): Float64Array {
  const n = to - from
  if (mode === TIME.f64) return new Float64Array(buffer, at + from * 8, n)
  const times = new Float64Array(n)
  if (mode === TIME.regular) {
    const step = new Float64Array(buffer, at, 1)[0] as number
    for (let i = 0; i < n; i++) times[i] = base + (from + i) * step
    return times
  }
  if (mode !== TIME.u32) throw new Error(`not a sample chunk: unknown time mode ${mode}`)
  const source = new Uint32Array(buffer, at + from * 4, n)
  for (let i = 0; i < n; i++) times[i] = base + (source[i] as number)
  return times
}
