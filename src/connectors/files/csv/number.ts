/** Reads numbers in tables: with a decimal point or, if the file uses it, a decimal comma, and without thousands separators. */

const POINT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
/** A comma followed by exactly three digits could also separate thousands, so it is not read as a decimal comma. */
const COMMA = /^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d{3})$/
/** `1.234` and `1,234` are ambiguous: slightly more than one, or more than a thousand. */
const TWO_READINGS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

/** The decimal separator of a file; `open`: the file does not show which one it is. */
export type Decimals = 'point' | 'comma' | 'open'

/**
 * Returns the number in a cell, or NaN when it is not one. `1.234,5`, `1,234` and `1 234` are refused, because their meaning depends on the
 * reader. A decimal comma is accepted only if `decimalComma` says that the file may use one.
 */
export function parseCell(text: string, decimalComma: boolean): number {
  const cell = text.trim()
  if (POINT.test(cell)) return Number(cell)
  return decimalComma && COMMA.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN
}

/** Returns the number in a cell of a file whose decimal separator is known, which also decides ambiguous numbers. */
export function parseSettled(text: string, decimals: Decimals): number {
  if (!hasTwoReadings(text)) return parseCell(text, decimals !== 'point')
  const own = text.includes('.') ? 'point' : 'comma'
  return own === decimals ? Number(text.replace(',', '.')) : Number.NaN
}

/** Returns whether the point or comma in a number could be a decimal or a thousands separator. */
export function hasTwoReadings(text: string): boolean {
  return TWO_READINGS.test(text.trim())
}

/** Finds the decimal separator of a file: `see` every number, then `settle`. */
export class DecimalEvidence {
  private hasPoint = false
  private hasComma = false

  see(text: string): void {
    const cell = text.trim()
    if (TWO_READINGS.test(cell)) return
    if (cell.includes('.')) this.hasPoint ||= POINT.test(cell)
    else this.hasComma ||= COMMA.test(cell)
  }

  settle(): Decimals {
    if (this.hasPoint === this.hasComma) return 'open'
    return this.hasPoint ? 'point' : 'comma'
  }
}
