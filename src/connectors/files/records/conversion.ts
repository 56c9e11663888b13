/** Converts values between units by a factor and an offset, with the same rounding for all importers. */

/** `value * factor + plus` is in the target unit. */
export interface Conversion {
  readonly factor: number
  readonly plus: number
}

/**
 * Applies a conversion. A converted value is rounded to 6 decimals, which is more precise than any sensor, so that 0.57 is exactly 57 %.
 */
export function convert(value: number, { factor, plus }: Conversion): number {
  if (factor === 1 && plus === 0) return value
  return Math.round((value * factor + plus) * 1e6) / 1e6
}
