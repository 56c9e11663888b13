/** Numbers as tables write them: a point or, where the file shows it, a comma before the decimals; no grouping. */

const POINT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
/** A comma with exactly three digits after it could group thousands as well: it is not taken for a decimal comma. */
const COMMA = /^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d{3})$/
/** `1.234` and `1,234`: a little more than one, or more than a thousand. */
const TWO_READINGS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

/** What stands before the decimals of a file; `open`: nothing in it says. */
export type Decimals = 'point' | 'comma' | 'open'

/**
 * The number of a cell, or NaN where it is none: `1.234,5`, `1,234` and `1 234` are refused, because what they mean depends on
 * who reads them. A decimal comma is read only where `decimalComma` says that the file can have one.
 */
export function parseCell(text: string, decimalComma: boolean): number {
  const cell = text.trim()
  if (POINT.test(cell)) return Number(cell)
  return decimalComma && COMMA.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN
}

/** The same in a file whose decimals are settled: one that has two readings is read as the other numbers of the file are. */
export function parseSettled(text: string, decimals: Decimals): number {
  if (!hasTwoReadings(text)) return parseCell(text, decimals !== 'point')
  const own = text.includes('.') ? 'point' : 'comma'
  return own === decimals ? Number(text.replace(',', '.')) : Number.NaN
}

/** Whether the point or the comma of a number could be that of decimals or of thousands. */
export function hasTwoReadings(text: string): boolean {
  return TWO_READINGS.test(text.trim())
}

/** What the numbers of a file say about their decimals: `see` each of them, then `settle`. */
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
