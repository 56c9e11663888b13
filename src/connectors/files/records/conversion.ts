/** How a value in one unit becomes a value in another: a factor, a shift, and one rounding for all importers. */

/** `value * factor + plus` is in the wanted unit. */
export interface Conversion {
  readonly factor: number
  readonly plus: number
}

/** Applies a conversion; a converted value is rounded to 6 decimals, which no sensor reaches, so that 0.57 is 57 % exactly. */
export function convert(value: number, { factor, plus }: Conversion): number {
  if (factor === 1 && plus === 0) return value
  return Math.round((value * factor + plus) * 1e6) / 1e6
}
