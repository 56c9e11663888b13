/** Reads numbers in tables, with a decimal point or, if the file uses it, a decimal comma, and the matching thousands separators. */

const POINT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/
/** Matches a decimal comma. Does not match a comma followed by exactly three digits, which could also separate thousands. */
const COMMA = /^[+-]?(?:\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d{3})$/
/** Matches `1.234,5` and `1.234.567`, where points separate thousands, so that a comma is the decimal separator. */
const POINT_THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})$/
const COMMA_THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})$/
/** Matches `1.234` and `1,234`, which are ambiguous: they may mean slightly more than one, or more than a thousand. */
const TWO_READINGS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/

/**
 * A file's decimal separator. `open` means that the file does not determine it; `plain` means a decimal point and no thousands separators.
 */
export type Decimals = 'point' | 'comma' | 'open' | 'plain'

/**
 * Returns the number in a cell, or NaN if it is not a number. `1.234,5`, `1,234` and `1 234` are refused, because they are ambiguous. A
 * decimal comma is accepted only if `decimalComma` allows it for the file.
 */
export function parseCell(text: string, decimalComma: boolean): number {
  const cell = text.trim()
  if (POINT.test(cell)) return Number(cell)
  return decimalComma && COMMA.test(cell) ? Number(cell.replace(',', '.')) : Number.NaN
}

/**
 * Returns the number in a cell of a file whose decimal separator is known. The separator also resolves ambiguous numbers: if it is a comma,
 * `1.234` is more than a thousand.
 */
export function parseSettled(text: string, decimals: Decimals): number {
  const cell = text.trim()
  if (decimals === 'plain') return parseCell(cell, false)
  if (POINT_THOUSANDS.test(cell)) return decimals === 'point' ? Number.NaN : withoutThousands(cell, '.')
  if (COMMA_THOUSANDS.test(cell)) return decimals === 'comma' ? Number.NaN : withoutThousands(cell, ',')
  if (!hasTwoReadings(cell)) return parseCell(cell, decimals !== 'point')
  if (decimals === 'open') return Number.NaN
  return withoutThousands(cell, decimals === 'point' ? ',' : '.')
}

function withoutThousands(cell: string, thousands: ',' | '.'): number {
  return Number(cell.replaceAll(thousands, '').replace(',', '.'))
}

/** Returns whether the point or comma in a number could be a decimal or a thousands separator. */
export function hasTwoReadings(text: string): boolean {
  return TWO_READINGS.test(text.trim())
}

/** Determines a file's decimal separator. Call `see` with every number, then `settle`. */
export class DecimalEvidence {
  private hasPoint = false
  private hasComma = false

  see(text: string): void {
    const cell = text.trim()
    if (TWO_READINGS.test(cell)) return
    if (POINT_THOUSANDS.test(cell)) this.hasComma = true
    else if (COMMA_THOUSANDS.test(cell)) this.hasPoint = true
    else if (cell.includes('.')) this.hasPoint ||= POINT.test(cell)
    else this.hasComma ||= COMMA.test(cell)
  }

  settle(): Decimals {
    if (this.hasPoint === this.hasComma) return 'open'
    return this.hasPoint ? 'point' : 'comma'
  }
}
